/* SPDX-License-Identifier: MIT */
/* nvprof's summary, as text and as CSV, and the histograms of its rows. */
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/print/number.h"
#include "report/print/report.h"
#include "report/print/table.h"

#define TITLE_WIDTH 16

struct summary {
	struct table tables[TABLE_SECTIONS]; /* by enum table_section */
	const struct options *options;
	unsigned columns;			  /* how many times a row has */
	enum time_unit units[TABLE_COLUMN_COUNT]; /* of the columns, but with --unit auto */
	bool narrow; /* the sections' titles stand on lines of their own */
	FILE *file;
};

#define COLUMN_TITLE(name, title) title,
static const char *const column_titles[] = {TABLE_COLUMNS(COLUMN_TITLE)};

static const char *const section_titles[] = {"Range", "GPU activities", "CUDA graphs", "API calls"};

static bool has_own_units(const struct summary *summary)
{
	return !summary->options->csv && summary->options->unit == UNIT_AUTO;
}

/*
 * As nvprof: a column takes the unit of its largest value in the first section that has times. The
 * API's times, often much longer, do not make the kernels' times unreadable.
 */
static void choose_units(struct summary *summary)
{
	int unit = summary->options->unit;
	const struct table *table = summary->tables;

	while (table->total == 0 && table < &summary->tables[TABLE_API])
		table++;
	for (unsigned column = 0; column < summary->columns; column++) {
		uint64_t largest = 0;

		for (size_t i = 0; i < table->count; i++) {
			uint64_t time = table_time(&table->rows[i], column);

			if (time > largest)
				largest = time;
		}
		summary->units[column] = unit == UNIT_AUTO || unit == UNIT_COLUMN
						 ? number_time_unit(largest)
						 : (enum time_unit)unit;
	}
}

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

/* On a terminal that is too narrow for them the titles leave their column. */
static void fit_width(struct summary *summary)
{
	size_t longest = 0, left = TITLE_WIDTH + 2 + TABLE_FIGURES_WIDTH(summary->columns);

	for (unsigned section = TABLE_RANGE; section <= TABLE_API; section++)
		for (size_t i = 0; i < summary->tables[section].count; i++) {
			size_t length = strlen(summary->tables[section].rows[i].name);

			longest = length > longest ? length : longest;
		}
	summary->narrow = summary->options->width && left + longest > summary->options->width;
}

static void write_text_heading(const struct summary *summary)
{
	FILE *file = summary->file;

	if (summary->options->colour)
		fputs("\033[1m", file);
	if (!summary->narrow)
		fprintf(file, "%*s  ", TITLE_WIDTH, "Type");
	fprintf(file, "%7s  %8s  %8s", "Time(%)", column_titles[TABLE_TIME], "Calls");
	for (unsigned column = TABLE_AVERAGE; column < summary->columns; column++)
		fprintf(file, "  %8s", column_titles[column]);
	fprintf(file, "  Name%s\n", summary->options->colour ? "\033[0m" : "");
	if (has_own_units(summary))
		return;
	if (!summary->narrow)
		fprintf(file, "%*s  ", TITLE_WIDTH, "");
	fprintf(file, "%7s  %8s  %8s", "%", number_time_unit_name(summary->units[TABLE_TIME]), "");
	for (unsigned column = TABLE_AVERAGE; column < summary->columns; column++)
		fprintf(file, "  %8s", number_time_unit_name(summary->units[column]));
	fputc('\n', file);
}

static void write_text_time(const struct summary *summary, const struct table_row *row,
			    enum table_column column)
{
	char text[NUMBER_SIZE] = "-";

	if (row->timed > 0 && has_own_units(summary))
		number_time(text, table_time(row, column));
	else if (row->timed > 0)
		number_time_in(text, table_time(row, column), summary->units[column]);
	/* An estimate: "Timing:" below the table says what the mark means. */
	fprintf(summary->file, " %s%8s", column == TABLE_TIME && row->estimated ? "~" : " ", text);
}

static void write_text_section(const struct summary *summary, enum table_section section)
{
	const struct table *table = &summary->tables[section];
	FILE *file = summary->file;
	char title[20], calls[24];

	snprintf(title, sizeof(title), "%s:", section_titles[section]);
	if (summary->narrow && table->count > 0)
		fprintf(file, "%s\n", title);
	for (size_t i = 0; i < table->count; i++) {
		const struct table_row *row = &table->rows[i];

		if (!summary->narrow)
			fprintf(file, "%*s  ", TITLE_WIDTH, i == 0 ? title : "");
		if (row->timed == 0)
			fprintf(file, "%7s", "-");
		else
			fprintf(file, has_own_units(summary) ? "%6.2f%%" : "%7.2f",
				table_percent(table, row));
		write_text_time(summary, row, TABLE_TIME);
		snprintf(calls, sizeof(calls), "%s%llu", row->more_calls ? ">" : "",
			 (unsigned long long)row->calls);
		fprintf(file, "  %8s", calls);
		for (unsigned column = TABLE_AVERAGE; column < summary->columns; column++)
			write_text_time(summary, row, column);
		fprintf(file, "  %s\n", row->name);
	}
}

