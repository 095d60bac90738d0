/* SPDX-License-Identifier: MIT */
#include "report/compare/compare_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/compare_devices.h"
#include "report/names/visible.h"
#include "report/print/number.h"
#include "report/print/report.h"
#include "report/session/estimate.h"

#define COLUMN_TITLE(title, width) title,
#define COLUMN_WIDTH(title, width) width,
enum { COLUMN_COUNT = COMPARISON_COLUMN_COUNT };
const char *const comparison_titles[] = {COMPARISON_COLUMNS(COLUMN_TITLE)};
static const int widths[] = {COMPARISON_COLUMNS(COLUMN_WIDTH)};

typedef comparison_cell cell;

static void print_time(cell text, const struct profile_row *row, double time)
{
	if (row && row->timed)
		number_time(text, to_unsigned(time + 0.5));
	else
		strcpy(text, "-");
}

/* Of a run. */
static void print_calls(cell text, const struct profile_row *row, size_t runs)
{
	if (row)
		snprintf(text, NUMBER_SIZE, "%.0f", (double)row->calls / (double)runs);
	else
		strcpy(text, "-");
}

static void print_ratio(cell text, double ratio)
{
	if (isnan(ratio))
		strcpy(text, "-");
	else
		snprintf(text, NUMBER_SIZE, ratio < 1000 ? "%.3f" : "%.0e", ratio);
}

static void print_interval(cell text, const struct change *change)
{
	cell low, high;

	print_ratio(low, change->low);
	print_ratio(high, change->high);
	if (isnan(change->low))
		strcpy(text, "-");
	else
		snprintf(text, NUMBER_SIZE, "%.12s..%.12s", low, high);
}

const struct change *comparison_change(const struct comparison_row *row)
{
	return row->verdict == VERDICT_LESS_TIME || row->verdict == VERDICT_MORE_TIME
		       ? &row->total
		       : &row->average;
}

void comparison_cells(cell *cells, const struct comparison *comparison,
		      const struct comparison_row *row)
{
	const struct profile_row *sides[2] = {row->a, row->b};
	size_t runs[2] = {comparison->runs_a, comparison->runs_b};

	for (int side = 0; side < 2; side++) {
		const struct profile_row *profile = sides[side];

		print_calls(cells[1 + side], profile, runs[side]);
		print_time(cells[3 + side], profile,
			   profile ? profile->total / (double)runs[side] : 0);
		print_time(cells[5 + side], profile, profile ? profile->average : 0);
	}
	print_ratio(cells[7], comparison_change(row)->ratio);
	print_interval(cells[8], comparison_change(row));
	strcpy(cells[9], verdict_text(row->verdict));
}

static void print_total(const struct comparison *comparison, FILE *file)
{
	cell totals[2], ratio, interval;

	number_time(totals[0], to_unsigned(comparison->gpu_a + 0.5));
	number_time(totals[1], to_unsigned(comparison->gpu_b + 0.5));
	print_ratio(ratio, comparison->gpu.ratio);
	print_interval(interval, &comparison->gpu);
	fprintf(file, "All GPU activities: %s in A, %s in B, ratio %s", totals[0], totals[1],
		ratio);
	if (!isnan(comparison->gpu.low))
		fprintf(file, " (95 %%: %s)", interval);
	fprintf(file, ": %s", verdict_text(comparison->gpu_verdict));
	if (comparison->gpu_untimed)
		fprintf(file, ", without %zu untimed row%s", comparison->gpu_untimed,
			comparison->gpu_untimed == 1 ? "" : "s");
	fputc('\n', file);
}

static void print_verdicts(const struct comparison *comparison, FILE *file)
{
	size_t counts[VERDICT_COUNT] = {0};
	const char *separator = "";

	for (size_t i = 0; i < comparison->count; i++)
		counts[comparison->rows[i].verdict]++;
	fprintf(file, "Rows: ");
	for (size_t i = 0; i < VERDICT_COUNT; i++) {
		if (!counts[i])
			continue;
		fprintf(file, "%s%zu %s", separator, counts[i], verdict_text(i));
		separator = ", ";
	}
	fprintf(file, "%s\n", *separator ? "" : "none");
}

static void print_basis(const struct comparison *comparison, FILE *file)
{
	double percent = comparison->threshold * 100;

	if (comparison_is_of_single_runs(comparison))
		fprintf(file,
			"One run a side, so how much runs differ is unknown. Faster, slower: by "
			"more than %g %%.\n",
			percent);
	else
		fprintf(file,
			"%zu and %zu runs. Faster, slower: by more than %g %%, wrong in at most 2 "
			"of 100 comparisons. Same: within %g %%.\n",
			comparison->runs_a, comparison->runs_b, percent, percent);
}

