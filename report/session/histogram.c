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

/* The nearest rank, from 1: of the smallest sample with at least `fraction` of all at or below it.
 */
static uint64_t rank_of(uint64_t count, double fraction)
{
	double wanted = ceil(fraction * (double)count);

	return wanted >= (double)count ? count : wanted > 1 ? (uint64_t)wanted : 1;
}

uint64_t histogram_percentile(const struct histogram *histogram, double fraction)
{
	uint64_t count = histogram_count(histogram), seen = 0, rank = rank_of(count, fraction);
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

uint64_t histogram_percentile_of(const struct histogram *histogram, double fraction,
				 const struct samples *known, bool *exact)
{
	const uint64_t count = known->count, total = known->total, rank = rank_of(count, fraction),
		       extremes = known->minimum + known->maximum;
	/* Of a part of them alone, or of a sample, the histogram has another number. */
	bool all = count > 0 && histogram_count(histogram) == count, is_exact = true;
	uint64_t value;

	if (all && count == 2 && fraction <= 0.5 && fraction >= 0.5)
		value = extremes / 2;
	else if (all && rank == count)
		value = known->maximum;
	else if (all && rank == 1)
		value = known->minimum;
	else if (all && count == 3 && total > extremes)
		value = total - extremes;
	else if (all && total &&
		 histogram_bucket(known->minimum) == histogram_bucket(known->maximum))
		value = (total + count / 2) / count, is_exact = false;
	else
		value = histogram_percentile(histogram, fraction), is_exact = false;
	/* A bucket that one of the extremes lies in stands for what is within them. */
	if (value <= known->minimum || value >= known->maximum) {
		value = value <= known->minimum ? known->minimum : known->maximum;
		is_exact = true;
	}
	if (exact)
		*exact = is_exact;
	return value;
}
