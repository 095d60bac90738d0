/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/energy/energy.h"
#include "report/export/json.h"
#include "report/names/visible.h"
#include "report/sheet/number.h"
#include "report/session/estimate.h"
#include "report/session/layout.h"
#include "report/session/session.h"

/* The columns of all forms: CSV has the times of a side next to each other. */
enum {
	TYPE,
	CALLS_A,
	CALLS_B,
	TIME_A,
	TIME_B,
	AVERAGE_A,
	CSV_CALLS_B,
	CSV_TIME_B,
	AVERAGE_B,
	RATIO,
	INTERVAL,
	LOW,
	HIGH,
	PROBABILITY,
	VERDICT,
	NAME
};
static const struct column columns[] = {
	[TYPE] = {"Type", "Type", .width = 16, .once = true},
	[CALLS_A] = {"Calls A", "Calls A", .kind = CELL_MEAN, .width = 8},
	[CALLS_B] = {"Calls B", NULL, .kind = CELL_MEAN, .width = 8},
	[TIME_A] = {"Time A", "Time A", .kind = CELL_MEAN_NS, .width = 8},
	[TIME_B] = {"Time B", NULL, .kind = CELL_MEAN_NS, .width = 8},
	[AVERAGE_A] = {"Avg A", "Avg A", .kind = CELL_MEAN_NS, .width = 8, .decimals = 3},
	[CSV_CALLS_B] = {NULL, "Calls B", .kind = CELL_MEAN},
	[CSV_TIME_B] = {NULL, "Time B", .kind = CELL_MEAN_NS},
	[AVERAGE_B] = {"Avg B", "Avg B", .kind = CELL_MEAN_NS, .width = 8, .decimals = 3},
	[RATIO] = {"Ratio", "Ratio", .kind = CELL_RATIO, .width = 6},
	[INTERVAL] = {"95 %", NULL, .width = 13},
	[LOW] = {NULL, "Low", .kind = CELL_RATIO},
	[HIGH] = {NULL, "High", .kind = CELL_RATIO},
	[PROBABILITY] = {NULL, "Probability", .kind = CELL_RATIO},
	[VERDICT] = {"Verdict", "Verdict", .width = -11},
	[NAME] = {"Name", "Name", .name = true},
};

const struct change *comparison_change(const struct comparison_row *row)
{
	return row->verdict == VERDICT_LESS_TIME || row->verdict == VERDICT_MORE_TIME
		       ? &row->total
		       : &row->average;
}

/* Of a run. */
static void fill_side(const struct profile_row *row, size_t runs, struct cell *calls,
		      struct cell *time, struct cell *average)
{
	if (!row)
		return;
	cell_real(calls, (double)row->calls / (double)runs);
	if (!row->timed)
		return;
	cell_real(time, row->total / (double)runs);
	cell_real(average, row->average);
}

static void fill_ratio(struct cell *cell, double ratio)
{
	if (!isnan(ratio))
		cell_real(cell, ratio);
}

const char *change_interval(char text[NUMBER_SIZE], const struct change *change)
{
	char low[NUMBER_SIZE], high[NUMBER_SIZE];

	snprintf(text, NUMBER_SIZE, "%.12s..%.12s", number_ratio(low, change->low),
		 number_ratio(high, change->high));
	return isnan(change->low) ? "-" : text;
}

static const char *type_of(const struct comparison_row *row, enum sheet_form form)
{
	static const char *const types[][2] = {[SHEET_TEXT] = {"GPU activities:", "API calls:"},
					       [SHEET_CSV] = {"GPU activities", "API calls"},
					       [SHEET_HTML] = {"GPU", "API"},
					       [SHEET_JSON] = {"gpu", "api"},
					       [SHEET_MARKDOWN] = {"GPU", "API"}};

	return types[form][comparison_is_api(row)];
}

static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct comparison *comparison = sheet->argument;
	const struct comparison_row *row = &comparison->rows[index];
	const struct change *change = comparison_change(row);
	char text[NUMBER_SIZE];

	cell_group(&cells[TYPE], comparison_is_api(row), type_of(row, sheet->form));
	fill_side(row->a, comparison->runs_a, &cells[CALLS_A], &cells[TIME_A], &cells[AVERAGE_A]);
	fill_side(row->b, comparison->runs_b, &cells[CALLS_B], &cells[TIME_B], &cells[AVERAGE_B]);
	cells[CSV_CALLS_B] = cells[CALLS_B];
	cells[CSV_TIME_B] = cells[TIME_B];
	fill_ratio(&cells[RATIO], change->ratio);
	cell_print(&cells[INTERVAL], "%s", change_interval(text, change));
	fill_ratio(&cells[LOW], change->low);
	fill_ratio(&cells[HIGH], change->high);
	fill_ratio(&cells[PROBABILITY], change->probability);
	cell_text(&cells[VERDICT], verdict_text(row->verdict));
	cell_text(&cells[NAME], comparison_name(row));
}

