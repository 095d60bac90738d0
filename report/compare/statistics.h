/* SPDX-License-Identifier: MIT */
/* What can be said of samples of which only sums are left. */
#ifndef KTIME_REPORT_COMPARE_STATISTICS_H
#define KTIME_REPORT_COMPARE_STATISTICS_H

#include <stdint.h>

/*
 * The probability that a difference as large as that of the two means comes from chance alone:
 * Welch's t-test, which does not ask for equal variances. Counts of two and more; variances are
 * those of the samples. 0 where the means differ and neither varies.
 */
double welch_probability(uint64_t count_a, double mean_a, double variance_a, uint64_t count_b,
			 double mean_b, double variance_b);

/*
 * Half of the 95 % interval of the difference of the two means, for the same samples. 0 where
 * neither varies.
 */
double welch_margin(uint64_t count_a, double variance_a, uint64_t count_b, double variance_b);

#endif
