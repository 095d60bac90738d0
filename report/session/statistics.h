/* SPDX-License-Identifier: MIT */
/* What can be said of samples of which only sums, or histograms, are left. */
#ifndef KTIME_REPORT_SESSION_STATISTICS_H
#define KTIME_REPORT_SESSION_STATISTICS_H

#include <stdint.h>

#include "report/session/histogram.h"

/*
 * The probability that a difference as large as that of the two means comes from chance alone:
 * Welch's t-test, which does not ask for equal variances. Counts of two and more; variances are
 * those of the samples. 0 where the means differ and neither varies.
 */
double welch_probability(uint64_t count_a, double mean_a, double variance_a, uint64_t count_b,
			 double mean_b, double variance_b);

/*
 * The same for the positions of two histograms: Mann and Whitney's rank sum test, in its normal
 * approximation and with the correction for ties (values of one bucket are ties). A few outliers
 * do not move it. 1 where one is empty.
 */
double rank_sum_probability(const struct histogram *a, const struct histogram *b);

#endif