void comparison_print_sides(const struct comparison_side sides[2], FILE *file)
{
	for (int i = 0; i < 2; i++) {
		const struct comparison_side *side = &sides[i];

		fprintf(file, "%c: ", "AB"[i]);
		visible_write(side->files[0], file);
		if (side->count > 1) {
			fputs(side->count > 2 ? " … " : " ", file);
			visible_write(side->files[side->count - 1], file);
		}
		fprintf(file, " (%s", side->profile->source);
		if (side->profile->runs > 1)
			fprintf(file, ", %zu runs", side->profile->runs);
		fputs(")\n", file);
	}
}

void comparison_print_lines(const struct comparison *comparison, FILE *file)
{
	print_total(comparison, file);
	print_verdicts(comparison, file);
	print_basis(comparison, file);
	comparison_print_devices(comparison, file);
}

void comparison_print_text(const struct comparison *comparison, FILE *file)
{
	for (int column = 0; column < COLUMN_COUNT; column++)
		fprintf(file, "%*s%s", widths[column], comparison_titles[column],
			column == COLUMN_COUNT - 1 ? "\n" : "  ");
	for (size_t i = 0; i < comparison->count; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		char *name = visible_text(comparison_name(row));
		cell cells[COLUMN_COUNT];

		strcpy(cells[0], i == 0 && comparison->gpu_count ? "GPU activities:"
				 : i == comparison->gpu_count	 ? "API calls:"
								 : "");
		comparison_cells(cells, comparison, row);
		for (int column = 0; column < COLUMN_COUNT - 1; column++)
			fprintf(file, "%*s  ", widths[column], cells[column]);
		fprintf(file, "%s\n", name ? name : "");
		free(name);
	}
	fputc('\n', file);
	comparison_print_lines(comparison, file);
}

/* A bar would end the cell, and other characters of C++ names would be markup. */
static void print_markdown_name(const char *name, FILE *file)
{
	fputs("<code>", file);
	for (; *name; name++) {
		if (strchr("|<>&`*_~[]\\", *name))
			fprintf(file, "&#%d;", *name);
		else
			fputc(*name, file);
	}
	fputs("</code>", file);
}

void comparison_print_markdown(const struct comparison *comparison, FILE *file)
{
	print_total(comparison, file);
	fputc('\n', file);
	print_verdicts(comparison, file);
	fputc('\n', file);
	print_basis(comparison, file);
	comparison_print_devices(comparison, file);
	fputs("\n|", file);
	for (int column = 0; column < COLUMN_COUNT; column++)
		fprintf(file, " %s |", comparison_titles[column]);
	fputs("\n|", file);
	for (int column = 0; column < COLUMN_COUNT; column++)
		fputs(column > 0 && widths[column] > 0 ? "---:|" : "---|", file);
	fputc('\n', file);
	for (size_t i = 0; i < comparison->count; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		char *name = visible_text(comparison_name(row));
		cell cells[COLUMN_COUNT];

		strcpy(cells[0], comparison_is_api(row) ? "API" : "GPU");
		comparison_cells(cells, comparison, row);
		fputc('|', file);
		for (int column = 0; column < COLUMN_COUNT - 1; column++)
			fprintf(file, " %s |", cells[column]);
		fputc(' ', file);
		print_markdown_name(name ? name : "", file);
		fputs(" |\n", file);
		free(name);
	}
}

static void print_csv_number(double value, FILE *file)
{
	if (!isnan(value))
		fprintf(file, "%.9g", value);
	fputc(',', file);
}

static void print_csv_side(const struct profile_row *row, size_t runs, FILE *file)
{
	if (row)
		fprintf(file, "%.9g", (double)row->calls / (double)runs);
	fputc(',', file);
	if (row && row->timed)
		fprintf(file, "%.0f,%.3f,", row->total / (double)runs, row->average);
	else
		fputs(",,", file);
}

void comparison_print_csv(const struct comparison *comparison, FILE *file)
{
	fputs("\"Type\",\"Calls A\",\"Time A\",\"Avg A\",\"Calls B\",\"Time B\",\"Avg B\","
	      "\"Ratio\",\"Low\",\"High\",\"Probability\",\"Verdict\",\"Name\"\n",
	      file);
	for (size_t i = 0; i < comparison->count; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		const struct change *change = comparison_change(row);

		fprintf(file, "\"%s\",", comparison_is_api(row) ? "API calls" : "GPU activities");
		print_csv_side(row->a, comparison->runs_a, file);
		print_csv_side(row->b, comparison->runs_b, file);
		print_csv_number(change->ratio, file);
		print_csv_number(change->low, file);
		print_csv_number(change->high, file);
		print_csv_number(change->probability, file);
		fprintf(file, "\"%s\",", verdict_text(row->verdict));
		csv_write_text(comparison_name(row), file);
		fputc('\n', file);
	}
}
