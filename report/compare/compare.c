/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/factors.h"
#include "report/compare/headline.h"
#include "report/compare/pair.h"
#include "report/compare/welch.h"

/* Comparisons with a verdict by chance, of all, and how they are shared out. */
#define CHANCE	     0.02
#define GPU_PART     0.7
#define API_PART     0.2
#define ALL_GPU_PART 0.1

/* Equal but for what other tools round. */
#define EQUAL	     1e-3

/* Logarithms of times: their noise is about the same in short rows and in long ones. */
static void add_time(struct sample *sample, double time)
{
	sample_add(sample, log(time > 0 ? time : NAN));
}

static const struct change no_change = {NAN, NAN, NAN, NAN};

static struct change compare_samples(const struct sample *a, const struct sample *b)
{
	double distance = b->mean - a->mean, margin;
	struct change change = no_change;

	if (!a->count || !b->count || isnan(distance))
		return change;
	change.ratio = exp(distance);
	if (a->count < 2 || b->count < 2)
		return change;
	change.probability = welch_probability(a, b);
	margin = welch_margin(a, b);
	change.low = exp(distance - margin);
	change.high = exp(distance + margin);
	return change;
}

/* Of each run, its average or its total. */
static struct sample runs_of(const struct profile_row *row, bool totals)
{
	struct sample sample = {0};

	for (size_t i = 0; i < row->run_count; i++)
		add_time(&sample, totals ? row->runs[i].total : row->runs[i].average);
	return sample;
}

/* The calls of a single run, which say nothing of the noise between runs. Its total varies as their
 * average does: how many there are is a fact. */
static struct sample calls_of(const struct profile_row *row, double time)
{
	double relative = row->variance / (row->average * row->average);

	return (struct sample){.count = row->timed,
			       .mean = log(time > 0 ? time : NAN),
			       .squares = relative * (double)(row->timed - 1)};
}

/* `chance`: at which probability a change counts. */
static enum verdict judge(const struct comparison *comparison, const struct change *change,
			  double chance)
{
	double limit = 1 + comparison->threshold;

	if (isnan(change->ratio))
		return VERDICT_CANNOT_TELL;
	if (change->probability <= chance && change_is_beyond(change, comparison->threshold))
		return change->ratio > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
	if (comparison_is_of_single_runs(comparison) && !change_is_beyond(change, EQUAL))
		return VERDICT_SAME;
	if (change->low >= 1 / limit && change->high <= limit)
		return comparison_is_of_single_runs(comparison) ? VERDICT_UNDER : VERDICT_SAME;
	return VERDICT_CANNOT_TELL;
}

static bool is_compared(const struct comparison_row *row)
{
	return row->a && row->b && row->a->run_count && row->b->run_count;
}

/* How a call's time changed, or that of all calls of a run. */
static struct change compare_times(const struct comparison *comparison,
				   const struct comparison_row *row, bool totals)
{
	const struct profile_row *a = row->a, *b = row->b;
	struct sample sample_a, sample_b;
	struct change change = no_change;

	if (comparison_is_of_single_runs(comparison)) {
		sample_a = calls_of(a, totals ? row->times[0] : a->average);
		sample_b = calls_of(b, totals ? row->times[1] : b->average);
		return compare_samples(&sample_a, &sample_b);
	}
	/* A run that did not time the row has a total, but not one that is known. */
	if (totals &&
	    (a->run_count != comparison->a->runs || b->run_count != comparison->b->runs)) {
		change.ratio = row->times[1] / row->times[0];
		return change;
	}
	sample_a = runs_of(a, totals);
	sample_b = runs_of(b, totals);
	return compare_samples(&sample_a, &sample_b);
}

/* Whether two changes are both beyond the threshold, and to the same side. */
static bool agree(const struct comparison *comparison, double ratio, double other)
{
	const struct change x = {.ratio = ratio}, y = {.ratio = other};

	return change_is_beyond(&x, comparison->threshold) &&
	       change_is_beyond(&y, comparison->threshold) && (ratio > 1) == (other > 1);
}

/* The verdict on a row's total, whose number of calls varies. */
static enum verdict judge_total_of(const struct comparison *comparison,
				   const struct comparison_row *row, double chance)
{
	enum verdict verdict = judge(comparison, &row->total, chance);

	/* What more or fewer calls of a single run change is no noise, however they differ. */
	if (verdict == VERDICT_CANNOT_TELL && comparison_is_of_single_runs(comparison) &&
	    agree(comparison, row->total.ratio, row->calls[1] / row->calls[0]))
		verdict = row->total.ratio > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
	if (verdict_is_of_speed(verdict))
		verdict = verdict == VERDICT_SLOWER ? VERDICT_MORE_TIME : VERDICT_LESS_TIME;
	return verdict;
}

