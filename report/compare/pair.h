/* SPDX-License-Identifier: MIT */
/* Which rows of two profiles are of one kernel or API function, by their names. */
#ifndef KTIME_REPORT_COMPARE_PAIR_H
#define KTIME_REPORT_COMPARE_PAIR_H

#include "report/compare/comparison.h"

/*
 * Fills the comparison's rows from its sides: two rows are one where nsys would give both the same
 * name, or where only the profilers' ways to write a C++ name, or the version of a call, tell them
 * apart. Kernels that are left on both sides are versions of one if nothing but their template
 * arguments or parameters differ, and no third row could be meant. 0 or -ENOMEM; the comparison is
 * to be freed either way.
 */
int comparison_pair(struct comparison *comparison);

#endif
