/* SPDX-License-Identifier: MIT */
/* A profile that others are merged into, and what it finds again in it: for the merge's sources. */
#ifndef KTIME_REPORT_MERGE_MERGE_ROWS_H
#define KTIME_REPORT_MERGE_MERGE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/entries.h"
#include "report/session/session.h"

/* Ranges of a merged profile, of all paths. Names that differ in each process would be without end.
 * Chosen. */
#define MERGED_RANGES_MOST 65536u

struct merge {
	struct session *session; /* that is written */
	struct entry *starts;	 /* processes: owner, start, number */
	struct entry *clocks;	 /* of nodes */
	struct entry *sums;	 /* rows: name, device, kind, the clock that the report shows */
	struct entry *spreads;	 /* rows of the job: name, kind */
	struct entry *metrics;	 /* row, name */
	struct entry *ranges;	 /* parent, name, domain, style */
	struct entry *parts;	 /* range, row */
	/* Of the profile that is being added. */
	struct entry *moved; /* its processes and rows of the job: their offsets there */
	struct spread_entry *touched;
	struct process_rank job; /* of the first profile that has a rank */
	bool whole_trace;
	bool more_ranges; /* than fit: it was said */
};

/* Where something of the profile that is being added is in the merged one. */
struct moved_entry {
	struct entry entry;
	uint64_t to;
	int64_t shift; /* ns, of a process's records */
};
/* A text of another profile in this one; 0 if it is empty, or memory is out. */
uint64_t merge_string(struct merge *merge, const struct session *from, uint64_t offset);

/*
 * Adds a process's rows, hardware counters and ranges. `process`: in the merged session; its GPU
 * time is filled in, and how it compares to the others. If the profile is a merged one, `process`
 * is NULL, and what the profile knows of each of its processes is added. -ENOMEM.
 */
int merge_rows_add(struct merge *merge, const struct session *from, struct job_process *process);

/* Whether a row is of a collective of NCCL's; SendRecv is between two ranks, and is not. */
bool row_is_collective(enum row_kind kind, const char *name);

#endif
