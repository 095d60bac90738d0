/* SPDX-License-Identifier: MIT */
#include "report/compare/means.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "report/compare/welch.h"

static void add_sample(const struct sample *spread, const char *name, struct json *json)
{
	json_object(json, name);
	json_real(json, "mean", spread->mean);
	json_real(json, "deviation", sample_deviation(spread));
	json_real(json, "least", spread->least);
	json_real(json, "most", spread->most);
	json_end(json);
}

/* What is said of the runs as a whole. */
enum whole { WALL, GPU, BUSY, WHOLES };
static const struct {
	const char *key, *name;
	size_t offset;
} wholes[WHOLES] = {{"wall_ns", "wall time", offsetof(struct run_times, wall)},
		    {"gpu_ns", "GPU time", offsetof(struct run_times, gpu)},
		    {"busy_ns", "GPU busy", offsetof(struct run_times, busy)}};

static double whole_of(const struct run_times *times, enum whole whole)
{
	return *(const double *)((const char *)times + wholes[whole].offset);
}

static struct sample spread_of_whole(const struct means *means, enum whole whole)
{
	struct sample spread = {0};

	for (size_t i = 0; i < means->profile->runs; i++)
		sample_add(&spread, whole_of(&means->times[i], whole));
	return spread;
}

/* Percent of the wall time. */
static struct sample spread_of_busy_share(const struct means *means)
{
	struct sample spread = {0};

	for (size_t i = 0; i < means->profile->runs; i++)
		sample_add(&spread, means->times[i].busy / means->times[i].wall * 100);
	return spread;
}

/* Of the runs that timed the row: their totals, or their calls' averages. */
static struct sample spread_of_row(const struct profile_row *row, bool averages)
{
	struct sample spread = {0};

	for (size_t i = 0; i < row->run_count; i++)
		sample_add(&spread, averages ? row->runs[i].average : row->runs[i].total);
	return spread;
}

void means_take_gpu_times(struct means *means)
{
	for (size_t i = 0; i < means->profile->runs; i++)
		means->times[i].gpu = 0;
	entries_for_each (const struct profile_row, means->profile->rows[0], row) {
		for (size_t i = 0; i < row->run_count; i++)
			means->times[row->runs[i].run].gpu += row->runs[i].total;
	}
}

static int by_total(const void *left, const void *right)
{
	const struct profile_row *x = *(const struct profile_row *const *)left;
	const struct profile_row *y = *(const struct profile_row *const *)right;

	return IN_ORDER(x->api, y->api) ?: IN_ORDER(y->total, x->total);
}

/* The profile's rows, those of most time first; the caller frees the array, which is NULL if memory
 * is out. */
static const struct profile_row **sorted_rows(const struct profile *profile, size_t *count)
{
	const struct profile_row **rows = calloc(
		HASH_COUNT(profile->rows[0]) + HASH_COUNT(profile->rows[1]) + 1, sizeof(*rows));

	*count = 0;
	for (unsigned i = 0; i < 2 && rows; i++)
		entries_for_each (const struct profile_row, profile->rows[i], row)
			rows[(*count)++] = row;
	if (rows)
		qsort(rows, *count, sizeof(*rows), by_total);
	return rows;
}

/* What the table is made of. */
struct table {
	const struct means *means;
	const struct profile_row **rows;
	size_t wholes; /* rows before them */
};

/* Standard deviations are percent of the mean. */
enum { TYPE, CALLS, TIME, DEVIATION, LEAST, MOST, AVERAGE, AVERAGE_DEVIATION, NAME };
static const struct column columns[] = {
	[TYPE] = {"Type", "Type", .width = 16, .once = true},
	[CALLS] = {"Calls", "Calls", .kind = CELL_MEAN, .width = 8},
	[TIME] = {"Time", "Time", .kind = CELL_MEAN_NS, .width = 8},
	[DEVIATION] = {"StdDev", "StdDev(%)", .kind = CELL_PERCENT, .width = 7},
	[LEAST] = {NULL, "Least", .kind = CELL_MEAN_NS},
	[MOST] = {NULL, "Most", .kind = CELL_MEAN_NS},
	[AVERAGE] = {"Avg", "Avg", .kind = CELL_MEAN_NS, .width = 8, .decimals = 3},
	[AVERAGE_DEVIATION] = {"StdDev", "Avg StdDev(%)", .kind = CELL_PERCENT, .width = 7},
	[NAME] = {"Name", "Name", .name = true},
};

static void fill_deviation(struct cell *cell, const struct sample *spread)
{
	if (spread->count > 1 && spread->mean > 0)
		cell_real(cell, sample_deviation(spread) / spread->mean * 100);
}

static void fill_times(struct cell *cells, const struct sample *spread)
{
	fill_deviation(&cells[DEVIATION], spread);
	cell_real(&cells[LEAST], spread->least);
	cell_real(&cells[MOST], spread->most);
}

