/* SPDX-License-Identifier: MIT */
/* Welch's t-test: whether the means of two samples differ by more than chance. It does not ask for
 * equal variances. Samples have two values and more. */
#ifndef KTIME_REPORT_COMPARE_WELCH_H
#define KTIME_REPORT_COMPARE_WELCH_H

#include <stdint.h>

struct sample {
	uint64_t count;
	double mean, squares; /* of the distances from the mean (Welford) */
	double least, most;
};
void sample_add(struct sample *sample, double value);
/* The standard deviation; NAN of one value. */
double sample_deviation(const struct sample *sample);

/*
 * The probability that a difference as large as that of the two means comes from chance alone.
 * 0 if the means differ and neither varies.
 */
double welch_probability(const struct sample *a, const struct sample *b);

/* Half of the 95 % interval of the difference of the two means. 0 if neither varies. */
double welch_margin(const struct sample *a, const struct sample *b);

#endif
