/* SPDX-License-Identifier: MIT */
#include "report/estimate.h"

#include <math.h>

#define NORMAL_95 1.96 /* standard deviations on either side of the mean */

double estimate_total(const struct estimate *estimate, uint64_t timed, uint64_t calls,
		      double *error)
{
	const double *sums = estimate->variance;
	double mean, variance;

	*error = 0;
	if (estimate->calls <= 0)
		return 0;
	mean = estimate->total / estimate->calls;
	variance = sums[2] - 2 * mean * sums[1] + mean * mean * sums[0];
	/* What rounding leaves of equal durations is none. The mean is from the same samples. */
	if (timed > 1 && variance > 1e-9 * mean * mean * sums[0])
		*error = NORMAL_95 * (double)calls / estimate->calls *
			 sqrt(variance * (double)timed / (double)(timed - 1));
	return mean * (double)calls;
}
