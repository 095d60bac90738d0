/* SPDX-License-Identifier: MIT */
#include "report/session/estimate.h"

#include <math.h>
#include <stdbool.h>

#define NORMAL_95	   1.959964 /* standard deviations on either side of the mean */
/* Neighbouring stretches with fewer timed calls are taken together: their variance would say
 * little. Chosen with `make coverage`. */
#define LEAST_GROUP	   6
/*
 * By how much the mean of an operation may differ between windows and a run in which all are
 * recorded, however many windows there are, as recording changes how closely operations follow each
 * other: -11 to +13 ns in fourteen pairs of runs, where the windows alone said +-2 to +-10 ns
 * (H200, CUPTI 13.0; docs/accuracy.md). This is half of the 32 ns that CUPTI's times are multiples
 * of.
 */
#define UNRECORDED_CALL_NS 16.0

double sample_variance(uint64_t count, double total, double squares)
{
	double distances;

	if (count < 2)
		return 0;
	distances = squares - total * total / (double)count;
	return distances > 0 ? distances / (double)(count - 1) : 0;
}

static void stratum_add(struct stratum *sum, const struct stratum *added)
{
	sum->calls += added->calls;
	sum->spread += added->spread;
	sum->weight += added->weight;
	sum->weight_squares += added->weight_squares;
	sum->total += added->total;
	sum->squares += added->squares;
	sum->timed += added->timed;
}

void estimate_halve(struct estimate *estimate)
{
	struct stratum *strata = estimate->strata;

	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		struct stratum both = {0};

		if (2 * i < ESTIMATE_STRATA) {
			stratum_add(&both, &strata[2 * i]);
			stratum_add(&both, &strata[2 * i + 1]);
		}
		strata[i] = both;
	}
	estimate->shift++;
}

static unsigned stretch_of(const struct estimate *estimate, uint64_t place)
{
	uint64_t stretch = place >> estimate->shift % 64;

	return stretch < ESTIMATE_STRATA ? (unsigned)stretch : ESTIMATE_STRATA - 1;
}

uint64_t estimate_call(struct estimate *estimate, double weight)
{
	/* Another process may have written to the file. */
	uint64_t place = estimate->position < 0x1p62 ? (uint64_t)estimate->position : 0;
	struct stratum *stratum;

	while (estimate->shift < 63 && place >> estimate->shift >= ESTIMATE_STRATA)
		estimate_halve(estimate);
	stratum = &estimate->strata[stretch_of(estimate, place)];
	stratum->calls += weight;
	stratum->spread += weight * (weight - 1);
	estimate->position += weight;
	return place;
}

uint64_t estimate_sized_call(struct estimate *estimate, uint64_t bytes)
{
	unsigned size_class = bytes ? 63 - (unsigned)__builtin_clzll(bytes) : 0;

	if (size_class >= ESTIMATE_STRATA)
		size_class = ESTIMATE_STRATA - 1;
	estimate->by_size = 1;
	estimate->strata[size_class].calls++;
	return size_class;
}

void estimate_timed(struct estimate *estimate, uint64_t place, double weight, uint64_t nanoseconds)
{
	unsigned index = estimate->by_size ? (unsigned)(place % ESTIMATE_STRATA)
					   : stretch_of(estimate, place);
	struct stratum *stratum = &estimate->strata[index];
	double value = (double)nanoseconds;

	stratum->weight += weight;
	stratum->weight_squares += weight * weight;
	stratum->total += weight * value;
	stratum->squares += weight * value * value;
	stratum->timed++;
}

void estimate_forget_timed(struct estimate *estimate)
{
	estimate->fraction = 0;
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		struct stratum *stratum = &estimate->strata[i];

		*stratum = (struct stratum){.calls = stratum->calls, .spread = stratum->spread};
	}
}

uint32_t estimate_whole_calls(struct estimate *estimate, double weight)
{
	double calls = weight + estimate->fraction;
	uint32_t whole = calls < UINT32_MAX ? (uint32_t)calls : UINT32_MAX;

	estimate->fraction = calls < UINT32_MAX ? calls - whole : 0;
	return whole;
}

