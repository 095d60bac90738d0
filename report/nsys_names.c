/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/nsys_names.h"

#define COPY_PREFIX "[CUDA memcpy "

struct copy_kind {
	unsigned id;
	const char *direction, *label;
};

#define COPY_KIND(id, name, direction, label) {id, direction, label},
static const struct copy_kind copy_kinds[] = {NSYS_COPY_KINDS(COPY_KIND)};
#undef COPY_KIND

/* Whether the name reads "[CUDA memcpy WORD]"; what follows the word is ignored. */
static bool is_copy_of(const char *name, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(name, COPY_PREFIX, strlen(COPY_PREFIX)))
		return false;
	name += strlen(COPY_PREFIX);
	return !strncmp(name, word, length) && (name[length] == ']' || name[length] == ' ');
}

unsigned nsys_copy_kind(const char *row_name)
{
	size_t i;

	for (i = 0; i < sizeof(copy_kinds) / sizeof(*copy_kinds); i++)
		if (is_copy_of(row_name, copy_kinds[i].direction))
			return copy_kinds[i].id;
	return 0;
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

char *nsys_operation_name(const char *row_name, char *buffer, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(copy_kinds) / sizeof(*copy_kinds); i++) {
		if (!is_copy_of(row_name, copy_kinds[i].direction))
			continue;
		snprintf(buffer, size, COPY_PREFIX "%s]", copy_kinds[i].label);
		return buffer;
	}
	snprintf(buffer, size, "%s", row_name);
	return buffer;
}

char *nsys_row_name(const char *operation, char *buffer, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(copy_kinds) / sizeof(*copy_kinds); i++) {
		if (!is_copy_of(operation, copy_kinds[i].label))
			continue;
		snprintf(buffer, size, COPY_PREFIX "%s]", copy_kinds[i].direction);
		return buffer;
	}
	snprintf(buffer, size, "%s", operation);
	return buffer;
}