struct sheet comparison_sheet(const struct comparison *comparison, enum sheet_form form)
{
	return (struct sheet){SHEET_OF(columns), .row = fill_row, .argument = comparison,
			      .rows = comparison->count, .form = form};
}

static void print_total(const struct comparison *comparison, FILE *file)
{
	char totals[2][NUMBER_SIZE], text[NUMBER_SIZE];

	number_time(totals[0], to_unsigned(comparison->gpu_a + 0.5));
	number_time(totals[1], to_unsigned(comparison->gpu_b + 0.5));
	fprintf(file, "All GPU activities: %s in A, %s in B, ratio %s", totals[0], totals[1],
		number_ratio(text, comparison->gpu.ratio));
	if (!isnan(comparison->gpu.low))
		fprintf(file, " (95 %%: %s)", change_interval(text, &comparison->gpu));
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

/* Figures of rows that are shown by themselves, of a run. */
static void print_figures(const struct comparison *comparison, FILE *file)
{
	const struct figure *figures = figures_of(SCOPE_ROW)->figures;
	char texts[2][NUMBER_SIZE];

	for (unsigned i = 0; i < ROW_FIGURE_COUNT && comparison->figures_a; i++) {
		double a = comparison->figures_a[i] / (double)comparison->runs_a;
		double b = comparison->figures_b[i] / (double)comparison->runs_b;

		if (a > 0 || b > 0)
			fprintf(file, "%s: %s in A, %s in B.\n", figures[i].text,
				number_figure(texts[0], &figures[i], a),
				number_figure(texts[1], &figures[i], b));
	}
}

/* Markdown has paragraphs of them. */
static void print_lines(const struct comparison *comparison, const char *between, FILE *file)
{
	print_total(comparison, file);
	fputs(between, file);
	print_verdicts(comparison, file);
	fputs(between, file);
	print_basis(comparison, file);
	comparison_print_devices(comparison, file);
	print_figures(comparison, file);
}

void comparison_print_lines(const struct comparison *comparison, FILE *file)
{
	print_lines(comparison, "", file);
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

/* The most memory that a side held of a device; null where it is not known. */
static bool add_memory(struct json *json, const char *name, const struct comparison *comparison,
		       bool of_b, int device)
{
	uint64_t bytes = memory_of(of_b ? comparison->memory_b : comparison->memory_a, device);

	if (name && bytes)
		json_unsigned(json, name, bytes);
	else if (name)
		json_null(json, name);
	return bytes;
}

static bool add_energy(struct json *json, const char *name, const struct comparison *comparison,
		       bool of_b, int device)
{
	const struct profile_energies *energies =
		of_b ? comparison->energies_b : comparison->energies_a;
	bool known = energies && energy_is_known(&energies->devices[device]);

	if (name && known)
		json_energy(json, name, &energies->devices[device]);
	else if (name)
		json_null(json, name);
	return known;
}

/* The devices of which a side knows something: `add` tells whether it does, and writes nothing
 * without a name. */
static void add_devices(struct json *json, const char *name, const struct comparison *comparison,
			bool (*add)(struct json *json, const char *name,
				    const struct comparison *comparison, bool of_b, int device))
{
	json_array(json, name);
	for (int device = 0; device < SESSION_DEVICES; device++) {
		if (!add(json, NULL, comparison, false, device) &&
		    !add(json, NULL, comparison, true, device))
			continue;
		json_object(json, NULL);
		json_real(json, "device", device);
		add(json, "a", comparison, false, device);
		add(json, "b", comparison, true, device);
		json_end(json);
	}
	json_end(json);
}

/* Grows when a field changes its meaning or goes. */
#define FORMAT 1

/* A number that is none becomes null. */
static void add_change(struct json *json, const struct change *change)
{
	json_real(json, "ratio", change->ratio);
	json_real(json, "low", change->low);
	json_real(json, "high", change->high);
	json_real(json, "probability", change->probability);
}

static void add_side(struct json *json, const char *name, const struct profile_row *row)
{
	if (!row) {
		json_null(json, name);
		return;
	}
	json_object(json, name);
	json_array(json, "runs");
	for (const struct row_run *run = row->runs; run < row->runs + row->run_count; run++) {
		json_object(json, NULL);
		json_unsigned(json, "run", run->run);
		json_unsigned(json, "calls", run->calls);
		json_real(json, "total_ns", run->total);
		json_real(json, "average_ns", run->average);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static void add_row(struct json *json, const struct comparison_row *row)
{
	json_object(json, NULL);
	json_text(json, "type", type_of(row, SHEET_JSON));
	json_text(json, "name", comparison_name(row));
	add_side(json, "a", row->a);
	add_side(json, "b", row->b);
	json_object(json, "average");
	add_change(json, &row->average);
	json_end(json);
	json_object(json, "total");
	add_change(json, &row->total);
	json_end(json);
	json_text(json, "verdict", verdict_text(row->verdict));
	json_end(json);
}

static void print_json(const struct comparison *comparison, FILE *file)
{
	struct json json = {.file = file};

	json_object(&json, NULL);
	json_unsigned(&json, "format", FORMAT);
	json_unsigned(&json, "runs_a", comparison->runs_a);
	json_unsigned(&json, "runs_b", comparison->runs_b);
	json_real(&json, "threshold_percent", comparison->threshold * 100);
	json_object(&json, "gpu_total");
	json_real(&json, "a_ns", comparison->gpu_a);
	json_real(&json, "b_ns", comparison->gpu_b);
	add_change(&json, &comparison->gpu);
	json_text(&json, "verdict", verdict_text(comparison->gpu_verdict));
	json_end(&json);
	add_devices(&json, "memory", comparison, add_memory);
	add_devices(&json, "energy", comparison, add_energy);
	json_array(&json, "rows");
	for (size_t i = 0; i < comparison->count; i++)
		add_row(&json, &comparison->rows[i]);
	json_end(&json);
	json_end(&json);
	fputc('\n', file);
}

void comparison_print(const struct comparison *comparison, enum sheet_form form, FILE *file)
{
	struct sheet sheet = comparison_sheet(comparison, form);
	struct out out = OUT_TO_FILE(file);

	switch (form) {
	case SHEET_JSON:
		print_json(comparison, file);
		break;
	case SHEET_MARKDOWN:
		print_lines(comparison, "\n", file);
		fputc('\n', file);
		sheet_markdown(&sheet, &out);
		out_flush(&out);
		break;
	default:
		sheet_write(&sheet, file);
		break;
	}
	if (form == SHEET_TEXT) {
		fputc('\n', file);
		print_lines(comparison, "", file);
	}
}

/* The runs of one program, those of most time first. */
struct runs_rows {
	const struct profile_row **rows;
	size_t runs;
};

static const struct column runs_columns[] = {
	{"Type", .width = 16, .once = true},
	{"Calls", .kind = CELL_MEAN, .width = 8},
	{"Time", .kind = CELL_MEAN_NS, .width = 8},
	{"StdDev", .kind = CELL_PERCENT, .width = 7},
	{"Avg", .kind = CELL_MEAN_NS, .width = 8},
	{"StdDev", .kind = CELL_PERCENT, .width = 7},
	{"Name", .name = true},
};

/* The standard deviation between runs, of the mean. */
static void fill_spread(struct cell *cell, const struct profile_row *row, bool of_totals)
{
	double mean = 0, squares = 0, count = (double)row->run_count;

	for (size_t i = 0; i < row->run_count; i++)
		mean += (of_totals ? row->runs[i].total : row->runs[i].average) / count;
	for (size_t i = 0; i < row->run_count; i++) {
		double apart = (of_totals ? row->runs[i].total : row->runs[i].average) - mean;

		squares += apart * apart;
	}
	if (count >= 2 && mean > 0)
		cell_real(cell, sqrt(squares / (count - 1)) / mean * 100);
}

static void fill_runs(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct runs_rows *of = sheet->argument;
	const struct profile_row *row = of->rows[index];

	cell_group(&cells[0], row->api, row->api ? "API calls:" : "GPU activities:");
	fill_side(row, of->runs, &cells[1], &cells[2], &cells[4]);
	fill_spread(&cells[3], row, true);
	fill_spread(&cells[5], row, false);
	cell_text(&cells[6], row->name);
}

static int by_total(const void *left, const void *right)
{
	const struct profile_row *x = *(const struct profile_row *const *)left;
	const struct profile_row *y = *(const struct profile_row *const *)right;

	return x->api != y->api ? x->api - y->api : (x->total < y->total) - (x->total > y->total);
}

void runs_print_text(const struct profile *runs, FILE *file)
{
	const struct profile_row *sections[] = {runs->gpu, runs->api};
	size_t count = HASH_COUNT(runs->gpu) + HASH_COUNT(runs->api);
	struct runs_rows of = {calloc(count + 1, sizeof(*of.rows)), runs->runs};
	struct sheet sheet = {SHEET_OF(runs_columns), .row = fill_runs, .argument = &of};

	for (unsigned i = 0; i < 2; i++)
		for (const struct profile_row *row = sections[i]; of.rows && row;
		     row = row->hh.next)
			of.rows[sheet.rows++] = row;
	if (of.rows)
		qsort(of.rows, sheet.rows, sizeof(*of.rows), by_total);
	sheet_write(&sheet, file);
	fprintf(file, "Means of %zu runs, and the standard deviation between runs.\n", runs->runs);
	free(of.rows);
}