void estimate_take_off(struct estimate *estimate, double nanoseconds)
{
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		struct stratum *stratum = &estimate->strata[i];

		stratum->squares +=
			nanoseconds * (nanoseconds * stratum->weight - 2 * stratum->total);
		stratum->total -= nanoseconds * stratum->weight;
	}
}

/* Strata that are taken together, and the calls between them and the group before. */
struct group {
	struct stratum sum;
	double mean, variance; /* of one call; the variance is of n - 1 */
	double gap;	       /* calls between the group before and this one: none was timed */
	double calls;	       /* for which its mean stands: its own, and its part of the gaps */
};

struct groups {
	struct group group[ESTIMATE_STRATA];
	unsigned count;
	bool by_size;
	double untimed;	 /* calls of strata without times */
	double last_gap; /* calls after the last group */
	double mean;	 /* of all calls */
	double calls;	 /* of all groups and gaps */
	uint64_t timed;
	double weight, weight_squares; /* sums over the timed calls */
	double pooled;		       /* variance of one call within its group */
};

static void group_strata(struct groups *groups, const struct estimate *estimate)
{
	struct group *last = NULL;
	double gap = 0;

	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		const struct stratum *stratum = &estimate->strata[i];

		if (!(stratum->calls > 0))
			continue;
		if (!stratum->timed) {
			gap += stratum->calls;
			groups->untimed += stratum->calls;
			continue;
		}
		if (!last || gap > 0 || groups->by_size || last->sum.timed >= LEAST_GROUP) {
			last = &groups->group[groups->count++];
			*last = (struct group){.gap = gap};
			gap = 0;
		}
		stratum_add(&last->sum, stratum);
	}
	groups->last_gap = gap;
	if (groups->count > 1 && !groups->by_size && last->sum.timed < LEAST_GROUP &&
	    !(last->gap > 0)) {
		stratum_add(&last[-1].sum, &last->sum);
		groups->count--;
	}
}

/* Means and variances of the groups, and of all calls. */
static void average(struct groups *groups)
{
	double total = 0, within = 0;
	uint64_t freedom = 0;

	for (unsigned i = 0; i < groups->count; i++) {
		struct group *group = &groups->group[i];
		const struct stratum *sum = &group->sum;
		double after = i + 1 < groups->count ? group[1].gap / 2 : groups->last_gap;
		double before = i > 0 ? group->gap / 2 : group->gap;
		double variance;

		group->mean = sum->total / sum->weight;
		group->calls = sum->calls + before + after;
		variance = sum->squares / sum->weight - group->mean * group->mean;
		/* What rounding leaves of equal durations is none. */
		if (sum->timed > 1 && variance > 1e-9 * group->mean * group->mean)
			group->variance = variance * (double)sum->timed / (double)(sum->timed - 1);
		within += group->variance * (double)(sum->timed - 1);
		freedom += sum->timed - 1;
		total += group->calls * group->mean;
		groups->calls += group->calls;
		groups->timed += sum->timed;
		groups->weight += sum->weight;
		groups->weight_squares += sum->weight_squares;
	}
	groups->mean = total / groups->calls;
	groups->pooled = freedom ? within / (double)freedom : 0;
}

/* By how much the means of two neighbours differ, squared, less what chance makes them differ. */
static double jump_between(const struct groups *groups, const struct group *left,
			   const struct group *right)
{
	double difference = left->mean - right->mean;
	double squared = difference * difference - groups->pooled * (1 / (double)left->sum.timed +
								     1 / (double)right->sum.timed);

	return squared > 0 ? squared : 0;
}

/* The variance of the total by what the calls that are missing may differ from their neighbours:
 * the duration may change anywhere between the two. */
static double variance_of_gaps(const struct groups *groups)
{
	double sum = 0, jumps = 0, ends;

	for (unsigned i = 1; i < groups->count; i++) {
		const struct group *left = &groups->group[i - 1], *right = &groups->group[i];
		double missing = right->gap + (left->sum.calls - left->sum.weight) / 2 +
				 (right->sum.calls - right->sum.weight) / 2;
		double jump = jump_between(groups, left, right);

		sum += missing * missing * jump / 12;
		jumps += jump;
	}
	/* Before the first group and after the last there is a neighbour on one side only. */
	ends = groups->count > 1 ? jumps / (groups->count - 1) : 0;
	sum += ends * groups->group[0].gap * groups->group[0].gap;
	sum += ends * groups->last_gap * groups->last_gap;
	return sum;
}

