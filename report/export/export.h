/* SPDX-License-Identifier: MIT */
/*
 * What `ktime export` writes. Each takes an open session that it only reads, and returns 0 or
 * -errno with a one-line reason in `message`.
 */
#ifndef KTIME_REPORT_EXPORT_EXPORT_H
#define KTIME_REPORT_EXPORT_EXPORT_H

#include "report/merge/job.h"
#include "report/options/options.h"
#include "report/session/entries.h"
#include "report/session/session.h"

/* An Nsight Systems SQLite export of the session's trace; `path` is an empty file. */
int export_sqlite(struct session *session, const struct options *options, const char *path,
		  char *message, size_t size);
/* The trace in the trace event format that chrome://tracing and Perfetto load. */
int export_chrome(struct session *session, const struct options *options, FILE *file, char *message,
		  size_t size);
/* The trace in Perfetto's own format: packets that can be put behind those of other processes. */
int export_perfetto(struct session *session, const struct options *options, FILE *file,
		    char *message, size_t size);
/* Everything that the session holds, with the rates of what the options declare. */
int export_json(struct session *session, const struct options *options, FILE *file, char *message,
		size_t size);

/* `ktime export`: returns the process's exit status. */
int command_export(const struct options *options, const char *const *files, size_t count);

/* The part of a trace that --from and --to ask for, on the records' clock. */
struct trace_window {
	/* From the first record's start, or the session's own zero if that is earlier, to the last
	 * end. */
	uint64_t zero, end;
	uint64_t from, to;
};
struct trace_window trace_window(const struct session *session, const struct options *options);
/* Whether a record is not wholly before or after it. */
bool trace_is_in(const struct trace_window *window, const struct trace_record *record);

/* The program's name: the last part of the command line's first word, else "process PID". */
void trace_process_name(const struct session *session, char *name, size_t size);
/* "rank 3 on node7: ", of a merged profile; "" if `owner` is NULL. */
void trace_owner_name(const struct session *session, const struct job_process *owner, char *text,
		      size_t size);

/* Names to read, kernels' as nsys has them, each made once. */
struct trace_name {
	struct entry entry; /* of its offset in the session, and whether it is a kernel's */
	char *text;
	char *base; /* of a kernel, without its scopes and arguments */
	/* For the writer of a timeline; zeros at first. */
	uint32_t number;  /* of the name in the file */
	uint32_t process; /* that `defined` is of */
	uint32_t defined; /* bit by bit where the file has the number */
};
/* The name of a record, or of any row's name of that kind; NULL where memory is out. `names` begins
 * as NULL. */
struct trace_name *trace_name_get(struct entry **names, const struct session *session,
				  enum row_kind kind, uint64_t offset);
void trace_names_free(struct entry **names);

#endif
