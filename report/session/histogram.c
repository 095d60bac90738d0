/* SPDX-License-Identifier: MIT */
#include "report/session/histogram.h"

#include <math.h>

#define LINEAR_BUCKETS (1U << HISTOGRAM_LINEAR_BITS)

/*
 * Values below 32 have a bucket each. Above, a value whose top bit is `bit` falls into one of the
 * 32 equal parts of [2^bit, 2^(bit + 1)): group bit - 4 of the array, the part by the five bits
 * below the top one.
 */
unsigned histogram_bucket(uint64_t value)
{
	unsigned bit, shift;

	if (value < LINEAR_BUCKETS)
		return (unsigned)value;
	if (value >> HISTOGRAM_TOP_BIT)
		return HISTOGRAM_BUCKETS - 1;
	bit = 63 - (unsigned)__builtin_clzll(value);
	shift = bit - HISTOGRAM_LINEAR_BITS;
	return ((shift + 1) << HISTOGRAM_LINEAR_BITS) +
	       ((unsigned)(value >> shift) & (LINEAR_BUCKETS - 1));
}

uint64_t histogram_bucket_low(unsigned bucket)
{
	unsigned group = bucket >> HISTOGRAM_LINEAR_BITS;
	uint64_t part = bucket & (LINEAR_BUCKETS - 1);

	if (group == 0)
		return part;
	return (LINEAR_BUCKETS + part) << (group - 1);
}

uint64_t histogram_bucket_high(unsigned bucket)
{
	return histogram_bucket_low(bucket + 1);
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram_add_calls(histogram, value, 1);
}

static void add_to_bucket(uint32_t *count, uint32_t calls)
{
	if (__builtin_add_overflow(*count, calls, count))
		*count = UINT32_MAX;
}

void histogram_add_calls(struct histogram *histogram, uint64_t value, uint32_t calls)
{
	unsigned bucket = histogram_bucket(value), group = bucket / HISTOGRAM_GROUP;

	/* First, for who reads meanwhile. */
	histogram->used[group / 64] |= 1ULL << group % 64;
	add_to_bucket(&histogram->buckets[bucket], calls);
}

void histogram_merge(struct histogram *histogram, const struct histogram *added)
{
	for (unsigned group = 0; added && group < HISTOGRAM_GROUPS; group++) {
		const unsigned first = group * HISTOGRAM_GROUP;

		if (!(added->used[group / 64] >> group % 64 & 1))
			continue;
		histogram->used[group / 64] |= 1ULL << group % 64;
		for (unsigned i = first; i < first + HISTOGRAM_GROUP; i++)
			add_to_bucket(&histogram->buckets[i], added->buckets[i]);
	}
}

uint64_t histogram_count(const struct histogram *histogram)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		count += histogram->buckets[i];
	return count;
}

uint64_t histogram_percentile(const struct histogram *histogram, double fraction)
{
	uint64_t count = histogram_count(histogram), seen = 0;
	/* The nearest rank: the smallest sample with at least `fraction` of all at or below it. */
	double wanted = ceil(fraction * (double)count);
	uint64_t rank = wanted >= (double)count ? count : wanted > 1 ? (uint64_t)wanted : 1;
	unsigned i;

	if (count == 0)
		return 0;
	for (i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		seen += histogram->buckets[i];
		if (seen >= rank)
			break;
	}
	/* The middle of the values that share the bucket. */
	return (histogram_bucket_low(i) + histogram_bucket_high(i) - 1) / 2;
}

uint64_t histogram_percentile_within(const struct histogram *histogram, double fraction,
				     uint64_t minimum, uint64_t maximum)
{
	uint64_t value = histogram_percentile(histogram, fraction);

	if (value < minimum)
		return minimum;
	return value < maximum ? value : maximum;
}
