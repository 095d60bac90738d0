/* SPDX-License-Identifier: MIT */
/*
 * A log-linear histogram of durations: 32 linear buckets in every power of two, so a percentile
 * read back from a bucket's middle is within 1.6 % of the sample it stands for.
 */
#ifndef KTIME_REPORT_SESSION_HISTOGRAM_H
#define KTIME_REPORT_SESSION_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_LINEAR_BITS 5
/* Values up to 2^42 ns (73 minutes) have a bucket of their own; longer ones share the last. */
#define HISTOGRAM_TOP_BIT     42
#define HISTOGRAM_BUCKETS                                                                          \
	(((HISTOGRAM_TOP_BIT - HISTOGRAM_LINEAR_BITS) + 1) << HISTOGRAM_LINEAR_BITS)

/* Durations of one kernel lie in few buckets: what has no group with a count need not be read. */
#define HISTOGRAM_GROUP	  16 /* buckets */
#define HISTOGRAM_GROUPS  (HISTOGRAM_BUCKETS / HISTOGRAM_GROUP)

#define HISTOGRAM_VERSION 1 /* of the structure and of the buckets' bounds */
struct histogram {
	uint64_t used[2]; /* a bit for each group of buckets: 0 if all of them are 0 */
	uint64_t reserved[6];
	uint32_t buckets[HISTOGRAM_BUCKETS]; /* counts saturate, they never wrap */
};

/* The bucket that a value (nanoseconds) falls into. */
unsigned histogram_bucket(uint64_t value);
/* The lowest value of a bucket, and the first value beyond it. */
uint64_t histogram_bucket_low(unsigned bucket);
uint64_t histogram_bucket_high(unsigned bucket);

void histogram_add(struct histogram *histogram, uint64_t value);
/* Adds a value once for each of `calls` calls. */
void histogram_add_calls(struct histogram *histogram, uint64_t value, uint32_t calls);
/* Adds another histogram's samples; NULL has none. */
void histogram_merge(struct histogram *histogram, const struct histogram *added);
uint64_t histogram_count(const struct histogram *histogram);
/* The value below which `fraction` (0 to 1) of the samples lie; 0 for an empty histogram. */
uint64_t histogram_percentile(const struct histogram *histogram, double fraction);
/* What is known of a histogram's samples exactly. */
struct samples {
	uint64_t count, total; /* total: 0 if it is not known */
	uint64_t minimum, maximum;
};
/* The same, never outside of the extremes, and exact where they and the total tell it: of the least
 * and the most, of up to three samples, of which two have their mean as the median. Where all share
 * a bucket it is their mean. `exact` may be NULL. */
uint64_t histogram_percentile_of(const struct histogram *histogram, double fraction,
				 const struct samples *known, bool *exact);

#endif
