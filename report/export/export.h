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
/* The GPU's time by NVTX range and operation, as lines for flame graphs: "range;range;kernel ns".
 */
int export_folded(struct session *session, const struct options *options, FILE *file, char *message,
		  size_t size);
/* Everything that the session holds, with the rates of what the options declare. */
int export_json(struct session *session, const struct options *options, FILE *file, char *message,
		size_t size);

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

/*
 * A trace's records in the order of time. A profile has them in the order in which they became
 * known: an operation's after its end, a range's after all that was called in it. They are sorted
 * by the segment, each when its time comes, so what is in memory is the segments that the moment
 * lies in, however long the trace is.
 */
struct part;
struct trace_order {
	const struct session *session;
	uint64_t from, to;
	uint64_t count, done; /* records that there are, and that were returned */
	/* Whose record the last one was: in a merged profile the process, and the how manieth it
	 * is, from 1; else NULL and 0. */
	const struct job_process *owner;
	uint32_t process;
	/* Segments, by process and first start, and how many of the first were opened. */
	struct part *parts;
	size_t part_count, part_capacity, opened;
	/* Those with records left: the one whose next record is first is last. */
	struct part **open;
	size_t open_count;
	struct part *last; /* whose record was returned last */
};

/*
 * Begins with the records that are not wholly before `from` or after `to`, both nanoseconds on the
 * records' clock; what is held of memory lasts, so these records may be from before. 0 or -ENOMEM.
 * The session must stay open until trace_order_close(), which is due in any case.
 */
int trace_order_open(struct trace_order *order, const struct session *session, uint64_t from,
		     uint64_t to);
/*
 * The next record, NULL past the last: process by process, and in each by the start; where two
 * start together the one that ends later is first, and a call before an operation. Valid until the
 * next call. 0 or -ENOMEM.
 */
int trace_order_next(struct trace_order *order, const struct trace_record **record);
void trace_order_close(struct trace_order *order);

/* The program's name: the last part of the command line's first word, else "process PID". */
void trace_process_name(const struct session *session, char *name, size_t size);
/* "rank 3 on node7: ", of a merged profile; "" if `owner` is NULL. */
void trace_owner_name(const struct session *session, const struct job_process *owner, char *text,
		      size_t size);

/* Names to read, kernels' as nsys has them, each made once. */
struct trace_name {
	struct entry entry; /* of its offset in the session, and whether it is a kernel's */
	char *text;
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
