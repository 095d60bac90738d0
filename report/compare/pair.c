/* SPDX-License-Identifier: MIT */
#include "report/compare/pair.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/canonical.h"
#include "report/names/call_names.h"
#include "report/names/demangle.h"

/*
 * How rows are paired, the surest way first; each pairs rows whose name no third row has, of those
 * that are left. Calls are paired by their names as they are, and then without versions. A file
 * that has a call in two versions keeps two rows, as they may be different functions.
 */
enum way {
	BY_NAME,    /* as it is */
	BY_WHOLE,   /* as canonical_name() has it */
	BY_BASE,    /* that without parameters */
	BY_NUMBERS, /* but for numbers and types of numbers in template arguments */
	BY_NUMBERS_AND_CALLS,
	/* Whatever the template arguments are: some say what the kernel computes, so that the
	 * calls have to be as many too. */
	BY_FUNCTION,
	WAYS
};

/* A row without another one so far. */
struct unpaired {
	char *name; /* by which it is compared */
	const struct profile_row *row;
	bool of_b;
	double calls; /* of a run */
};

static char *name_by(enum way way, const struct unpaired *unpaired)
{
	static const enum canonical forms[WAYS] = {[BY_WHOLE] = CANONICAL_WHOLE,
						   [BY_BASE] = CANONICAL_BASE,
						   [BY_NUMBERS] = CANONICAL_NUMBERS,
						   [BY_NUMBERS_AND_CALLS] = CANONICAL_NUMBERS,
						   [BY_FUNCTION] = CANONICAL_FUNCTION};
	const char *name = unpaired->row->entry.text;
	char *canonical, *with_calls;

	if (way == BY_NAME)
		return strdup(name);
	if (unpaired->row->api)
		return strndup(name, call_base_length(name));
	canonical = canonical_name(name, *name == '[' ? CANONICAL_WHOLE : forms[way]);
	if (!canonical || way != BY_NUMBERS_AND_CALLS)
		return canonical;
	if (asprintf(&with_calls, "%s %a", canonical, unpaired->calls) < 0)
		with_calls = NULL;
	free(canonical);
	return with_calls;
}

/* "copy<double> -> <float>": what two names begin with stands once, up to where the arguments
 * begin. NULL where memory is out. */
static char *join_names(const char *a, const char *b)
{
	size_t common = 0, begin = 0;
	char *text;

	for (; a[common] && a[common] == b[common]; common++)
		if (!begin && strchr("<(", a[common]))
			begin = common;
	return asprintf(&text, "%s -> %s", a, b + begin) < 0 ? NULL : text;
}

/* A longer name is a sentence of template arguments. Chosen. */
#define NAME_MOST 120

static bool is_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' || letter == ':';
}

/* The length of the word in which the byte at `*begin` is, which becomes where the word begins. */
static size_t word_around(const char *text, size_t *begin)
{
	size_t end = *begin;

	while (*begin > 0 && is_word(text[*begin - 1]))
		--*begin;
	while (is_word(text[end]))
		end++;
	return end - *begin;
}

/* "map<Add>: double -> float": a short name, and the first word in which two whole names differ.
 * NULL where that tells nothing, or memory is out. */
static char *name_difference(const char *name, const char *a, const char *b)
{
	size_t begin_a = 0, begin_b, length_a, length_b;
	char *text;

	while (a[begin_a] && a[begin_a] == b[begin_a])
		begin_a++;
	begin_b = begin_a;
	length_a = word_around(a, &begin_a);
	length_b = word_around(b, &begin_b);
	if (!length_a || !length_b ||
	    (length_a == length_b && !strncmp(a + begin_a, b + begin_b, length_a)))
		return NULL;
	return asprintf(&text, "%s: %.*s -> %.*s", name, (int)length_a, a + begin_a, (int)length_b,
			b + begin_b) < 0
		       ? NULL
		       : text;
}

/* What two versions of one kernel are called: as short as tells them apart. NULL where memory is
 * out. */
static char *versions_name(const char *a, const char *b)
{
	char *short_a = short_name(a, false), *short_b = short_name(b, false), *name = NULL;
	bool told = short_a && short_b && strcmp(short_a, short_b) != 0;

	if (short_a && short_b && (!told || strlen(short_a) + strlen(short_b) > NAME_MOST))
		name = name_difference(short_a, a, b);
	if (short_a && short_b && !name)
		name = told ? join_names(short_a, short_b) : join_names(a, b);
	free(short_a);
	free(short_b);
	return name;
}

