/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report/names/nsys_names.h"

#define COPY_NAME(label) "[CUDA memcpy " label "]"

static const struct copy_kind {
	unsigned id;
	const char *row_name, *operation;
} copy_kinds[] = {
#define COPY_KIND(id, name, row_name, label) [id] = {id, row_name, COPY_NAME(label)},
	NSYS_COPY_KINDS(COPY_KIND)
#undef COPY_KIND
};
#define COPY_KINDS (sizeof(copy_kinds) / sizeof(*copy_kinds))

static const struct copy_kind *find_row(const char *row_name)
{
	for (size_t i = 0; i < COPY_KINDS; i++)
		if (!strcmp(row_name, copy_kinds[i].row_name))
			return &copy_kinds[i];
	return NULL;
}

unsigned nsys_copy_kind(const char *row_name)
{
	const struct copy_kind *kind = find_row(row_name);

	return kind ? kind->id : 0;
}

const char *nsys_copy_row_name(unsigned copy_kind)
{
	return copy_kinds[copy_kind < COPY_KINDS ? copy_kind : 0].row_name;
}

bool nsys_is_memory_operation(enum row_kind kind, const char *row_name)
{
	return row_is_memory(kind) && (kind != ROW_MOVEMENT || nsys_copy_kind(row_name));
}

unsigned nsys_memory_kind(enum memory_kind kind)
{
	switch (kind) {
#define MEMORY_KIND(id, name, session_kind, label)                                                 \
	case session_kind:                                                                         \
		return id;
		NSYS_MEMORY_KINDS(MEMORY_KIND)
#undef MEMORY_KIND
	default:
		return nsys_memory_kind(MEMORY_UNKNOWN);
	}
}

const char *nsys_operation_name(const char *row_name)
{
	const struct copy_kind *kind = find_row(row_name);

	return kind ? kind->operation : row_name;
}

const char *nsys_row_name(const char *operation)
{
	for (size_t i = 0; i < COPY_KINDS; i++)
		if (!strcmp(operation, copy_kinds[i].operation))
			return copy_kinds[i].row_name;
	return operation;
}
