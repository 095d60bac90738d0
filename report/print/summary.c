/* SPDX-License-Identifier: MIT */
/* nvprof's summary, as text and as CSV, and the histograms of its rows. */
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/sheet/sheet.h"

void csv_write_text(const char *text, FILE *file)
{
	char *visible = visible_text(text);

	fputc('"', file);
	for (const char *at = visible; at && *at; at++) {
		if (*at == '"')
			fputc('"', file);
		fputc(*at, file);
	}
	fputc('"', file);
	free(visible);
}

#define TITLE_WIDTH 16

static const struct column columns[] = {
	{"Type", "Type", .page = "", .width = TITLE_WIDTH, .once = true, .parts = SUMMARY_WIDE},
	{"Type", NULL, .page = "", .line = "", .parts = SUMMARY_NARROW},
	{"Time(%)", "Time(%)", .kind = CELL_PERCENT, .width = 7},
	{"Time", "Time", .kind = CELL_TIME, .width = 8},
	{"Calls", "Calls", .kind = CELL_COUNT, .width = 8},
	{"Avg", "Avg", .kind = CELL_TIME, .width = 8},
	{"Min", "Min", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_EXTREMES},
	{"Max", "Max", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_EXTREMES},
	{"Med", "Med", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_PERCENTILES},
	{"p95", "p95", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_PERCENTILES},
	{"p99", "p99", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_PERCENTILES},
	{"StdDev", "StdDev", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_PERCENTILES},
	{"Name", "Name", .name = true, .head = true},
};

/* nvprof writes the colon of a range in CSV too. */
static const char *section_title(enum table_section section, bool csv)
{
	static const char *const titles[] = {
		"Range:", "GPU activities:", "CUDA graphs:", "API calls:"};
	static const char *const plain[] = {"Range:", "GPU activities", "CUDA graphs", "API calls"};

	return (csv ? plain : titles)[section];
}

void summary_fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct table *table = sheet->argument;
	const struct table_row *row;
	enum table_section section = TABLE_RANGE;

	for (; index >= table->count; section++)
		index -= table++->count;
	row = &table->rows[index];
	for (unsigned i = 0; i < 2; i++)
		cell_group(cells++, section, section_title(section, sheet->form == SHEET_CSV));
	if (row->timed > 0)
		cell_real(cells, table_percent(table, row));
	cells++;
	for (enum table_column column = TABLE_TIME; column < TABLE_COLUMN_COUNT; column++) {
		if (row->timed > 0)
			cell_count(cells, table_time(row, column));
		/* An estimate: "Timing:" below the table says what the mark means. */
		if (column == TABLE_TIME && row->estimated) {
			cells->mark = '~';
			cells->error = row->error;
		}
		cells++;
		if (column != TABLE_TIME)
			continue;
		cell_count(cells, row->calls);
		cells++->mark = row->more_calls ? '>' : '\0';
	}
	cell_text(cells, row->name);
}

void summary_sheet(struct sheet *sheet, const struct table *tables)
{
	*sheet = (struct sheet){SHEET_OF(columns), .row = summary_fill_row, .argument = tables,
				.parts = SUMMARY_WIDE | SUMMARY_EXTREMES};
	for (unsigned section = TABLE_RANGE; section <= TABLE_API; section++)
		sheet->rows += tables[section].count;
}

/*
 * As nvprof: a column takes the unit of its largest value in the first section that has times. The
 * API's times, often much longer, do not make the kernels' times unreadable.
 */
static void fit_sheet(struct sheet *sheet, const struct table *tables,
		      const struct options *options, bool percentiles)
{
	size_t longest = 0, first = 0,
	       times = percentiles ? TABLE_COLUMN_COUNT : TABLE_NVPROF_COLUMNS;
	const struct table *timed = tables;

	summary_sheet(sheet, tables);
	for (unsigned section = TABLE_RANGE; section <= TABLE_API; section++)
		for (size_t i = 0; i < tables[section].count; i++) {
			size_t length = strlen(tables[section].rows[i].name);

			longest = length > longest ? length : longest;
		}
	if (options->width &&
	    TITLE_WIDTH + 2 + TABLE_FIGURES_WIDTH(times) + longest > options->width)
		sheet->parts ^= SUMMARY_WIDE | SUMMARY_NARROW;
	sheet->parts |= percentiles ? SUMMARY_PERCENTILES : 0;
	sheet->form = options->csv ? SHEET_CSV : SHEET_TEXT;
	sheet->bold = options->colour;
	for (; timed->total == 0 && timed < &tables[TABLE_API]; timed++)
		first += timed->count;
	sheet_choose_units(sheet, options->unit, first, timed->count);
}

