/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "report/compare/compare_print.h"
#include "report/names/visible.h"
#include "report/print/number.h"
#include "report/session/estimate.h"

#define ROW_FORMAT "%16s  %8s  %8s  %7s  %8s  %7s  %s\n"

/* The standard deviation between runs, of the mean; "-" of fewer than two. */
static void print_spread(char text[NUMBER_SIZE], const double *times, size_t count)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		mean += times[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (times[i] - mean) * (times[i] - mean);
	if (count < 2 || !(mean > 0))
		snprintf(text, NUMBER_SIZE, "-");
	else
		snprintf(text, NUMBER_SIZE, "%.2f%%",
			 sqrt(squares / (double)(count - 1)) / mean * 100);
}

static int by_total(const void *left, const void *right)
{
	const struct profile_row *x = *(const struct profile_row *const *)left;
	const struct profile_row *y = *(const struct profile_row *const *)right;

	return (x->total < y->total) - (x->total > y->total);
}

static void print_row(const struct profile_row *row, size_t runs, const char *type, FILE *file)
{
	char calls[NUMBER_SIZE], total[NUMBER_SIZE] = "-", average[NUMBER_SIZE] = "-";
	char total_spread[NUMBER_SIZE] = "-", average_spread[NUMBER_SIZE] = "-";
	double *totals = calloc(2 * row->run_count + 1, sizeof(*totals));
	double *averages = totals ? totals + row->run_count : NULL;
	char *name = visible_text(row->name);

	snprintf(calls, sizeof(calls), "%.0f", (double)row->calls / (double)runs);
	if (row->timed) {
		number_time(total, to_unsigned(row->total / (double)runs + 0.5));
		number_time(average, to_unsigned(row->average + 0.5));
	}
	for (size_t i = 0; totals && i < row->run_count; i++) {
		totals[i] = row->runs[i].total;
		averages[i] = row->runs[i].average;
	}
	if (totals) {
		print_spread(total_spread, totals, row->run_count);
		print_spread(average_spread, averages, row->run_count);
	}
	fprintf(file, ROW_FORMAT, type, calls, total, total_spread, average, average_spread,
		name ? name : "");
	free(name);
	free(totals);
}

static void print_section(const struct profile_row *first, size_t runs, const char *type,
			  FILE *file)
{
	size_t count = HASH_COUNT(first), i = 0;
	const struct profile_row **rows = calloc(count + 1, sizeof(*rows));

	for (const struct profile_row *row = first; rows && row; row = row->hh.next)
		rows[i++] = row;
	if (i)
		qsort(rows, i, sizeof(*rows), by_total);
	for (size_t j = 0; j < i; j++)
		print_row(rows[j], runs, j ? "" : type, file);
	free(rows);
}

void runs_print_text(const struct profile *runs, FILE *file)
{
	fprintf(file, ROW_FORMAT, "Type", "Calls", "Time", "StdDev", "Avg", "StdDev", "Name");
	print_section(runs->gpu, runs->runs, "GPU activities:", file);
	print_section(runs->api, runs->runs, "API calls:", file);
	fprintf(file, "Means of %zu runs, and the standard deviation between runs.\n", runs->runs);
}