static void write_csv_heading(const struct summary *summary)
{
	FILE *file = summary->file;

	fprintf(file, "\"Type\",\"Time(%%)\",\"%s\",\"Calls\"", column_titles[TABLE_TIME]);
	for (unsigned column = TABLE_AVERAGE; column < summary->columns; column++)
		fprintf(file, ",\"%s\"", column_titles[column]);
	fprintf(file, ",\"Name\"\n,%%,%s,", number_time_unit_name(summary->units[TABLE_TIME]));
	for (unsigned column = TABLE_AVERAGE; column < summary->columns; column++)
		fprintf(file, ",%s", number_time_unit_name(summary->units[column]));
	fputs(",\n", file);
}

static void write_csv_time(const struct summary *summary, const struct table_row *row,
			   enum table_column column)
{
	char text[NUMBER_SIZE] = "";

	if (row->timed > 0)
		number_time_csv(text, table_time(row, column), summary->units[column]);
	fprintf(summary->file, "%s,", text);
}

static void write_csv_section(const struct summary *summary, enum table_section section)
{
	const struct table *table = &summary->tables[section];
	FILE *file = summary->file;

	for (size_t i = 0; i < table->count; i++) {
		const struct table_row *row = &table->rows[i];

		/* nvprof writes the colon here too. */
		fprintf(file, "\"%s%s\",", section_titles[section],
			section == TABLE_RANGE ? ":" : "");
		if (row->timed > 0)
			fprintf(file, "%f", table_percent(table, row));
		fputc(',', file);
		write_csv_time(summary, row, TABLE_TIME);
		fprintf(file, "%llu,", (unsigned long long)row->calls);
		for (unsigned column = TABLE_AVERAGE; column < summary->columns; column++)
			write_csv_time(summary, row, column);
		csv_write_text(row->name, file);
		fputc('\n', file);
	}
}

void summary_write_range(const struct table *tables, const struct options *options, FILE *file)
{
	struct summary summary = {
		.options = options, .file = file, .columns = TABLE_NVPROF_COLUMNS};

	memcpy(summary.tables, tables, sizeof(summary.tables));
	choose_units(&summary);
	fit_width(&summary);
	if (options->csv)
		write_csv_heading(&summary);
	else
		write_text_heading(&summary);
	for (unsigned section = TABLE_RANGE; section <= TABLE_API; section++) {
		if (options->csv)
			write_csv_section(&summary, section);
		else
			write_text_section(&summary, section);
		if (section == TABLE_GPU && summary.tables[section].count == 0)
			fputs("No kernels were profiled in this range.\n", file);
		if (section == TABLE_API && summary.tables[section].count == 0)
			fputs("No API activities were profiled in this range.\n", file);
	}
}

int summary_write(const struct session *session, const struct options *options, bool gpu, bool api,
		  int device, FILE *file)
{
	const bool wanted[TABLE_SECTIONS] = {
		[TABLE_GPU] = gpu, [TABLE_GRAPHS] = gpu, [TABLE_API] = api};
	struct summary summary = {.options = options, .file = file};
	bool rows;
	int error = 0;

	summary.columns = options->percentiles ? TABLE_COLUMN_COUNT : TABLE_NVPROF_COLUMNS;
	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++)
		if (wanted[section] && !error)
			error = table_collect(&summary.tables[section], session, options, section,
					      device, options->percentiles);
	if (error)
		goto out;
	choose_units(&summary);
	fit_width(&summary);
	rows = summary.tables[TABLE_GPU].count > 0 || summary.tables[TABLE_API].count > 0;
	if (gpu && summary.tables[TABLE_GPU].count == 0)
		fputs("No kernels were profiled.\n", file);
	if (rows && options->csv)
		write_csv_heading(&summary);
	else if (rows)
		write_text_heading(&summary);
	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++) {
		if (options->csv)
			write_csv_section(&summary, section);
		else
			write_text_section(&summary, section);
	}
	if (api && summary.tables[TABLE_API].count == 0)
		fputs("No API activities were profiled.\n", file);
out:
	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++)
		table_free(&summary.tables[section]);
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
