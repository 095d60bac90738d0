/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/energy/energy.h"
#include "report/energy/energy_text.h"
#include "report/export/export_json_device.h"
#include "report/export/json.h"
#include "report/names/visible.h"
#include "report/sheet/number.h"
#include "report/print/report.h"
#include "report/session/estimate.h"
#include "report/session/session.h"

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

/* What is shown: memory, clocks and energy that differ by these parts, shares of samples that
 * differ by so much. Chosen: on one machine runs of one program stay below. */
#define MEMORY_DIFFERS 0.01
#define CLOCK_DIFFERS  0.01
#define ENERGY_DIFFERS 0.05
#define SHARE_DIFFERS  0.05

struct device_pair {
	const struct device_energy *a, *b;
	uint64_t memory_a, memory_b; /* 0: not known */
	double runs_a, runs_b;
	const char *start; /* of what comes next: the line's, or a comma */
	int device;
	FILE *file;
};

static bool differs(double a, double b, double part)
{
	return a > 0 && b > 0 && fabs(b / a - 1) >= part;
}

/* The line as far as it goes before the next part of it. */
static void begin(struct device_pair *pair)
{
	if (pair->start)
		fputs(pair->start, pair->file);
	else
		fprintf(pair->file, "GPU %d, A and B: ", pair->device);
	pair->start = ", ";
}

static void print_memory(struct device_pair *pair)
{
	double a = (double)pair->memory_a, b = (double)pair->memory_b;
	char text_a[NUMBER_SIZE], text_b[NUMBER_SIZE];

	if (!differs(a, b, MEMORY_DIFFERS))
		return;
	begin(pair);
	fprintf(pair->file, "memory at most %s and %s (%+.1f %%)",
		number_bytes_about(text_a, pair->memory_a),
		number_bytes_about(text_b, pair->memory_b), 100 * (b / a - 1));
}

static void print_clock(struct device_pair *pair, const struct clock_range *clock_a,
			const struct clock_range *clock_b, const char *name)
{
	double a = clock_average(clock_a), b = clock_average(clock_b);

	if (!differs(a, b, CLOCK_DIFFERS))
		return;
	begin(pair);
	fprintf(pair->file, "%s clock %.0f and %.0f MHz (%+.1f %%)", name, a, b, 100 * (b / a - 1));
}

static void print_reasons(struct device_pair *pair)
{
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++) {
		double a = clock_reason_share(pair->a, i), b = clock_reason_share(pair->b, i);

		if (!(fabs(b - a) >= SHARE_DIFFERS))
			continue;
		begin(pair);
		fprintf(pair->file, "clocks limited by %s in %.1f and %.1f %% of the samples",
			clock_reason_text(i), 100 * a, 100 * b);
	}
}

static void print_energy(struct device_pair *pair)
{
	double a = pair->a->joules / pair->runs_a, b = pair->b->joules / pair->runs_b;
	char text_a[ENERGY_TEXT_SIZE], text_b[ENERGY_TEXT_SIZE];

	if (!pair->a->duration || !pair->b->duration || !differs(a, b, ENERGY_DIFFERS))
		return;
	begin(pair);
	fprintf(pair->file, "energy %s and %s a run", energy_text(text_a, a, "J"),
		energy_text(text_b, b, "J"));
	fprintf(pair->file, " (%s and %s)", energy_text(text_a, energy_power(pair->a), "W"),
		energy_text(text_b, energy_power(pair->b), "W"));
}

static void print_device(struct device_pair *pair)
{
	double a = clock_average(&pair->a->sm), b = clock_average(&pair->b->sm);

	print_memory(pair);
	print_clock(pair, &pair->a->sm, &pair->b->sm, "SM");
	print_clock(pair, &pair->a->memory, &pair->b->memory, "memory");
	print_reasons(pair);
	print_energy(pair);
	if (!pair->start)
		return;
	fputc('.', pair->file);
	if (differs(a, b, CLOCK_DIFFERS))
		fprintf(pair->file, " By the SM clock alone a kernel may take %.1f %% %s in B.",
			100 * fabs(a / b - 1), a > b ? "longer" : "less");
	fputc('\n', pair->file);
}

static uint64_t memory_of(const uint64_t *peaks, int device)
{
	return peaks ? peaks[device] : 0;
}

void comparison_print_devices(const struct comparison *comparison, FILE *file)
{
	static const struct profile_energies none = {.runs = 1};
	const struct profile_energies *a = comparison->energies_a, *b = comparison->energies_b;

	if (!a || !b)
		a = b = &none;
	for (int device = 0; device < SESSION_DEVICES; device++)
		print_device(
			&(struct device_pair){.a = &a->devices[device],
					      .b = &b->devices[device],
					      .memory_a = memory_of(comparison->memory_a, device),
					      .memory_b = memory_of(comparison->memory_b, device),
					      .runs_a = (double)a->runs,
					      .runs_b = (double)b->runs,
					      .device = device,
					      .file = file});
}

