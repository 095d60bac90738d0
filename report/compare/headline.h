/* SPDX-License-Identifier: MIT */
/* What a comparison says first: its verdict in one sentence, and in which rows the calls differ. */
#ifndef KTIME_REPORT_COMPARE_HEADLINE_H
#define KTIME_REPORT_COMPARE_HEADLINE_H

#include "report/compare/comparison.h"

/*
 * Fills in the comparison's lines, without their ends, in which names are short and visible:
 *
 * headline: "B is 1.38 times slower on the GPU: 1 of 3 GPU rows takes longer; most in first (10.0
 * ms -> 15.0 ms)", or, where most of what the runs differ by is not on the GPU, "B is 1.11 times
 * faster (270 ms -> 243 ms, one run a side: may be chance): idle time -32.5 ms, mostly launch
 * latency; on the GPU 1.57 times faster (14.0 ms -> 8.91 ms), most in first".
 *
 * why: see why.h.
 *
 * calls: "Calls differ by more than 10 % in 2 of 17 rows: axpy 10 -> 100, dot 5 -> 50."; "" if no
 * row's calls do.
 *
 * 0 or -ENOMEM; comparison_free() frees them.
 */
int headline_make(struct comparison *comparison);

/* Whether chance may explain the change that the headline tells, so that more runs would decide. */
bool headline_in_doubt(const struct comparison *comparison);

/* A row's name in a sentence: with scopes and template arguments, unless that is too long. */
void headline_write_name(const struct comparison_row *row, FILE *file);

#endif