/* A verdict on a call's time that what it moved explains: the time fell with the data, and GB/s
 * did not rise beyond the threshold; or the other way round. What a single run moved less or more
 * is no noise, however few calls there are. */
static enum verdict judge_data(const struct comparison *comparison,
			       const struct comparison_row *row, enum verdict verdict)
{
	const bool is_fact = verdict == VERDICT_CANNOT_TELL &&
			     comparison_is_of_single_runs(comparison) &&
			     change_is_beyond(&row->total, comparison->threshold);
	const bool more = is_fact ? row->total.ratio > 1 : verdict == VERDICT_SLOWER;
	const double sign = more ? 1 : -1, limit = log1p(comparison->threshold);
	struct factors factors;

	if (!(verdict_is_of_speed(verdict) || is_fact) || !factors_of(&factors, row) ||
	    sign * factors.of[FACTOR_DATA] <= limit || sign * factors.of[FACTOR_SPEED] > limit)
		return verdict;
	return more ? VERDICT_MORE_DATA : VERDICT_LESS_DATA;
}

static void judge_row(const struct comparison *comparison, struct comparison_row *row,
		      double chance)
{
	bool vary;

	row->average = row->total = no_change;
	row->change = row->times[1] - row->times[0];
	if (!row->a || !row->b) {
		row->verdict = row->a ? VERDICT_ONLY_A : VERDICT_ONLY_B;
		return;
	}
	if (!is_compared(row)) {
		row->verdict = VERDICT_UNTIMED;
		row->change = 0;
		return;
	}
	row->average = compare_times(comparison, row, false);
	row->total = compare_times(comparison, row, true);
	vary = comparison_calls_vary(comparison, row);
	/* Two tests share the row's chance. */
	if (vary)
		chance /= 2;
	row->verdict = judge(comparison, &row->average, chance);
	/* A call that takes longer makes the row slower only if the row takes longer. */
	if (vary && !(verdict_is_of_speed(row->verdict) &&
		      agree(comparison, row->average.ratio, row->total.ratio)))
		row->verdict = judge_total_of(comparison, row, chance);
	row->verdict = judge_data(comparison, row, row->verdict);
	/* The interval of the calls is not that of runs. */
	if (comparison_is_of_single_runs(comparison))
		row->average.low = row->average.high = row->total.low = row->total.high = NAN;
}

/* Both sides' time in a row that is compared: its weight. */
static double weight_of(const struct comparison_row *row)
{
	return is_compared(row) ? row->times[0] + row->times[1] : 0;
}

/* Judges the rows of one half, which share a part of the chance for a wrong verdict. */
static void judge_rows(const struct comparison *comparison, struct comparison_row *rows,
		       size_t count, double chance)
{
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += weight_of(&rows[i]);
	for (size_t i = 0; i < count; i++)
		judge_row(comparison, &rows[i], all > 0 ? chance * weight_of(&rows[i]) / all : 0);
}

/* Adds a row's times to each run's total. */
static void add_to_runs(double *totals, const struct profile_row *row)
{
	for (size_t i = 0; row && i < row->run_count; i++)
		totals[row->runs[i].run] += row->runs[i].total;
}

struct change change_between(const double *a, size_t count_a, const double *b, size_t count_b)
{
	struct sample sample_a = {0}, sample_b = {0};

	for (size_t i = 0; i < count_a; i++)
		add_time(&sample_a, a[i]);
	for (size_t i = 0; i < count_b; i++)
		add_time(&sample_b, b[i]);
	return compare_samples(&sample_a, &sample_b);
}

/*
 * All GPU activities. What one profile alone has the time of would make that profile's total longer
 * by all of it.
 */
static int judge_total(struct comparison *comparison)
{
	double *totals = calloc(comparison->a->runs + comparison->b->runs, sizeof(*totals));
	double *totals_b = totals + comparison->a->runs;

	if (!totals)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (row->verdict == VERDICT_UNTIMED)
			continue;
		comparison->gpu_a += row->times[0];
		comparison->gpu_b += row->times[1];
		add_to_runs(totals, row->a);
		add_to_runs(totals_b, row->b);
	}
	comparison->gpu =
		change_between(totals, comparison->a->runs, totals_b, comparison->b->runs);
	free(totals);
	comparison->gpu_verdict = judge(comparison, &comparison->gpu, CHANCE * ALL_GPU_PART);
	/* Of one run a side nothing says how sure the total is. */
	if (comparison_is_of_single_runs(comparison) && comparison->gpu_verdict != VERDICT_SAME &&
	    !isnan(comparison->gpu.ratio))
		comparison->gpu_verdict = !change_is_beyond(&comparison->gpu, comparison->threshold)
						  ? VERDICT_UNDER
					  : comparison->gpu.ratio > 1 ? VERDICT_SLOWER
								      : VERDICT_FASTER;
	return 0;
}

