/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/canonical.h"
#include "report/session/statistics.h"

/* Tables that may have a wrong verdict, of all. */
#define WRONG_TABLES	  0.01

/* From this many calls on the rank sum test can tell whether the most are the same. */
#define RANKED_CALLS	  30

/* How far apart two medians from histograms can lie that are none: a bucket's width. */
#define MEDIAN_RESOLUTION (1.0 / (1 << HISTOGRAM_LINEAR_BITS))

const char *verdict_text(enum verdict verdict)
{
#define VERDICT_TEXT(name, text) text,
	static const char *const texts[] = {VERDICTS(VERDICT_TEXT)};
#undef VERDICT_TEXT

	return texts[verdict];
}

bool comparison_is_api(const struct comparison_row *row)
{
	return row->a ? row->a->api : row->b->api;
}

const char *comparison_name(const struct comparison_row *row)
{
	return row->a ? row->a->name : row->b->name;
}

static void add_pair(struct comparison *comparison, const struct profile_row *a,
		     const struct profile_row *b)
{
	comparison->rows[comparison->count++] = (struct comparison_row){.a = a, .b = b};
}

/* A row that its exact name does not pair. */
struct unpaired {
	char *canonical;
	const struct profile_row *a, *b; /* one of them */
};

static int compare_unpaired(const void *left, const void *right)
{
	const struct unpaired *x = left, *y = right;

	return strcmp(x->canonical, y->canonical);
}

/* Pairs rows whose canonical name no third row has; returns how many are left. */
static size_t pair_canonical(struct comparison *comparison, struct unpaired *rows, size_t count,
			     bool base, int *error)
{
	size_t end, left = 0;

	for (size_t i = 0; i < count; i++) {
		const struct profile_row *row = rows[i].a ? rows[i].a : rows[i].b;

		free(rows[i].canonical);
		rows[i].canonical = canonical_name(row->key, base && row->key[0] != '[');
		if (!rows[i].canonical) {
			*error = -ENOMEM;
			return count;
		}
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare_unpaired);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && !compare_unpaired(&rows[i], &rows[end]); end++)
			;
		if (end - i == 2 && !rows[i].a != !rows[i + 1].a) {
			add_pair(comparison, rows[i].a ? rows[i].a : rows[i + 1].a,
				 rows[i].b ? rows[i].b : rows[i + 1].b);
			free(rows[i].canonical);
			free(rows[i + 1].canonical);
			continue;
		}
		for (; i < end; i++)
			rows[left++] = rows[i];
	}
	return left;
}

/* Pairs the rows of one half of two profiles. */
static int pair_rows(struct comparison *comparison, const struct profile_row *a,
		     const struct profile_row *b)
{
	struct unpaired *rows = calloc(HASH_COUNT(a) + HASH_COUNT(b) + 1, sizeof(*rows));
	const struct profile_row *row, *other;
	size_t count = 0;
	int error = 0;

	if (!rows)
		return -ENOMEM;
	for (row = a; row; row = row->hh.next) {
		HASH_FIND_STR(b, row->key, other);
		if (other)
			add_pair(comparison, row, other);
		else
			rows[count++] = (struct unpaired){.a = row};
	}
	for (row = b; row; row = row->hh.next) {
		HASH_FIND_STR(a, row->key, other);
		if (!other)
			rows[count++] = (struct unpaired){.b = row};
	}
	count = pair_canonical(comparison, rows, count, false, &error);
	if (!error)
		count = pair_canonical(comparison, rows, count, true, &error);
	for (size_t i = 0; i < count; i++) {
		if (!error)
			add_pair(comparison, rows[i].a, rows[i].b);
		free(rows[i].canonical);
	}
	free(rows);
	return error;
}

static bool is_apart(double ratio, double noise)
{
	return !isnan(ratio) && (ratio > 1 + noise || ratio < 1 / (1 + noise));
}

