/* SPDX-License-Identifier: MIT */
#include "report/compare/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/canonical.h"

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
static int pair_half(struct comparison *comparison, const struct profile_row *a,
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

int pair_rows(struct comparison *comparison, const struct profile *a, const struct profile *b)
{
	size_t most =
		HASH_COUNT(a->gpu) + HASH_COUNT(b->gpu) + HASH_COUNT(a->api) + HASH_COUNT(b->api);
	int error;

	comparison->rows = calloc(most + 1, sizeof(*comparison->rows));
	if (!comparison->rows)
		return -ENOMEM;
	error = pair_half(comparison, a->gpu, b->gpu);
	comparison->gpu_count = comparison->count;
	if (!error)
		error = pair_half(comparison, a->api, b->api);
	if (error)
		comparison_free(comparison);
	return error;
}
