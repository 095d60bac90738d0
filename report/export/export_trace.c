/* SPDX-License-Identifier: MIT */
#include "report/export/export_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/json.h"
#include "report/names/demangle.h"

void trace_span(const struct session *session, uint64_t *zero, uint64_t *end)
{
	struct trace_part part = {.records = NULL};

	*zero = session_header(session)->trace_start;
	*end = *zero;
	while (session_next_trace_part(session, &part)) {
		for (size_t i = 0; i < part.count; i++) {
			const struct trace_record *record = &part.records[i];

			if (record->kind >= ROW_KINDS)
				continue;
			if (!*zero || record->start < *zero)
				*zero = record->start;
			if (record->end > *end)
				*end = record->end;
		}
		session_release_trace_part(session, &part);
	}
}

struct trace_window trace_window(const struct session *session, const struct options *options)
{
	struct trace_window window = {.from = 0, .to = UINT64_MAX};

	trace_span(session, &window.zero, &window.end);
	if (options->from)
		window.from = window.zero + options->from;
	if (options->to && options->to < UINT64_MAX - window.zero)
		window.to = window.zero + options->to;
	return window;
}

bool trace_is_in(const struct trace_window *window, const struct trace_record *record)
{
	return record->start <= window->to &&
	       (record->end >= window->from || record->start >= window->from);
}

void trace_process_name(const struct session *session, char *name, size_t size)
{
	program_name(session_string(session, session_header(session)->command), name, size);
	if (!*name)
		snprintf(name, size, "process %d", session_header(session)->pid);
}

void trace_owner_name(const struct session *session, const struct job_process *owner, char *text,
		      size_t size)
{
	*text = '\0';
	if (!owner)
		return;
	snprintf(text, size,
		 owner->rank.rank >= 0 ? "rank %d on %.100s: " : "process %d on %.100s: ",
		 owner->rank.rank >= 0 ? owner->rank.rank : owner->pid,
		 session_string(session, owner->hostname));
}

int trace_clocks(const struct session *session, char text[JOB_CLOCKS_SIZE])
{
	struct waits waits;
	int error;

	*text = '\0';
	if (!session_header(session)->processes)
		return 0;
	error = waits_find(&waits, session);
	if (error)
		return error;
	job_clocks_text(session, &waits, text);
	waits_free(&waits);
	return 0;
}

void trace_add_clocks(struct cJSON *object, const struct session *session)
{
	char text[JOB_CLOCKS_SIZE];

	if (trace_clocks(session, text) == 0 && *text)
		json_add_text(object, "clocks", text);
}

const char *trace_uuid(const uint8_t uuid[16], char text[TRACE_UUID_SIZE])
{
	char *end = text;

	for (int i = 0; i < 16; i++)
		end += sprintf(end, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			       uuid[i]);
	return text;
}

static void name_free(struct trace_name *name)
{
	free(name->text);
	free(name->base);
	free(name->written);
	free(name);
}

struct trace_name *trace_name_get(struct trace_name **cache, const struct session *session,
				  enum row_kind kind, uint64_t offset)
{
	const char *text = session_string(session, offset);
	bool kernel = kind == ROW_KERNEL;
	struct trace_name *name;

	HASH_FIND(hh, *cache, &offset, sizeof(offset), name);
	if (name)
		return name;
	name = calloc(1, sizeof(*name));
	if (!name)
		return NULL;
	name->offset = offset;
	name->text = kernel ? nsys_demangle(text) : strdup(text);
	name->base = kernel ? nsys_demangle_base(text) : NULL;
	if (name->text && (name->base || !kernel))
		HASH_ADD(hh, *cache, offset, sizeof(name->offset), name);
	if (name->hh.tbl)
		return name;
	name_free(name);
	return NULL;
}

bool trace_other_name(struct trace_name **names, struct trace_name **raw,
		      const struct session *session, const struct trace_record *record,
		      struct trace_name **other)
{
	*other = NULL;
	if (record->kind == ROW_KERNEL)
		*other = trace_name_get(raw, session, ROW_OTHER, record->name);
	else if (row_is_api(record->kind) && record->kernel)
		*other = trace_name_get(names, session, ROW_KERNEL, record->kernel);
	else if (record->kind == ROW_RANGE && *session_string(session, record->kernel))
		*other = trace_name_get(raw, session, ROW_RANGE, record->kernel);
	else
		return false;
	return true;
}

void trace_names_free(struct trace_name **cache)
{
	struct trace_name *name, *next;

	HASH_ITER (hh, *cache, name, next) {
		HASH_DEL(*cache, name);
		name_free(name);
	}
}
