/* SPDX-License-Identifier: MIT */
/* What follows from a merged profile's processes. */
#ifndef KTIME_REPORT_MERGE_JOB_H
#define KTIME_REPORT_MERGE_JOB_H

#include <stddef.h>

#include "report/session/session.h"

/* Ranks from `first` to `last`. */
struct rank_range {
	int first, last;
};

/* On how many nodes the processes ran. */
size_t job_nodes(const struct session *session);
/* The ranks of the job that no process has; the caller frees them, of which NULL are none. -ENOMEM.
 */
int job_missing(const struct session *session, struct rank_range **ranges, size_t *count);
/* The processes, the one with most work of its own first. The caller frees them; NULL if memory is
 * out. */
const struct job_process **job_slowest_first(const struct session *session, size_t *count);
/* The rows of GPU operations, or of NVTX ranges, the one with most time first. The caller frees
 * them; NULL if memory is out. */
const struct job_row **job_longest_first(const struct session *session, bool of_ranges,
					 size_t *count);
/* A process's GPU time outside collectives, which last as long as their slowest process. */
uint64_t job_own_work(const struct job_process *process);
/* How long its devices were idle between their first and their last operation. */
uint64_t job_idle(const struct job_process *process);
/* The most that a process has of a row, over the mean of those that have it. */
double job_imbalance(const struct job_row *row);

#endif
