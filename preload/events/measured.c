/* SPDX-License-Identifier: MIT */
#include "preload/events/measured.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

struct measured measured_of(double *values, unsigned count)
{
	unsigned from = count / 4, to = count - count / 4;
	struct measured measured = {0};

	qsort(values, count, sizeof(*values), by_value);
	measured.least = values[from];
	for (unsigned i = from; i < to; i++)
		measured.middle += values[i] / (to - from);
	/* A normal distribution's quartiles are 1.349 standard deviations apart; this mean varies
	 * 1.1 times as much as that of all values. */
	measured.error = (values[to] - values[from]) / 1.349 * 1.1 / sqrt(count);
	return measured;
}