static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct table *table = sheet->argument;
	double runs = (double)table->means->profile->runs;
	const struct profile_row *row;
	struct sample spread;

	if (index < table->wholes) {
		spread = spread_of_whole(table->means, index);
		cell_group(&cells[TYPE], 2, "Runs");
		cell_real(&cells[TIME], spread.mean);
		fill_times(cells, &spread);
		cell_text(&cells[NAME], wholes[index].name);
		return;
	}
	row = table->rows[index - table->wholes];
	cell_group(&cells[TYPE], row->api,
		   sheet->form == SHEET_CSV ? (row->api ? "API calls" : "GPU activities")
					    : (row->api ? "API calls:" : "GPU activities:"));
	cell_text(&cells[NAME], row->name);
	cell_real(&cells[CALLS], (double)row->calls / runs);
	if (!row->timed)
		return;
	cell_real(&cells[TIME], row->total / runs);
	cell_real(&cells[AVERAGE], row->average);
	spread = spread_of_row(row, false);
	fill_times(cells, &spread);
	spread = spread_of_row(row, true);
	fill_deviation(&cells[AVERAGE_DEVIATION], &spread);
}

int means_print_table(const struct means *means, enum sheet_form form, FILE *file)
{
	struct table table = {.means = means};
	struct sheet sheet = {SHEET_OF(columns), .row = fill_row, .argument = &table, .form = form};

	table.rows = sorted_rows(means->profile, &sheet.rows);
	if (!table.rows)
		return -ENOMEM;
	if (form == SHEET_CSV)
		table.wholes = isnan(spread_of_whole(means, BUSY).mean) ? BUSY : WHOLES;
	sheet.rows += table.wholes;
	sheet_write(&sheet, file);
	free(table.rows);
	return 0;
}

/* "1.31 ± 0.02 s (1.30 s to 1.34 s)" */
static void print_time(const struct sample *spread, FILE *file)
{
	char text[2][NUMBER_SIZE];

	if (spread->count < 2) {
		fputs(number_about(text[0], spread->mean, 3), file);
		return;
	}
	fputs(number_range(text[0], spread->mean, sample_deviation(spread)), file);
	fprintf(file, " (%s to %s)", number_about(text[0], spread->least, 3),
		number_about(text[1], spread->most, 3));
}

void means_print_times(const struct means *means, const char *prefix, FILE *file)
{
	struct sample wall = spread_of_whole(means, WALL), gpu = spread_of_whole(means, GPU);
	struct sample busy = spread_of_busy_share(means);

	fprintf(file, "%sWall time: ", prefix);
	print_time(&wall, file);
	fprintf(file, "\n%sGPU time: ", prefix);
	print_time(&gpu, file);
	if (isnan(busy.mean))
		fputs("; how long the GPU was busy is not known", file);
	else if (busy.count < 2)
		fprintf(file, "; busy %.1f %% of the wall time", busy.mean);
	else
		fprintf(file, "; busy %.1f ± %.1f %% of the wall time (%.1f to %.1f %%)", busy.mean,
			sample_deviation(&busy), busy.least, busy.most);
	fputc('\n', file);
}

static void add_row(const struct profile_row *row, double runs, struct json *json)
{
	struct sample total = spread_of_row(row, false), average = spread_of_row(row, true);

	json_object(json, NULL);
	json_text(json, "type", row->api ? "api" : "gpu");
	json_text(json, "name", row->name);
	json_real(json, "calls", (double)row->calls / runs);
	json_unsigned(json, "runs", row->run_count);
	if (row->run_count) {
		add_sample(&total, "total_ns", json);
		add_sample(&average, "average_ns", json);
	}
	json_end(json);
}

static void add_run(const struct run_times *times, struct json *json)
{
	json_object(json, NULL);
	for (enum whole whole = 0; whole < WHOLES; whole++)
		json_real(json, wholes[whole].key, whole_of(times, whole));
	json_end(json);
}

int means_add_json(const struct means *means, struct json *json)
{
	size_t count;
	const struct profile_row **rows = sorted_rows(means->profile, &count);

	if (!rows)
		return -ENOMEM;
	json_object(json, NULL);
	json_array(json, "command");
	for (const char *const *word = means->program; *word; word++)
		json_text(json, NULL, *word);
	json_end(json);
	json_text(json, "folder", means->folder);
	for (enum whole whole = 0; whole < WHOLES; whole++) {
		struct sample spread = spread_of_whole(means, whole);

		add_sample(&spread, wholes[whole].key, json);
	}
	json_array(json, "runs");
	for (size_t i = 0; i < means->profile->runs; i++)
		add_run(&means->times[i], json);
	json_end(json);
	json_array(json, "rows");
	for (size_t i = 0; i < count; i++)
		add_row(rows[i], (double)means->profile->runs, json);
	json_end(json);
	json_end(json);
	free(rows);
	return 0;
}