static void judge(struct comparison_row *row, double noise, double level)
{
	const struct profile_row *a = row->a, *b = row->b;
	double ranked = NAN;
	bool averages, positions;

	row->ratio = row->median_ratio = row->probability = NAN;
	if (!a || !b) {
		row->verdict = a ? VERDICT_ONLY_A : VERDICT_ONLY_B;
		return;
	}
	if (!a->timed || !b->timed) {
		row->verdict = VERDICT_UNTIMED;
		return;
	}
	row->verdict = VERDICT_UNKNOWN;
	if (a->average > 0)
		row->ratio = b->average / a->average;
	if (a->average == b->average) {
		row->ratio = 1;
		row->verdict = VERDICT_SAME;
	}
	if (a->timed < 2 || b->timed < 2)
		return;
	row->probability = welch_probability(a->timed, a->average, a->variance, b->timed,
					     b->average, b->variance);
	if (a->histogram && b->histogram) {
		double median = (double)histogram_percentile(a->histogram, 0.5);

		if (median > 0)
			row->median_ratio = histogram_percentile(b->histogram, 0.5) / median;
		ranked = rank_sum_probability(a->histogram, b->histogram);
	}
	averages = row->probability < level && is_apart(row->ratio, noise);
	positions =
		ranked < level &&
		is_apart(row->median_ratio, noise > MEDIAN_RESOLUTION ? noise : MEDIAN_RESOLUTION);
	row->verdict = VERDICT_SAME;
	if (positions)
		row->verdict = row->median_ratio > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
	else if (averages && ranked >= level && a->timed >= RANKED_CALLS &&
		 b->timed >= RANKED_CALLS)
		row->verdict = VERDICT_OUTLIERS;
	else if (averages)
		row->verdict = row->ratio > 1 ? VERDICT_SLOWER : VERDICT_FASTER;
}

static double total_of(const struct profile_row *row)
{
	return row ? row->total : 0;
}

/* Of calls that nothing timed it is not known how much longer they take. */
static double difference(const struct comparison_row *row)
{
	return row->verdict == VERDICT_UNTIMED ? 0 : fabs(total_of(row->b) - total_of(row->a));
}

static int by_time(double x, double y)
{
	return (x < y) - (x > y);
}

static int compare_rows(const void *left, const void *right)
{
	const struct comparison_row *x = left, *y = right;
	int order = by_time(difference(x), difference(y));

	if (!order)
		order = by_time(total_of(x->a), total_of(y->a));
	return order ? order : strcmp(comparison_name(x), comparison_name(y));
}

/* What one profile alone has the time of would make that profile's total longer by all of it. */
static void add_up(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (row->verdict == VERDICT_UNTIMED) {
			comparison->gpu_untimed++;
			continue;
		}
		comparison->gpu_a += total_of(row->a);
		comparison->gpu_b += total_of(row->b);
	}
}

int compare_profiles(struct comparison *comparison, const struct profile *a,
		     const struct profile *b, double noise)
{
	size_t most =
		HASH_COUNT(a->gpu) + HASH_COUNT(b->gpu) + HASH_COUNT(a->api) + HASH_COUNT(b->api);
	size_t paired = 0;
	int error;

	*comparison = (struct comparison){0};
	comparison->rows = calloc(most + 1, sizeof(*comparison->rows));
	if (!comparison->rows)
		return -ENOMEM;
	error = pair_rows(comparison, a->gpu, b->gpu);
	comparison->gpu_count = comparison->count;
	if (!error)
		error = pair_rows(comparison, a->api, b->api);
	if (error) {
		comparison_free(comparison);
		return error;
	}
	for (size_t i = 0; i < comparison->count; i++)
		paired += comparison->rows[i].a && comparison->rows[i].b;
	for (size_t i = 0; i < comparison->count; i++)
		judge(&comparison->rows[i], noise, WRONG_TABLES / (double)(paired ? paired : 1));
	add_up(comparison);
	qsort(comparison->rows, comparison->gpu_count, sizeof(*comparison->rows), compare_rows);
	qsort(comparison->rows + comparison->gpu_count, comparison->count - comparison->gpu_count,
	      sizeof(*comparison->rows), compare_rows);
	return 0;
}

void comparison_free(struct comparison *comparison)
{
	free(comparison->rows);
	*comparison = (struct comparison){0};
}