/* Abramowitz and Stegun, 26.7.5. */
double estimate_student_95(double freedom)
{
	const double z = NORMAL_95, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	if (freedom < 3)
		freedom = 3;
	return z + (z3 + z) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

static double interval(const struct groups *groups, double *freedom)
{
	double sum = 0, spread = 0, within = 0;

	for (unsigned i = 0; i < groups->count; i++) {
		const struct group *group = &groups->group[i];
		const struct stratum *part = &group->sum;
		double distance = group->mean - groups->mean;
		double left_out = 1 - (double)part->timed / group->calls;
		double variance = part->timed > 1 ? group->variance : groups->pooled;

		if (left_out > 0)
			variance *= group->calls * group->calls * left_out * part->weight_squares /
				    (part->weight * part->weight);
		else
			variance = 0;
		sum += variance;
		/* Satterthwaite: the degrees of freedom of a sum of variances. */
		within += variance * variance / (double)(part->timed > 1 ? part->timed - 1 : 1);
		spread += part->spread * distance * distance;
	}
	sum += spread;
	within += spread * spread / (double)(groups->timed - 1);
	sum += variance_of_gaps(groups);
	*freedom = within > 0 ? sum * sum / within : INFINITY;
	return sum;
}

struct estimated estimate_of(const struct estimate *estimate, uint64_t calls)
{
	struct groups groups = {.by_size = estimate->by_size};
	struct estimated estimated = {0};
	double scale, variance, freedom, mean_square,
		squares = 0, standard_error = estimate->standard_error * (double)calls;

	group_strata(&groups, estimate);
	if (!groups.count) {
		estimated.error = NAN;
		return estimated;
	}
	average(&groups);
	/* Of calls that are shorter than the overhead that was taken off nothing may be left. */
	estimated.total = groups.mean > 0 ? groups.mean * (double)calls : 0;
	for (unsigned i = 0; i < groups.count; i++)
		squares += groups.group[i].calls * groups.group[i].sum.squares /
			   groups.group[i].sum.weight;
	estimated.squares = squares / groups.calls * (double)calls;
	estimated.error = NORMAL_95 * standard_error;
	if (groups.timed >= calls)
		return estimated;
	/* Kish's effective sample size: calls of unequal weights say less. Of copies of another
	 * size nothing is known. */
	if (groups.weight * groups.weight < ESTIMATE_LEAST_TIMED * groups.weight_squares ||
	    (groups.by_size && groups.untimed > 0)) {
		estimated.error = NAN;
		return estimated;
	}
	scale = (double)calls / groups.calls;
	variance = interval(&groups, &freedom) * scale * scale;
	/* By chance none of the last calls was drawn. */
	if ((double)calls > groups.calls) {
		mean_square = estimated.squares / (double)calls - groups.mean * groups.mean;
		if (mean_square > 1e-9 * groups.mean * groups.mean)
			variance += ((double)calls - groups.calls) * mean_square;
	}
	estimated.error = sqrt(estimated.error * estimated.error +
			       pow(estimate_student_95(freedom), 2) * variance);
	return estimated;
}

struct estimated window_estimate_of(const struct row *row, uint64_t calls)
{
	struct estimated estimated = {.total = row->windows_total, .error = row->windows_error};
	const struct figures *figures = row->cupti.count > 0 ? &row->cupti : &row->events;
	double unrecorded = calls > figures->count ? (double)(calls - figures->count) : 0;

	/* The sum of several processes has it already. */
	if (row->windows_total > 0 && !row->summed)
		estimated.error =
			sqrt(pow(estimated.error, 2) + pow(unrecorded * UNRECORDED_CALL_NS, 2));
	if (figures->count > 0)
		estimated.squares = figures->squares * (double)calls / (double)figures->count;
	return estimated;
}
