/* SPDX-License-Identifier: MIT */
#include "report/session/estimate.h"

#include <math.h>
#include <stdbool.h>

#include "report/session/layout.h"

#define NORMAL_95	   1.959964 /* standard deviations on either side of the mean */
/* Neighbouring stretches with fewer timed calls are taken together: their variance would say
 * little. Chosen with `make coverage`. */
#define LEAST_GROUP	   6
/* The part of all calls that may be without times at the ends of a run, where nothing tells how
 * they differ from the others. Chosen. */
#define MOST_AT_ENDS	   0.1
/* The most that skewed durations add, in halves of an interval. Chosen. */
#define MOST_SKEW	   1.0
/*
 * By how much the mean of an operation may differ between windows and a run in which all are
 * recorded, however many windows there are, as recording changes how closely operations follow each
 * other: -11 to +13 ns in fourteen pairs of runs, where the windows alone said +-2 to +-10 ns
 * (H200, CUPTI 13.0; docs/internals/accuracy.md). This is half of the 32 ns that CUPTI's times are
 * multiples of.
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
	figures_merge(figures_of(SCOPE_STRATUM), sum, added);
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

/* The place as a number; 0 if another process has written to the file what cannot be one. */
static uint64_t place_of(double at)
{
	return at > 0 && at < 0x1p62 ? (uint64_t)at : 0;
}

static unsigned stretch_of(const struct estimate *estimate, uint64_t place)
{
	uint64_t stretch = place >> estimate->shift % 64;

	return stretch < ESTIMATE_STRATA ? (unsigned)stretch : ESTIMATE_STRATA - 1;
}

/* Adds the calls after the last position, up to number `calls`, to the stretches that they are in.
 */
static void count_calls(struct estimate *estimate, double calls)
{
	double from = estimate->position;

	for (unsigned i = stretch_of(estimate, place_of(from)); i < ESTIMATE_STRATA && from < calls;
	     i++) {
		double end = (i + 1) * (double)(UINT64_C(1) << estimate->shift % 64);

		if (end > calls || i + 1 == ESTIMATE_STRATA)
			end = calls;
		if (end <= from)
			continue;
		estimate->strata[i].calls += end - from;
		from = end;
	}
	estimate->position = from;
}

/* Adds a drawn call at place `at`, and counts all calls up to number `calls`. */
static uint64_t add_call(struct estimate *estimate, double at, double calls, double weight)
{
	uint64_t place = place_of(at);

	while (estimate->shift < 63 &&
	       calls > ESTIMATE_STRATA * (double)(UINT64_C(1) << estimate->shift))
		estimate_halve(estimate);
	count_calls(estimate, calls);
	estimate->strata[stretch_of(estimate, place)].drawn += weight;
	return place;
}

uint64_t estimate_call_at(struct estimate *estimate, double calls, double weight)
{
	return add_call(estimate, calls - 1, calls, weight);
}

uint64_t estimate_call(struct estimate *estimate, double weight)
{
	double before = estimate->position;

	return add_call(estimate, before + (weight - 1) / 2, before + weight, weight);
}

void estimate_sized_calls(struct estimate *estimate, unsigned size_class, uint64_t calls)
{
	estimate->by_size = 1;
	estimate->strata[size_class].calls += (double)calls;
}

uint64_t estimate_sized_call(struct estimate *estimate, uint64_t bytes)
{
	unsigned size_class = estimate_size_class(bytes);

	estimate_sized_calls(estimate, size_class, 1);
	return size_class;
}

void estimate_timed(struct estimate *estimate, uint64_t place, double weight, uint64_t nanoseconds)
{
	unsigned index = estimate->by_size ? (unsigned)(place % ESTIMATE_STRATA)
					   : stretch_of(estimate, place);
	struct stratum *stratum = &estimate->strata[index];
	double value = (double)nanoseconds, excess;

	/* The second duration says nothing of the skew: it is as far above the mean of the two as
	 * the first is below, or the reverse. */
	if (stratum->timed > 1) {
		excess = value - stratum->total / stratum->weight;
		estimate->cubes += weight * weight * (weight - 1) * excess * excess * excess;
	}
	stratum->weight += weight;
	stratum->weight_squares += weight * weight;
	stratum->total += weight * value;
	stratum->squares += weight * value * value;
	stratum->timed++;
}

