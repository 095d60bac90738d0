/* SPDX-License-Identifier: MIT */
#include "report/compare/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void row_free(struct profile_row *row)
{
	free(row->name);
	free(row->key);
	free(row->histogram);
	free(row);
}

struct profile_row *profile_row(struct profile *profile, bool api, const char *key,
				const char *name)
{
	struct profile_row **rows = api ? &profile->api : &profile->gpu;
	struct profile_row *row;

	HASH_FIND_STR(*rows, key, row);
	if (row)
		return row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->api = api;
	row->name = strdup(name);
	row->key = strdup(key);
	if (row->name && row->key)
		HASH_ADD_KEYPTR(hh, *rows, row->key, strlen(row->key), row);
	if (row->hh.tbl)
		return row;
	row_free(row);
	return NULL;
}

void profile_add_group(struct profile_row *row, uint64_t calls, uint64_t timed, double total,
		       double average, double variance, double minimum, double maximum)
{
	double before = (double)row->timed, added = (double)timed, all = before + added;
	double distance = average - row->average;

	row->calls += calls;
	row->total += total;
	if (!timed)
		return;
	if (!row->timed || minimum < row->minimum)
		row->minimum = minimum;
	if (maximum > row->maximum)
		row->maximum = maximum;
	/* Chan, Golub and LeVeque: sums of squares of two groups, without cancellation. */
	if (all > 1)
		row->variance = ((before > 1 ? row->variance * (before - 1) : 0) +
				 (added > 1 ? variance * (added - 1) : 0) +
				 distance * distance * before * added / all) /
				(all - 1);
	row->average += distance * added / all;
	row->timed += timed;
}

static int histogram_make(struct profile_row *row)
{
	if (!row->histogram)
		row->histogram = calloc(1, sizeof(*row->histogram));
	return row->histogram ? 0 : -ENOMEM;
}

int profile_add_sample(struct profile_row *row, uint64_t nanoseconds)
{
	double time = (double)nanoseconds;

	if (histogram_make(row))
		return -ENOMEM;
	histogram_add(row->histogram, nanoseconds);
	profile_add_group(row, 1, 1, time, time, 0, time, time);
	return 0;
}

int profile_add_histogram(struct profile_row *row, const struct histogram *histogram)
{
	if (histogram_make(row))
		return -ENOMEM;
	histogram_merge(row->histogram, histogram);
	return 0;
}

double profile_variance_bound(double average, double minimum, double maximum, uint64_t calls)
{
	/* Bhatia and Davis's inequality, for a sample. */
	if (calls < 2)
		return 0;
	return (maximum - average) * (average - minimum) * (double)calls / (double)(calls - 1);
}

static void rows_free(struct profile_row **rows)
{
	struct profile_row *row, *next;

	HASH_ITER (hh, *rows, row, next) {
		HASH_DEL(*rows, row);
		row_free(row);
	}
}

void profile_free(struct profile *profile)
{
	rows_free(&profile->gpu);
	rows_free(&profile->api);
}
