/* SPDX-License-Identifier: MIT */
/* nvprof's summary, as text and as CSV. */
#include <string.h>

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

static const char *const section_titles[] = {"GPU activities", "CUDA graphs", "API calls"};

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

static double percent(const struct table *table, const struct table_row *row)
{
	return table->total > 0 ? 100.0 * (double)row->total / (double)table->total : 0;
}

void csv_write_text(const char *text, FILE *file)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

/* On a terminal that is too narrow for them the titles leave their column. */
static void fit_width(struct summary *summary)
{
	size_t longest = 0, left = TITLE_WIDTH + 2 + TABLE_FIGURES_WIDTH(summary->columns);

	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++)
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
				percent(table, row));
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

		fprintf(file, "\"%s\",", section_titles[section]);
		if (row->timed > 0)
			fprintf(file, "%f", percent(table, row));
		fputc(',', file);
		write_csv_time(summary, row, TABLE_TIME);
		fprintf(file, "%llu,", (unsigned long long)row->calls);
		for (unsigned column = TABLE_AVERAGE; column < summary->columns; column++)
			write_csv_time(summary, row, column);
		csv_write_text(row->name, file);
		fputc('\n', file);
	}
}

int summary_write(const struct session *session, const struct options *options, bool gpu, bool api,
		  int device, FILE *file)
{
	const bool wanted[TABLE_SECTIONS] = {gpu, gpu, api};
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
