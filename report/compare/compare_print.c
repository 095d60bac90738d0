/* SPDX-License-Identifier: MIT */
#include "report/compare/compare_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/print/number.h"
#include "report/print/report.h"

#define ROW_FORMAT "%16s  %8s  %8s  %8s  %8s  %8s  %8s  %6s  %6s  %-9s  %s\n"

static void print_time(char text[NUMBER_SIZE], const struct profile_row *row, double time)
{
	if (row && row->timed)
		number_time(text, (uint64_t)(time + 0.5));
	else
		strcpy(text, "-");
}

static void print_calls(char text[NUMBER_SIZE], const struct profile_row *row)
{
	if (row)
		snprintf(text, NUMBER_SIZE, "%" PRIu64, row->calls);
	else
		strcpy(text, "-");
}

static void print_ratio(char text[NUMBER_SIZE], double ratio)
{
	if (isnan(ratio))
		strcpy(text, "-");
	else
		snprintf(text, NUMBER_SIZE, ratio < 1000 ? "%.3f" : "%.0e", ratio);
}

static void print_row(const struct comparison_row *row, const char *type, FILE *file)
{
	char calls[2][NUMBER_SIZE], totals[2][NUMBER_SIZE], averages[2][NUMBER_SIZE];
	char ratio[NUMBER_SIZE], median[NUMBER_SIZE];
	const struct profile_row *sides[2] = {row->a, row->b};
	char *name = visible_text(comparison_name(row));

	for (int side = 0; side < 2; side++) {
		const struct profile_row *profile = sides[side];

		print_calls(calls[side], profile);
		print_time(totals[side], profile, profile ? profile->total : 0);
		print_time(averages[side], profile, profile ? profile->average : 0);
	}
	print_ratio(ratio, row->ratio);
	print_ratio(median, row->median_ratio);
	fprintf(file, ROW_FORMAT, type, calls[0], calls[1], totals[0], totals[1], averages[0],
		averages[1], ratio, median, verdict_text(row->verdict), name ? name : "");
	free(name);
}

static void print_total(const struct comparison *comparison, FILE *file)
{
	char totals[2][NUMBER_SIZE], ratio[NUMBER_SIZE];

	number_time(totals[0], (uint64_t)(comparison->gpu_a + 0.5));
	number_time(totals[1], (uint64_t)(comparison->gpu_b + 0.5));
	print_ratio(ratio, comparison->gpu_a > 0 ? comparison->gpu_b / comparison->gpu_a : NAN);
	fprintf(file, "\nAll GPU activities: %s in A, %s in B, ratio %s", totals[0], totals[1],
		ratio);
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

void comparison_print_text(const struct comparison *comparison, FILE *file)
{
	fprintf(file, ROW_FORMAT, "Type", "Calls A", "Calls B", "Time A", "Time B", "Avg A",
		"Avg B", "Ratio", "Median", "Verdict", "Name");
	for (size_t i = 0; i < comparison->count; i++) {
		const char *type = i == 0 && comparison->gpu_count ? "GPU activities:"
				   : i == comparison->gpu_count	   ? "API calls:"
								   : "";

		print_row(&comparison->rows[i], type, file);
	}
	print_total(comparison, file);
	print_verdicts(comparison, file);
}

static void print_csv_number(double value, FILE *file)
{
	if (!isnan(value))
		fprintf(file, "%.9g", value);
	fputc(',', file);
}

static void print_csv_side(const struct profile_row *row, FILE *file)
{
	if (!row) {
		fputs(",,,,", file);
		return;
	}
	if (!row->timed) {
		fprintf(file, "%" PRIu64 ",,,,", row->calls);
		return;
	}
	fprintf(file, "%" PRIu64 ",%.0f,%.3f,", row->calls, row->total, row->average);
	print_csv_number(row->timed > 1 ? sqrt(row->variance) : NAN, file);
}

void comparison_print_csv(const struct comparison *comparison, FILE *file)
{
	fputs("\"Type\",\"Calls A\",\"Time A\",\"Avg A\",\"StdDev A\",\"Calls B\",\"Time B\","
	      "\"Avg B\",\"StdDev B\",\"Ratio\",\"Median ratio\",\"Probability\",\"Verdict\","
	      "\"Name\"\n",
	      file);
	for (size_t i = 0; i < comparison->count; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		fprintf(file, "\"%s\",", comparison_is_api(row) ? "API calls" : "GPU activities");
		print_csv_side(row->a, file);
		print_csv_side(row->b, file);
		print_csv_number(row->ratio, file);
		print_csv_number(row->median_ratio, file);
		print_csv_number(row->probability, file);
		fprintf(file, "\"%s\",", verdict_text(row->verdict));
		csv_write_text(comparison_name(row), file);
		fputc('\n', file);
	}
}
