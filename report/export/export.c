/* SPDX-License-Identifier: MIT */
/* `ktime export`: a profile in other tools' formats, and what these have in common. */
#include "report/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/output.h"
#include "report/names/demangle.h"
#include "report/names/visible.h"

#define MESSAGE_SIZE 512

/* schema.json of this folder: see report/command/assets.S. */
extern const char json_schema[];
extern const size_t json_schema_size;

struct trace_window trace_window(const struct session *session, const struct options *options)
{
	uint64_t zero = session_header(session)->trace_start;
	struct trace_window window = {.zero = zero, .end = zero, .to = UINT64_MAX};
	struct trace_part part = {.records = NULL};

	while (session_next_trace_part(session, &part)) {
		for (size_t i = 0; i < part.count; i++) {
			const struct trace_record *record = &part.records[i];

			if (record->kind >= ROW_KINDS)
				continue;
			if (!window.zero || record->start < window.zero)
				window.zero = record->start;
			RAISE(window.end, record->end);
		}
		session_release_trace_part(session, &part);
	}
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

struct trace_name *trace_name_get(struct entry **names, const struct session *session,
				  enum row_kind kind, uint64_t offset)
{
	const char *text = session_string(session, offset);
	bool kernel = kind == ROW_KERNEL;
	const uint64_t key[ENTRY_NUMBERS] = {offset, kernel};
	struct trace_name *name = entry_of(names, key, sizeof(*name));

	if (name && !name->text)
		name->text = kernel ? nsys_demangle(text) : strdup(text);
	return name && name->text ? name : NULL;
}

void trace_names_free(struct entry **names)
{
	entries_for_each (struct trace_name, *names, name)
		free(name->text);
	entries_free(names);
}

/* What an option writes, and whether it needs records of single operations. */
static const struct export_format {
	const char *name;
	bool needs_trace;
	int (*write_file)(struct session *session, const struct options *options, FILE *file,
			  char *message, size_t size);
	int (*write_path)(struct session *session, const struct options *options, const char *path,
			  char *message, size_t size);
} formats[] = {
	{"sqlite", true, NULL, export_sqlite}, {"perfetto", true, export_perfetto, NULL},
	{"chrome", true, export_chrome, NULL}, {"folded", false, export_folded, NULL},
	{"json", false, export_json, NULL},
};
#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

static int write_output(struct session *session, const struct options *options,
			const struct export_format *format, const char *path, char *message,
			size_t size)
{
	char reason[MESSAGE_SIZE] = "";
	struct output output;
	int error;

	if (format->write_path && output_is_compressed(path)) {
		snprintf(message, size, "%s: --%s is not compressed: give a name without .gz", path,
			 format->name);
		return -EINVAL;
	}
	error = output_open(&output, path, options->force_overwrite, false, message, size);
	if (error)
		return error;
	if (format->write_file) {
		error = format->write_file(session, options, output.file, reason, sizeof(reason));
	} else if (output.place.temporary) {
		error = format->write_path(session, options, output.place.temporary, reason,
					   sizeof(reason));
	} else {
		error = -EINVAL;
		snprintf(reason, sizeof(reason), "--%s needs a regular file", format->name);
	}
	if (!error)
		return output_finish(&output, message, size);
	snprintf(message, size, "%s: %s", path, reason);
	output_abandon(&output);
	return error;
}

/* Of a part of the trace that holds no record: says from when to when there are some. */
static int check_part(const struct session *session, const struct options *options,
		      const char *path, char *message, size_t size)
{
	struct trace_window window;
	const struct trace_record *record;
	uint64_t first = UINT64_MAX;

	if (!options->from && options->to == UINT64_MAX)
		return 0;
	if (options->from > options->to) {
		snprintf(message, size, "--from is later than --to");
		return -EINVAL;
	}
	window = trace_window(session, options);
	session_for_each_trace (session, record) {
		if (trace_is_in(&window, record))
			return 0;
		LOWER(first, record->start);
	}
	if (first == UINT64_MAX)
		return 0; /* there is no trace, which is told of */
	snprintf(message, size,
		 "%s has no record between --from and --to: its trace is from %.6f s to %.6f s",
		 path, (double)(first - window.zero) / 1e9,
		 (double)(window.end - window.zero) / 1e9);
	return -ENODATA;
}

int command_export(const struct options *options, const char *const *files, size_t count)
{
	const char *const outputs[] = {options->sqlite, options->perfetto, options->chrome,
				       options->folded, options->json};
	char message[MESSAGE_SIZE] = "";
	struct session *session = NULL;
	int error;

	if (options->json_schema) {
		fwrite(json_schema, 1, json_schema_size, stdout);
		return EXIT_SUCCESS;
	}
	if (!count)
		return visible_fail(
			EXIT_BAD_USAGE,
			"ktime export: no file given; usage: ktime export [options] FILE");
	if (!options->sqlite && !options->perfetto && !options->chrome && !options->folded &&
	    !options->json)
		return visible_fail(
			EXIT_BAD_USAGE,
			"ktime export: give --perfetto OUT, --chrome OUT, --sqlite OUT, "
			"--folded OUT or --json OUT");
	error = session_load(&session, files[0], message, sizeof(message));
	if (!error)
		error = check_part(session, options, files[0], message, sizeof(message));
	for (size_t i = 0; i < FORMAT_COUNT && !error; i++) {
		if (!outputs[i])
			continue;
		if (formats[i].needs_trace && !session_next_trace(session, NULL)) {
			error = -ENODATA;
			snprintf(message, sizeof(message),
				 "%s has no trace, which --%s needs: record it with "
				 "ktime --keep-trace all -o FILE",
				 files[0], formats[i].name);
			break;
		}
		/* Its tables tell processes apart by numbers that several nodes use. */
		if (formats[i].write_path && session_header(session)->processes) {
			error = -EINVAL;
			snprintf(message, sizeof(message),
				 "%s is merged: --%s exports the profile of one process", files[0],
				 formats[i].name);
			break;
		}
		error = write_output(session, options, &formats[i], outputs[i], message,
				     sizeof(message));
	}
	if (error)
		visible_line(stderr, "ktime: %s", message);
	session_close(session);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