/* Profilers write parameters in different ways; what one of them writes tells versions apart. */
static bool are_versions(const struct comparison *comparison, enum way way)
{
	const char *a = comparison->a->source, *b = comparison->b->source;

	return way > BY_BASE || (way == BY_BASE && a && b && strcmp(a, b) == 0);
}

static int add_pair(struct comparison *comparison, const struct profile_row *a,
		    const struct profile_row *b, enum way way)
{
	struct comparison_row *row = &comparison->rows[comparison->count++];

	*row = (struct comparison_row){.a = a, .b = b};
	for (int i = 0; i < 2; i++) {
		const struct profile_row *side = i ? b : a;
		const double runs = (double)(i ? comparison->b : comparison->a)->runs;

		row->times[i] = side ? side->total / runs : 0;
		row->calls[i] = side ? (double)side->calls / runs : 0;
	}
	if (!a || !b || a->api || !are_versions(comparison, way))
		return 0;
	row->versions = versions_name(a->name, b->name);
	return row->versions ? 0 : -ENOMEM;
}

static int compare_unpaired(const void *left, const void *right)
{
	const struct unpaired *x = left, *y = right;

	return strcmp(x->name, y->name);
}

/* Whether two rows that alone have a name are a pair. */
static bool is_pair(const struct unpaired *rows, enum way way)
{
	return rows[0].of_b != rows[1].of_b &&
	       (way != BY_FUNCTION || rows[0].calls == rows[1].calls);
}

/* Pairs rows whose name no third row has; `*count` becomes how many are left. */
static int pair_rows(struct comparison *comparison, struct unpaired *rows, size_t *count,
		     enum way way)
{
	size_t end, left = 0;
	int error = 0;

	for (struct unpaired *row = rows; row < rows + *count; row++) {
		free(row->name);
		row->name = name_by(way, row);
		if (!row->name)
			return -ENOMEM;
	}
	qsort(rows, *count, sizeof(*rows), compare_unpaired);
	for (size_t i = 0; i < *count; i = end) {
		for (end = i + 1; end < *count && !compare_unpaired(&rows[i], &rows[end]); end++)
			;
		if (end - i == 2 && is_pair(&rows[i], way)) {
			error = add_pair(comparison, rows[i + rows[i].of_b].row,
					 rows[i + !rows[i].of_b].row, way)
					?: error;
			free(rows[i].name);
			free(rows[i + 1].name);
			continue;
		}
		for (; i < end; i++)
			rows[left++] = rows[i];
	}
	*count = left;
	return error;
}

/* Pairs the rows of one half of two profiles. */
static int pair_half(struct comparison *comparison, bool api)
{
	const struct profile *sides[] = {comparison->a, comparison->b};
	const size_t most = HASH_COUNT(sides[0]->rows[api]) + HASH_COUNT(sides[1]->rows[api]);
	struct unpaired *rows = calloc(most + 1, sizeof(*rows));
	size_t count = 0;
	int error = 0;

	if (!rows)
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		entries_for_each (const struct profile_row, sides[side]->rows[api], row) {
			rows[count++] = (struct unpaired){.row = row,
							  .of_b = side,
							  .calls = (double)row->calls /
								   (double)sides[side]->runs};
		}
	}
	for (enum way way = 0; way < WAYS && !error; way++)
		error = pair_rows(comparison, rows, &count, way);
	for (size_t i = 0; i < count; i++) {
		if (!error)
			error = add_pair(comparison, rows[i].of_b ? NULL : rows[i].row,
					 rows[i].of_b ? rows[i].row : NULL, WAYS);
		free(rows[i].name);
	}
	free(rows);
	return error;
}

int comparison_pair(struct comparison *comparison)
{
	size_t most = 1;
	int error = 0;

	for (int i = 0; i < 2; i++)
		most += HASH_COUNT(comparison->a->rows[i]) + HASH_COUNT(comparison->b->rows[i]);
	comparison->rows = calloc(most, sizeof(*comparison->rows));
	if (!comparison->rows)
		return -ENOMEM;
	for (int i = 0; i < 2 && !error; i++) {
		comparison->gpu_count = comparison->count;
		error = pair_half(comparison, i);
	}
	return error;
}
