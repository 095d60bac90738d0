/* SPDX-License-Identifier: MIT */
/* What follows from a merged profile's processes. */
#ifndef KTIME_REPORT_MERGE_JOB_H
#define KTIME_REPORT_MERGE_JOB_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/options/options.h"
#include "report/print/filter.h"
#include "report/session/session.h"
#include "report/sheet/sheet.h"

/* Ranks from `first` to `last`. */
struct rank_range {
	int first, last;
};

/* On how many nodes the processes ran. */
size_t job_nodes(const struct session *session);
/* Which GPUs the processes of a job used: "", where that is not known of each, or one alone is
 * there; else ", which share one GPU", ", each with a GPU of its own" or ", on 2 GPUs", and whose.
 */
#define JOB_GPUS_SIZE 64
const char *job_gpus_text(const struct session *session, char text[JOB_GPUS_SIZE]);
/* How long the processes ran since the start of CUDA: "120 ms to 130 ms in each process". */
#define JOB_WALL_SIZE (2 * NUMBER_SIZE + 32)
const char *job_wall_text(const struct session *session, char text[JOB_WALL_SIZE]);
/* " without collectives", by which processes are put in order, if there are such; else "". */
const char *job_without_collectives(const struct session *session);
/* The ranks of the job that no process has; the caller frees them, of which NULL are none. -ENOMEM.
 */
int job_missing(const struct session *session, struct rank_range **ranges, size_t *count);
/* The processes, the one with most work of its own first. The caller frees them; NULL if memory is
 * out. */
const struct job_process **job_slowest_first(const struct session *session, size_t *count);
/* How long its devices were idle between their first and their last operation. */
uint64_t job_idle(const struct job_process *process);
/* The most that a process has of a row, over the mean of those that have it. */
double job_imbalance(const struct job_row *row);

/*
 * How long processes waited in collectives, of a merged profile. A collective takes each process
 * from its own start until all are in it and the data has moved: the process that comes last waits
 * for nobody.
 */

struct process_wait {
	uint64_t process; /* offset of struct job_process */
	/*
	 * The least wait that the sums of rows show: what they hold beyond the process that has the
	 * least of the same row in as many calls, less what is uncertain about estimates.
	 */
	double least;
	double exact;  /* by the traces, call by call */
	bool is_exact; /* every process has all its records, as many calls of each collective */
};

struct waits {
	struct process_wait *processes; /* in the order of their creation */
	size_t count;
	/* How far apart the ends of a collective lie on different processes: what the nodes' clocks
	 * may differ by. Nanoseconds; calls of 0: not known. */
	uint64_t calls, ends_mean, ends_most;
};

/* 0 or -ENOMEM; free it with waits_free(). */
int waits_find(struct waits *waits, const struct session *session);
void waits_free(struct waits *waits);
/* Of one of the session's processes; NULL: it came later. */
const struct process_wait *waits_of(const struct waits *waits, const struct session *session,
				    const struct job_process *process);

/* A wall clock that moved by less was not set: both clocks are read within a microsecond or so, and
 * a daemon sets one that is off by milliseconds. Chosen. */
#define CLOCK_SET_LEAST_NS 100000u

/* How far the clocks of several nodes are apart is shown by collectives, which end everywhere at
 * nearly the same time: how exact times and orders between processes are, for people: a line
 * without an end; "" if there are no records of which it could be said. */
#define JOB_CLOCKS_SIZE	   400
void job_clocks_text(const struct session *session, const struct waits *waits,
		     char text[JOB_CLOCKS_SIZE]);

/* The processes of a merged profile, for its sheets. */
#define JOB_CAUSES_SIZE 160
struct job {
	const struct session *session;
	struct waits waits;
	const struct job_process **processes; /* the slowest first */
	size_t count;
	char causes[JOB_CAUSES_SIZE]; /* of the process that is written */
};
/* 0 or -ENOMEM; free it with job_free() whatever it returns. */
int job_init(struct job *job, const struct session *session);
void job_free(struct job *job);
/* The sheet of all processes, a row each; the first cell is for a page's picture of its time. */
void job_processes_sheet(struct sheet *sheet, const struct job *job);
void job_fill_process(const struct sheet *sheet, size_t index, struct cell *cells);

/* What the processes have of each row of the GPU, or of their NVTX ranges; the longest first. */
struct job_rows {
	const struct job *job;
	const struct job_row **rows;
	size_t count;
	struct filter filter;
	bool of_ranges;
};
/* 0 or -errno; free it with job_rows_free(). */
int job_rows_init(struct job_rows *rows, const struct job *job, const struct options *options,
		  bool of_ranges);
void job_rows_free(struct job_rows *rows);
void job_rows_sheet(struct sheet *sheet, const struct job_rows *rows);

/* The lines on the processes: how many, which are missing or cut short, how far apart their clocks
 * are. In the "C" locale. 0 or -errno. */
int job_lines_write(const struct session *session, const char *prefix, FILE *file);
/* Writes, after the report, which rows are uneven and who is slow; nothing for a profile of one
 * process. 0 or -errno. */
int job_write(const struct session *session, const struct options *options, FILE *file);

#endif