/* A side's mean; 0: not known of each run. */
static double mean_wall(const struct profile *side)
{
	double sum = 0;

	for (size_t i = 0; i < side->runs; i++) {
		if (!(side->walls[i] > 0))
			return 0;
		sum += side->walls[i];
	}
	return sum / (double)side->runs;
}

static void compare_walls(struct comparison *comparison)
{
	const struct profile *a = comparison->a, *b = comparison->b;

	comparison->wall_a = mean_wall(a);
	comparison->wall_b = mean_wall(b);
	comparison->wall = comparison->wall_a > 0 && comparison->wall_b > 0
				   ? change_between(a->walls, a->runs, b->walls, b->runs)
				   : no_change;
}

static int compare_parts(const void *left, const void *right)
{
	const struct part *x = left, *y = right;

	return IN_ORDER(fabs(y->change), fabs(x->change)) ?: strcmp(x->text, y->text);
}

/* The cause that has most of the change of idle time; NULL: several have it. */
static const char *most_of_idle(const struct idle_changes *idle)
{
	const struct idle_change *first = idle->changes;

	return idle->count && (first->b - first->a) / (idle->b - idle->a) >= 0.5 ? first->cause
										 : NULL;
}

/* False: they are not known, or do not add up. */
static bool take_parts(const struct comparison *comparison, bool is_b, double parts[PART_COUNT])
{
	const struct profile *side = is_b ? comparison->b : comparison->a;
	const double wall = is_b ? comparison->wall_b : comparison->wall_a;
	const double runs = (double)side->runs;

	parts[PART_IDLE] = is_b ? comparison->idle.b : comparison->idle.a;
	parts[PART_BUSY] = side->busy / runs;
	parts[PART_BEFORE] = side->before / runs;
	parts[PART_AFTER] = wall - parts[PART_BEFORE] - parts[PART_BUSY] - parts[PART_IDLE];
	return comparison->idle.known && side->busy_runs == side->runs && wall > 0 &&
	       parts[PART_AFTER] >= 0;
}

static void add_parts(struct comparison *comparison)
{
#define PART_TEXT(name, text) text,
	static const char *const texts[] = {PARTS(PART_TEXT)};
#undef PART_TEXT
	struct parts *parts = &comparison->parts;
	double a[PART_COUNT], b[PART_COUNT];

	if (!take_parts(comparison, false, a) || !take_parts(comparison, true, b))
		return;
	parts->known = true;
	parts->whole = comparison->wall_b - comparison->wall_a;
	for (unsigned i = 0; i < PART_COUNT; i++) {
		parts->parts[i] = (struct part){texts[i], i, NULL, a[i], b[i], b[i] - a[i]};
		parts->sum += fabs(b[i] - a[i]);
	}
	parts->parts[PART_IDLE].cause = most_of_idle(&comparison->idle);
	qsort(parts->parts, PART_COUNT, sizeof(*parts->parts), compare_parts);
}

static int compare_rows(const void *left, const void *right)
{
	const struct comparison_row *x = left, *y = right;

	return IN_ORDER(fabs(y->change), fabs(x->change))
		       ?: IN_ORDER(y->times[0], x->times[0])
		       ?: strcmp(comparison_name(x), comparison_name(y));
}

int compare_profiles(struct comparison *comparison, const struct profile *a,
		     const struct profile *b, double threshold)
{
	size_t api_count;
	int error;

	*comparison = (struct comparison){.a = a, .b = b};
	comparison->threshold = !isnan(threshold)			   ? threshold
				: comparison_is_of_single_runs(comparison) ? THRESHOLD_RUN
									   : THRESHOLD_RUNS;
	error = comparison_pair(comparison);
	if (error)
		goto fail;
	api_count = comparison->count - comparison->gpu_count;
	judge_rows(comparison, comparison->rows, comparison->gpu_count, CHANCE * GPU_PART);
	judge_rows(comparison, comparison->rows + comparison->gpu_count, api_count,
		   CHANCE * API_PART);
	for (size_t i = 0; i < comparison->count; i++)
		comparison->verdicts[i >= comparison->gpu_count][comparison->rows[i].verdict]++;
	error = judge_total(comparison);
	if (error)
		goto fail;
	compare_walls(comparison);
	error = idle_compare(&comparison->idle, a, b);
	if (error)
		goto fail;
	add_parts(comparison);
	qsort(comparison->rows, comparison->gpu_count, sizeof(*comparison->rows), compare_rows);
	qsort(comparison->rows + comparison->gpu_count, api_count, sizeof(*comparison->rows),
	      compare_rows);
	error = headline_make(comparison);
	if (!error)
		return 0;
fail:
	comparison_free(comparison);
	return error;
}

void comparison_free(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		free(comparison->rows[i].versions);
	free(comparison->rows);
	idle_free(&comparison->idle);
	free(comparison->headline);
	free(comparison->why);
	free(comparison->calls);
	*comparison = (struct comparison){0};
}