void summary_write_range(const struct table *tables, const struct options *options, FILE *file)
{
	struct sheet sheet;
	size_t rows;

	fit_sheet(&sheet, tables, options, false);
	rows = sheet.rows;
	sheet.rows = tables[TABLE_RANGE].count + tables[TABLE_GPU].count;
	sheet_write(&sheet, file);
	if (tables[TABLE_GPU].count == 0)
		fputs("No kernels were profiled in this range.\n", file);
	sheet.first = sheet.rows;
	sheet.continued = true;
	sheet.rows = rows;
	sheet_write(&sheet, file);
	if (tables[TABLE_API].count == 0)
		fputs("No API activities were profiled in this range.\n", file);
}

int summary_write(const struct session *session, const struct options *options, bool gpu, bool api,
		  int device, FILE *file)
{
	const bool wanted[TABLE_SECTIONS] = {
		[TABLE_GPU] = gpu, [TABLE_GRAPHS] = gpu, [TABLE_API] = api};
	struct table tables[TABLE_SECTIONS] = {{.rows = NULL}};
	struct sheet sheet;
	int error = 0;

	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++)
		if (wanted[section] && !error)
			error = table_collect(&tables[section], session, options, section, device,
					      options->percentiles);
	if (error)
		goto out;
	fit_sheet(&sheet, tables, options, options->percentiles);
	if (gpu && tables[TABLE_GPU].count == 0)
		fputs("No kernels were profiled.\n", file);
	if (sheet.rows > 0)
		sheet_write(&sheet, file);
	if (api && tables[TABLE_API].count == 0)
		fputs("No API activities were profiled.\n", file);
out:
	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++)
		table_free(&tables[section]);
	return error;
}

/* Each row's histogram, drawn in text. */
#define LINES_MOST 16
#define BAR_WIDTH  50

/*
 * Draws the buckets between the first and the last that are not empty, `step` to a line. There must
 * be a sample in one of them.
 */
static void write_histogram(const struct histogram *histogram, FILE *file)
{
	static const char bar[] = "##################################################";
	unsigned first = 0, last = HISTOGRAM_BUCKETS - 1, step = 1;
	uint64_t counts[LINES_MOST] = {0}, largest = 0;
	char low[NUMBER_SIZE], high[NUMBER_SIZE];

	while (first < last && histogram->buckets[first] == 0)
		first++;
	while (last > first && histogram->buckets[last] == 0)
		last--;
	while ((last - first) / step >= LINES_MOST)
		step++;
	for (unsigned bucket = first; bucket <= last; bucket++)
		counts[(bucket - first) / step] += histogram->buckets[bucket];
	for (unsigned i = 0; i <= (last - first) / step; i++)
		if (counts[i] > largest)
			largest = counts[i];
	for (unsigned i = 0; i <= (last - first) / step; i++) {
		unsigned from = first + i * step;
		unsigned to = from + step - 1 < last ? from + step - 1 : last;
		/* Rounded up: what is there is seen. */
		uint64_t width = (counts[i] * BAR_WIDTH + largest - 1) / largest;

		fprintf(file, "%10s ..%10s  %10llu  %.*s\n",
			number_time(low, histogram_bucket_low(from)),
			number_time(high, histogram_bucket_high(to) - 1),
			(unsigned long long)counts[i], (int)width, bar);
	}
}

int histograms_write(const struct session *session, const struct options *options, FILE *file)
{
	int error = 0;

	for (enum table_section section = TABLE_GPU; section <= TABLE_API && !error; section++) {
		struct table table;

		if (section == TABLE_API && !(options->trace & TRACE_API))
			break;
		error = table_collect(&table, session, options, section, TABLE_ALL_DEVICES, true);
		for (size_t i = 0; !error && i < table.count; i++) {
			const struct histogram *histogram = table.rows[i].histogram;

			/* A damaged file may have one of zeros for calls that were timed. */
			if (!histogram || histogram_count(histogram) == 0)
				continue;
			fprintf(file, "\n%s\n", table.rows[i].name);
			write_histogram(histogram, file);
		}
		if (!error)
			table_free(&table);
	}
	return error;
}
