/* SPDX-License-Identifier: MIT */
/* What makes most of the difference between the sides of a comparison, in one sentence. */
#ifndef KTIME_REPORT_COMPARE_CAUSE_H
#define KTIME_REPORT_COMPARE_CAUSE_H

#include "report/compare/comparison.h"

/*
 * Writes "Why: the GPU waited 71.1 ms -> 38.4 ms for the program's own work after 7
 * synchronizing calls (4 cudaMemcpy, 3 cudaEventSynchronize), which perf shows and ktime does not;
 * in 6 gaps, the longest 26.0 ms -> 17.5 ms, between [CUDA memcpy DtoH] and [CUDA memset]; on the
 * GPU less data, 96 MB -> 48 MB at 15.2 -> 13.5 GB/s in [CUDA memcpy DtoH] (and 1 more row), and
 * ..."
 *
 * The part of the whole run that changed most is named if the run changed, and what changed on the
 * GPU if its time did: how many calls there were, how much they moved, how many blocks they had, or
 * how long they took for that. False: neither changed beyond the threshold, or what did is not
 * known, and nothing is written.
 */
bool cause_write(const struct comparison *comparison, FILE *file);

/* The tool that shows what changed, "perf" or "py-spy", where that is the program's own work on the
 * host; NULL otherwise. */
const char *cause_profiler(const struct comparison *comparison);

#endif
