/* SPDX-License-Identifier: MIT */
/* Welch's t-test: whether two means differ by more than chance. It does not ask for equal
 * variances. Counts are two and more; variances are those of the samples. */
#ifndef KTIME_REPORT_COMPARE_WELCH_H
#define KTIME_REPORT_COMPARE_WELCH_H

#include <stdint.h>

/*
 * The probability that a difference as large as that of the two means comes from chance alone.
 * 0 if the means differ and neither varies.
 */
double welch_probability(uint64_t count_a, double mean_a, double variance_a, uint64_t count_b,
			 double mean_b, double variance_b);

/* Half of the 95 % interval of the difference of the two means. 0 if neither varies. */
double welch_margin(uint64_t count_a, double variance_a, uint64_t count_b, double variance_b);

#endif