void estimate_forget_timed(struct estimate *estimate)
{
	estimate->fraction = estimate->cubes = 0;
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		struct stratum *stratum = &estimate->strata[i];

		*stratum = (struct stratum){.calls = stratum->calls, .drawn = stratum->drawn};
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

/* Neighbouring strata with one mean, and the gap: the calls between the group before and this one,
 * of which none was timed. */
struct group {
	struct stratum sum;
	double mean, variance; /* of one call; the variance is of n - 1 */
	double gap;	       /* calls in the gap */
	bool lost;	       /* some calls in the gap were to be timed */
	double calls; /* that its mean stands for: its own, and its part of the gaps beside it */
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

/* Makes the calls of a gap part of a group if it may be by chance that none of them was drawn. In a
 * longer gap no draw was made, as the ring of call records was full. */
static void absorb(struct group *group, double *gap)
{
	if (*gap * (double)group->sum.timed >= LEAST_GROUP * group->sum.weight)
		return;
	group->sum.calls += *gap;
	*gap = 0;
}

static double mean_weight(const struct group *group)
{
	return group->sum.weight / (double)group->sum.timed;
}

/* Makes gaps that chance explains part of a group beside them, and a last group with few timed
 * calls part of the group before. */
static void close_gaps(struct groups *groups, bool last_lost)
{
	struct group *first = groups->group, *last = first + groups->count - 1;

	if (!first->lost)
		absorb(first, &first->gap);
	/* Where the chance to be timed has changed, a gap belongs to the group with the lower one.
	 */
	for (struct group *group = first + 1; group <= last; group++) {
		if (group->lost)
			continue;
		if (mean_weight(group) > 2 * mean_weight(group - 1))
			absorb(group, &group->gap);
		else if (mean_weight(group - 1) > 2 * mean_weight(group))
			absorb(group - 1, &group->gap);
	}
	if (!last_lost)
		absorb(last, &groups->last_gap);
	if (last == first || last->sum.timed >= LEAST_GROUP)
		return;
	if (!last->lost)
		absorb(last - 1, &last->gap);
	if (last->gap > 0)
		return;
	stratum_add(&last[-1].sum, &last->sum);
	groups->count--;
}

/* Puts the strata into groups. `after`: calls that came after those in the strata. */
static void group_strata(struct groups *groups, const struct estimate *estimate, double after)
{
	struct group *last = NULL;
	double gap = 0;
	bool lost = false;

	for (unsigned i = 0; i < ESTIMATE_STRATA; i++) {
		const struct stratum *stratum = &estimate->strata[i];

		if (!(stratum->calls > 0))
			continue;
		if (!stratum->timed) {
			gap += stratum->calls;
			groups->untimed += stratum->calls;
			lost |= stratum->drawn > 0;
			continue;
		}
		if (last && last->sum.timed < LEAST_GROUP && !lost && !groups->by_size)
			absorb(last, &gap);
		if (!last || gap > 0 || groups->by_size || last->sum.timed >= LEAST_GROUP) {
			last = &groups->group[groups->count++];
			*last = (struct group){.gap = gap, .lost = lost};
			gap = 0;
			lost = false;
		}
		stratum_add(&last->sum, stratum);
	}
	groups->last_gap = gap + after;
	if (last && !groups->by_size)
		close_gaps(groups, lost);
}

/* Computes the means and variances of the groups, and the mean of all calls. */
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
		/* Equal durations leave a tiny rest by rounding, which is no variance. */
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

/* The squared difference of two neighbours' means, less what chance alone would make of it. */
static double jump_between(const struct groups *groups, const struct group *left,
			   const struct group *right)
{
	double difference = left->mean - right->mean;
	double squared = difference * difference - groups->pooled * (1 / (double)left->sum.timed +
								     1 / (double)right->sum.timed);

	return squared > 0 ? squared : 0;
}

/* How many calls of a group those stand for that were drawn and never timed. */
static double missing_in(const struct group *group)
{
	const struct stratum *sum = &group->sum;

	return sum->drawn > sum->weight ? sum->calls * (1 - sum->weight / sum->drawn) : 0;
}

/*
 * The variance of the total that comes from calls without a time: those of the gaps, and those that
 * were drawn and never timed. Between two groups the duration may change at any moment from one
 * mean to the other, or deviate from both by as much as other neighbours differ.
 */
static double variance_of_gaps(const struct groups *groups)
{
	double sum = 0, jumps = 0;

	for (unsigned i = 1; i < groups->count; i++)
		jumps += jump_between(groups, &groups->group[i - 1], &groups->group[i]);
	for (unsigned i = 1; i < groups->count; i++) {
		const struct group *left = &groups->group[i - 1], *right = &groups->group[i];
		double missing = right->gap + (missing_in(left) + missing_in(right)) / 2;
		double jump = jump_between(groups, left, right);
		double others = groups->count > 2 ? (jumps - jump) / (groups->count - 2) : 0;

		sum += missing * missing * (jump / 12 > others / 2 ? jump / 12 : others / 2);
	}
	/* The gaps before the first group and after the last have a neighbour on one side only:
	 * their mean may be anything up to twice the mean of all. */
	return sum + (pow(groups->group[0].gap, 2) + pow(groups->last_gap, 2)) * groups->mean *
			     groups->mean / 3;
}

/* Formula 26.7.5 of Abramowitz and Stegun, Handbook of Mathematical Functions. */
double estimate_student_95(double freedom)
{
	const double z = NORMAL_95, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	RAISE(freedom, 3);
	return z + (z3 + z) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

static double interval(const struct groups *groups, double *freedom)
{
	double sum = 0, within = 0;

	for (unsigned i = 0; i < groups->count; i++) {
		const struct group *group = &groups->group[i];
		const struct stratum *part = &group->sum;
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
	}
	sum += variance_of_gaps(groups);
	*freedom = within > 0 ? sum * sum / within : INFINITY;
	return sum;
}

/*
 * By how much the interval of a total with this variance widens, as durations are skewed: a sample
 * that happens to have few of rare long calls makes both the total and its variance too small. So
 * the variance is taken at the interval's end, towards which it grows by the third moment, as
 * Wilson's interval of a proportion does.
 */
static double skew_of(const struct estimate *estimate, double variance, double quantile)
{
	double skew = variance > 0
			      ? quantile * fabs(estimate->cubes) / (2 * variance * sqrt(variance))
			      : 0;

	skew = skew < MOST_SKEW ? skew : MOST_SKEW;
	return skew + sqrt(1 + skew * skew);
}

struct estimated estimate_of(const struct estimate *estimate, uint64_t calls)
{
	struct groups groups = {.by_size = estimate->by_size};
	struct estimated estimated = {0};
	double scale, variance, freedom, quantile,
		after = (double)calls, squares = 0,
		standard_error = estimate->standard_error * (double)calls;

	for (unsigned i = 0; i < ESTIMATE_STRATA; i++)
		after -= estimate->strata[i].calls;
	group_strata(&groups, estimate, !groups.by_size && after > 0 ? after : 0);
	if (!groups.count) {
		estimated.error = NAN;
		return estimated;
	}
	average(&groups);
	/* Calls may be shorter than the overhead that was subtracted: then the total is 0. */
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
	    (groups.by_size && groups.untimed > 0) ||
	    groups.group[0].gap + groups.last_gap > MOST_AT_ENDS * groups.calls) {
		estimated.error = NAN;
		return estimated;
	}
	scale = (double)calls / groups.calls;
	variance = interval(&groups, &freedom) * scale * scale;
	quantile = estimate_student_95(freedom);
	quantile *= skew_of(estimate, variance, quantile);
	estimated.error = sqrt(estimated.error * estimated.error + quantile * quantile * variance);
	return estimated;
}

void row_set_windows(struct row *row, double total, double error)
{
	figure_set(&row->windows_total, &row->known, TOTAL_KNOWN, total > 0 ? total : NAN);
	figure_set(&row->windows_error, &row->known, ERROR_KNOWN, error);
}

struct estimated window_estimate_of(const struct row *row, uint64_t calls)
{
	struct estimated estimated = {
		.total = row->windows_total,
		.error = figure_get(row->windows_error, row->known, ERROR_KNOWN)};
	const struct figures *figures = row->cupti.count > 0 ? &row->cupti : &row->events;
	double unrecorded = calls > figures->count ? (double)(calls - figures->count) : 0;

	/* The sum of several processes has it already. */
	if (row->known & TOTAL_KNOWN && !row->summed)
		estimated.error =
			sqrt(pow(estimated.error, 2) + pow(unrecorded * UNRECORDED_CALL_NS, 2));
	if (figures->count > 0)
		estimated.squares = figures->squares * (double)calls / (double)figures->count;
	return estimated;
}