static const struct device_energy *energy_of(const struct profile_energies *energies, int device)
{
	return energies && energy_is_known(&energies->devices[device]) ? &energies->devices[device]
								       : NULL;
}

static void add_energy(cJSON *object, const char *name, const struct device_energy *energy)
{
	if (energy)
		cJSON_AddItemToObject(object, name, json_energy(energy));
	else
		cJSON_AddNullToObject(object, name);
}

static cJSON *energy_json(const struct comparison *comparison)
{
	cJSON *array = cJSON_CreateArray();

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_energy *a = energy_of(comparison->energies_a, device);
		const struct device_energy *b = energy_of(comparison->energies_b, device);
		cJSON *object;

		if (!a && !b)
			continue;
		object = cJSON_CreateObject();
		cJSON_AddNumberToObject(object, "device", device);
		add_energy(object, "a", a);
		add_energy(object, "b", b);
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

static void add_bytes(cJSON *object, const char *name, uint64_t bytes)
{
	if (bytes)
		json_add_unsigned(object, name, bytes);
	else
		cJSON_AddNullToObject(object, name);
}

static cJSON *memory_json(const struct comparison *comparison)
{
	cJSON *array = cJSON_CreateArray();

	for (int device = 0; device < SESSION_DEVICES; device++) {
		uint64_t a = memory_of(comparison->memory_a, device);
		uint64_t b = memory_of(comparison->memory_b, device);
		cJSON *object;

		if (!a && !b)
			continue;
		object = cJSON_CreateObject();
		cJSON_AddNumberToObject(object, "device", device);
		add_bytes(object, "a", a);
		add_bytes(object, "b", b);
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

/* Grows when a field changes its meaning or goes. */
#define FORMAT 1

/* cJSON writes a number that is none as null. */
static void add_change(cJSON *object, const struct change *change)
{
	cJSON_AddNumberToObject(object, "ratio", change->ratio);
	cJSON_AddNumberToObject(object, "low", change->low);
	cJSON_AddNumberToObject(object, "high", change->high);
	cJSON_AddNumberToObject(object, "probability", change->probability);
}

static void add_side(cJSON *object, const char *name, const struct profile_row *row)
{
	cJSON *side = row ? cJSON_AddObjectToObject(object, name) : NULL;
	cJSON *runs;

	if (!row)
		cJSON_AddNullToObject(object, name);
	runs = cJSON_AddArrayToObject(side, "runs");
	for (size_t i = 0; row && i < row->run_count; i++) {
		const struct row_run *times = &row->runs[i];
		cJSON *run = cJSON_CreateObject();

		json_add_unsigned(run, "run", times->run);
		json_add_unsigned(run, "calls", times->calls);
		cJSON_AddNumberToObject(run, "total_ns", times->total);
		cJSON_AddNumberToObject(run, "average_ns", times->average);
		cJSON_AddItemToArray(runs, run);
	}
}

static cJSON *row_object(const struct comparison_row *row)
{
	cJSON *object = cJSON_CreateObject(), *average, *total;

	cJSON_AddStringToObject(object, "type", comparison_is_api(row) ? "api" : "gpu");
	json_add_text(object, "name", comparison_name(row));
	add_side(object, "a", row->a);
	add_side(object, "b", row->b);
	average = cJSON_AddObjectToObject(object, "average");
	add_change(average, &row->average);
	total = cJSON_AddObjectToObject(object, "total");
	add_change(total, &row->total);
	cJSON_AddStringToObject(object, "verdict", verdict_text(row->verdict));
	return object;
}

int comparison_print_json(const struct comparison *comparison, FILE *file)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *gpu, *rows;
	int error;

	cJSON_AddNumberToObject(root, "format", FORMAT);
	json_add_unsigned(root, "runs_a", comparison->runs_a);
	json_add_unsigned(root, "runs_b", comparison->runs_b);
	cJSON_AddNumberToObject(root, "threshold_percent", comparison->threshold * 100);
	gpu = cJSON_AddObjectToObject(root, "gpu_total");
	cJSON_AddNumberToObject(gpu, "a_ns", comparison->gpu_a);
	cJSON_AddNumberToObject(gpu, "b_ns", comparison->gpu_b);
	add_change(gpu, &comparison->gpu);
	cJSON_AddStringToObject(gpu, "verdict", verdict_text(comparison->gpu_verdict));
	cJSON_AddItemToObject(root, "memory", memory_json(comparison));
	cJSON_AddItemToObject(root, "energy", energy_json(comparison));
	rows = cJSON_AddArrayToObject(root, "rows");
	for (size_t i = 0; i < comparison->count; i++)
		cJSON_AddItemToArray(rows, row_object(&comparison->rows[i]));
	error = json_write(file, root);
	fputc('\n', file);
	return error;
}

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
