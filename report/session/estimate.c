/* SPDX-License-Identifier: MIT */
#include "report/session/estimate.h"

#include <math.h>

#define NORMAL_95 1.96 /* standard deviations on either side of the mean */

double sample_variance(uint64_t count, double total, double squares)
{
	double distances;

	if (count < 2)
		return 0;
	distances = squares - total * total / (double)count;
	return distances > 0 ? distances / (double)(count - 1) : 0;
}

double estimate_total(const struct estimate *estimate, uint64_t timed, uint64_t calls,
		      double *error)
{
	const double *sums = estimate->variance;
	double mean, scale, variance, doubt;

	*error = 0;
	doubt = estimate->doubt * (double)calls;
	if (estimate->calls <= 0)
		return 0;
	mean = estimate->total / estimate->calls;
	scale = (double)calls / estimate->calls;
	variance = scale * scale * (sums[2] - 2 * mean * sums[1] + mean * mean * sums[0]);
	/* Calls that should have been timed and were not: each weight is that much larger. */
	if (scale > 1)
		variance += scale * (scale - 1) * (estimate->squares - mean * estimate->total);
	/* What rounding leaves of equal durations is none. The mean is from the same samples. */
	if (timed > 1 && variance > 1e-9 * mean * mean * (double)calls)
		doubt = sqrt(doubt * doubt + variance * (double)timed / (double)(timed - 1));
	*error = NORMAL_95 * doubt;
	return mean * (double)calls;
}
