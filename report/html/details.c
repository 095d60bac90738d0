/* SPDX-License-Identifier: MIT */
#include "report/html/details.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/export/arguments.h"
#include "report/session/text.h"

/* Combinations that are kept, some 200 bytes each. Chosen: 13 MB; a program that copies as many
 * different sizes does not look at each. */
#define DETAILS_MOST 65536

struct details {
	/* A record without what tells it from others with the same details. */
	struct trace_record record;
	uint32_t number; /* from 1 */
	UT_hash_handle hh;
};

static struct trace_record without_itself(const struct trace_record *record)
{
	struct trace_record rest;

	/* Bytes between the members are part of the key. */
	memset(&rest, 0, sizeof(rest));
	rest.kind = record->kind;
	memcpy(rest.grid, record->grid, sizeof(rest.grid));
	memcpy(rest.block, record->block, sizeof(rest.block));
	rest.registers = record->registers;
	rest.static_shared = record->static_shared;
	rest.dynamic_shared = record->dynamic_shared;
	rest.bytes = record->bytes;
	rest.source_kind = record->source_kind;
	rest.destination_kind = record->destination_kind;
	rest.clock = record->clock;
	rest.result = record->result;
	rest.graph = record->graph;
	rest.graph_node = record->graph_node;
	rest.kernel = record->kernel;
	return rest;
}

int details_of(struct details **details, const struct trace_record *record, uint32_t *number)
{
	const struct trace_record rest = without_itself(record);
	struct details *found;

	HASH_FIND(hh, *details, &rest, sizeof(rest), found);
	if (!found && HASH_COUNT(*details) == DETAILS_MOST) {
		*number = 0;
		return 0;
	}
	if (!found) {
		found = calloc(1, sizeof(*found));
		if (!found)
			return -ENOMEM;
		found->record = rest;
		found->number = HASH_COUNT(*details) + 1;
		HASH_ADD(hh, *details, record, sizeof(rest), found);
		if (!found->hh.tbl) {
			free(found);
			return -ENOMEM;
		}
	}
	*number = found->number;
	return 0;
}

/* The kernel that a call launched, or a range's domain; NULL: it has none. */
static const char *other_name(const struct trace_record *record, const struct session *session,
			      struct filter *filter)
{
	if (row_is_api(record->kind) && record->kernel)
		return filter_name(filter, ROW_KERNEL, record->kernel);
	if (record->kind == ROW_RANGE && *session_string(session, record->kernel))
		return session_string(session, record->kernel);
	return NULL;
}

static void write_argument(FILE *file, const struct argument *argument, const char *other,
			   const char *range)
{
	/* What is 0 is what was not used. */
	if (argument->type == ARGUMENT_NUMBER && !argument->number)
		return;
	fprintf(file, "%s%s ", ftell(file) > 0 ? ", " : "", argument_names[argument->name]);
	if (argument->type == ARGUMENT_NUMBER)
		fprintf(file, "%llu", (unsigned long long)argument->number);
	else
		fputs(argument->type == ARGUMENT_WORD	 ? argument_word((unsigned)argument->number)
		      : argument->type == ARGUMENT_TEXT	 ? argument->text
		      : argument->type == ARGUMENT_OTHER ? other
							 : range,
		      file);
}

static char *text_of(const struct trace_record *record, const struct session *session,
		     struct filter *filter)
{
	const char *other = other_name(record, session, filter);
	struct argument arguments[ARGUMENT_COUNT];
	unsigned count = record_arguments(record, other, arguments);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		write_argument(file, &arguments[i], other, session_string(session, record->kernel));
	text_close(file, &text);
	return text;
}

int details_texts(const struct details *details, const struct session *session,
		  struct filter *filter, void (*write)(const char *text, void *argument),
		  void *argument)
{
	write("", argument);
	for (; details; details = details->hh.next) {
		char *text = text_of(&details->record, session, filter);

		if (!text)
			return -ENOMEM;
		write(text, argument);
		free(text);
	}
	return 0;
}

void details_free(struct details **details)
{
	struct details *each, *next;

	HASH_ITER (hh, *details, each, next) {
		HASH_DEL(*details, each);
		free(each);
	}
}
