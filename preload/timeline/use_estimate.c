/* SPDX-License-Identifier: MIT */
#include "preload/timeline/use_estimate.h"

#include <math.h>

/* The end of the first class of ages, and how many times as old each next one is, as a shift. */
#define FIRST_AGE_NS 4096u
#define AGE_SHIFT    2
/* How exact the best estimate is taken to be, as a part of the time that it is of: the clocks of
 * device and host, and what recording adds to a window's launches. Chosen. */
#define LEAST_ERROR  0.001

static uint64_t smaller(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* Adds the time from `begin` to `end`, which began at `since` to be of its sort. */
static void add_aged(double sums[USE_AGES], uint64_t since, uint64_t begin, uint64_t end)
{
	uint64_t limit = since + FIRST_AGE_NS;

	for (unsigned age = 0; age < USE_AGES && begin < end; age++) {
		uint64_t until = age + 1 < USE_AGES ? smaller(limit, end) : end;

		if (until > begin) {
			sums[age] += (double)(until - begin);
			begin = until;
		}
		limit = since + ((limit - since) << AGE_SHIFT);
	}
}

void use_add_time(double sums[USE_STRATA], const struct use_period *period, uint64_t from,
		  uint64_t until)
{
	uint64_t begin = from > period->begin ? from : period->begin;
	uint64_t end = smaller(until, period->end), waited = smaller(period->waited, end);

	add_aged(sums, period->begin, begin, waited);
	add_aged(sums + USE_AGES, waited, begin > waited ? begin : waited, end);
}

/* What windows have seen without those of one group: the lengths, and for each sort of which
 * nothing was seen the one that it is taken to be like. */
struct sample {
	unsigned left_out; /* USE_GROUPS: none */
	double seen[USE_STRATA];
	unsigned like[USE_STRATA];
};

static double without(const double seen[USE_GROUPS][USE_STRATA], unsigned stratum,
		      unsigned left_out)
{
	double sum = 0;

	for (unsigned group = 0; group < USE_GROUPS; group++)
		sum += group == left_out ? 0 : seen[group][stratum];
	return sum;
}

/* The next younger sort, as a device that had nothing to do goes on so; else the next older one;
 * else one of the others. USE_STRATA: nothing was seen at all. */
static unsigned nearest(const double seen[USE_STRATA], unsigned stratum)
{
	const unsigned first = stratum / USE_AGES * USE_AGES;

	for (unsigned i = stratum + 1; i-- > first;)
		if (seen[i] > 0)
			return i;
	for (unsigned i = stratum + 1; i < first + USE_AGES; i++)
		if (seen[i] > 0)
			return i;
	for (unsigned i = 0; i < USE_STRATA; i++)
		if (seen[i] > 0)
			return i;
	return USE_STRATA;
}

static bool sample_make(struct sample *sample, const struct use_whole *whole, unsigned left_out)
{
	sample->left_out = left_out;
	for (unsigned i = 0; i < USE_STRATA; i++)
		sample->seen[i] = without(whole->seen, i, left_out);
	for (unsigned i = 0; i < USE_STRATA; i++)
		sample->like[i] = nearest(sample->seen, i);
	return sample->like[0] < USE_STRATA;
}

static double share_of(const struct sample *sample, const struct use_part *part, unsigned stratum)
{
	return without(part->seen, stratum, sample->left_out) / sample->seen[stratum];
}

static double total_of(const struct sample *sample, const struct use_whole *whole,
		       const struct use_part *part)
{
	double total = 0;

	for (unsigned i = 0; i < USE_STRATA; i++)
		if (whole->whole[i] > 0)
			total += whole->whole[i] * share_of(sample, part, sample->like[i]);
	return total;
}

/* By how much a part may be off as nothing was seen of some sorts. A device may have become idle
 * that was busy with the work that it had got; one that was waited for stays idle. */
static double unseen(const struct sample *sample, const struct use_whole *whole,
		     const struct use_part *part, const struct use_part *busy)
{
	double sum = 0;

	for (unsigned i = 0; i < USE_STRATA; i++) {
		unsigned like = sample->like[i];
		double share, most;

		if (!(whole->whole[i] > 0) || like == i)
			continue;
		share = share_of(sample, part, like);
		most = share < 0.5 ? share : 1 - share;
		if (i < USE_AGES && most < share_of(sample, busy, like))
			most = share_of(sample, busy, like);
		sum += whole->whole[i] * (i / USE_AGES == like / USE_AGES ? most : 1);
	}
	return sum;
}

struct estimated use_estimate(const struct use_whole *whole, const struct use_part *part,
			      const struct use_part *busy)
{
	unsigned groups = whole->windows < USE_GROUPS ? whole->windows : USE_GROUPS;
	struct estimated estimated = {.error = NAN};
	struct sample sample;
	double all = 0, mean = 0, squares = 0, totals[USE_GROUPS];

	if (whole->windows < USE_LEAST_WINDOWS || !sample_make(&sample, whole, USE_GROUPS))
		return estimated;
	estimated.total = total_of(&sample, whole, part);
	estimated.error = unseen(&sample, whole, part, busy);
	for (unsigned i = 0; i < USE_STRATA; i++)
		all += whole->whole[i];
	for (unsigned group = 0; group < groups; group++) {
		/* One group alone saw anything. */
		if (!sample_make(&sample, whole, group)) {
			estimated.error = NAN;
			return estimated;
		}
		totals[group] = total_of(&sample, whole, part);
		mean += totals[group] / groups;
	}
	for (unsigned group = 0; group < groups; group++)
		squares += (totals[group] - mean) * (totals[group] - mean);
	squares *= (double)(groups - 1) / groups;
	estimated.error += estimate_student_95(groups - 1) * sqrt(squares) + LEAST_ERROR * all;
	return estimated;
}
