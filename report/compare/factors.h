/* SPDX-License-Identifier: MIT */
/* What the change of a row's time is made of. */
#ifndef KTIME_REPORT_COMPARE_FACTORS_H
#define KTIME_REPORT_COMPARE_FACTORS_H

#include "report/compare/comparison.h"

enum factor {
	FACTOR_CALLS,  /* how many calls a run makes */
	FACTOR_DATA,   /* how much a call moves, where both sides know it */
	FACTOR_BLOCKS, /* else how many blocks a launch of the kernel has */
	FACTOR_SPEED,  /* how long that takes: by GB/s, or by a call's time */
	FACTOR_COUNT
};

/* Of each factor the logarithm of how much longer or shorter it makes B, 0 where it is not known.
 * They add up to that of the times. */
struct factors {
	double of[FACTOR_COUNT];
	double time;
};

/* False: one side lacks the row, or its times. */
bool factors_of(struct factors *factors, const struct comparison_row *row);
/* The factor that has most of the change. */
enum factor factors_most(const struct factors *factors);

#endif
