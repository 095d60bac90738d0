/* SPDX-License-Identifier: MIT */
/* Which rows of two profiles are of the same kernel, copy or call. */
#ifndef KTIME_REPORT_COMPARE_PAIR_H
#define KTIME_REPORT_COMPARE_PAIR_H

#include "report/compare/compare.h"

/* Fills in the rows of a comparison, without verdicts. 0 or -ENOMEM. */
int pair_rows(struct comparison *comparison, const struct profile *a, const struct profile *b);

#endif
