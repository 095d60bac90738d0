/* SPDX-License-Identifier: MIT */
/* The NVTX ranges of a merged profile: sums over processes and their threads, by path, and how the
 * GPU's time in each is spread over the processes. */
#ifndef KTIME_REPORT_MERGE_MERGE_RANGES_H
#define KTIME_REPORT_MERGE_MERGE_RANGES_H

#include <stdbool.h>

#include "report/merge/merge_rows.h"
#include "report/session/session.h"

/* Ranges of a merged profile, of all paths. Names that differ in each process would be without end.
 * Chosen. */
#define MERGED_RANGES_MOST 65536u

struct merge_ranges {
	struct merge_rows *rows;
	struct merged_range *ranges; /* by parent, name, domain and style */
	struct merged_part *parts;   /* by range and row */
	unsigned count;
	bool said; /* that there are more than fit */
};

/*
 * Adds a profile's ranges, after its rows. `process`: as for merge_rows_add(), before
 * merge_rows_settle(). -ENOMEM.
 */
int merge_ranges_add(struct merge_ranges *ranges, const struct session *from,
		     struct job_process *process);
void merge_ranges_free(struct merge_ranges *ranges);

#endif
