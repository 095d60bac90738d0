/* SPDX-License-Identifier: MIT */
/* The whole table: a row for each name, with its distribution behind it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/section.h"
#include "report/sheet/sheet.h"

/* Bytes of the tables. Chosen: a page without a trace stays under 1 MB, and most of it is for the
 * GPU's activities, which get what the other sections leave. */
#define GRAPHS_BYTES 50000
#define API_BYTES    120000
/* Rows that come first. Chosen: what a reader takes in without scrolling. */
#define FIRST_ROWS   10

/* Bars of a histogram. Chosen: about what fits beside a name, in half a kilobyte. */
#define BARS_MOST    48
#define BAR_WIDTH    10
#define BAR_HEIGHT   60

struct bars {
	unsigned first, step, count; /* buckets: the first one, how many a bar has; bars */
	uint64_t calls[BARS_MOST], all, largest;
};

/* False if there is no sample. */
static bool make_bars(struct bars *bars, const struct histogram *histogram)
{
	unsigned last = HISTOGRAM_BUCKETS - 1;

	*bars = (struct bars){.step = 1};
	while (bars->first < last && histogram->buckets[bars->first] == 0)
		bars->first++;
	while (last > bars->first && histogram->buckets[last] == 0)
		last--;
	while ((last - bars->first) / bars->step >= BARS_MOST)
		bars->step++;
	bars->count = (last - bars->first) / bars->step + 1;
	for (unsigned bucket = bars->first; bucket <= last; bucket++)
		bars->calls[(bucket - bars->first) / bars->step] += histogram->buckets[bucket];
	for (unsigned i = 0; i < bars->count; i++) {
		bars->all += bars->calls[i];
		bars->largest = bars->calls[i] > bars->largest ? bars->calls[i] : bars->largest;
	}
	return bars->largest > 0;
}

static void write_histogram(struct html *html, const struct bars *bars)
{
	char low[NUMBER_SIZE], high[NUMBER_SIZE], calls[NUMBER_SIZE], most[NUMBER_SIZE];

	number_time(low, histogram_bucket_low(bars->first));
	number_time(high, histogram_bucket_high(bars->first + bars->count * bars->step - 1) - 1);
	fprintf(html->file,
		"<figure>\n<svg class=\"histogram\" role=\"img\" viewBox=\"0 0 %u %u\" "
		"preserveAspectRatio=\"none\" aria-label=\"Histogram of %s calls from %s to %s, at "
		"most %s in a bar\"><path d=\"",
		bars->count * BAR_WIDTH, BAR_HEIGHT, number_count(calls, bars->all), low, high,
		number_count(most, bars->largest));
	for (unsigned i = 0; i < bars->count; i++) {
		/* Rounded up: what is there is seen. */
		double share = (double)bars->calls[i] / (double)bars->largest;
		unsigned height = (unsigned)ceil(share * BAR_HEIGHT);

		if (height)
			fprintf(html->file, "M%u %dv-%uh%dv%uz", i * BAR_WIDTH, BAR_HEIGHT, height,
				BAR_WIDTH - 1, height);
	}
	fprintf(html->file,
		"\"/></svg>\n<figcaption><span>%s</span><span>%s</span></figcaption>\n</figure>\n",
		low, high);
}

static void write_percentile(struct html *html, const struct table_row *row, const char *name,
			     double fraction)
{
	char text[NUMBER_SIZE];

	fprintf(html->file, "<div><dt>%s</dt><dd>%s</dd></div>", name,
		number_time(text, histogram_percentile_within(row->histogram, fraction,
							      row->minimum, row->maximum)));
}

static void write_percentiles(struct html *html, const struct table_row *row)
{
	char text[NUMBER_SIZE];

	fputs("<dl class=\"percentiles\">", html->file);
	fprintf(html->file, "<div><dt>Min</dt><dd>%s</dd></div>", number_time(text, row->minimum));
	write_percentile(html, row, "Med", 0.5);
	write_percentile(html, row, "p90", 0.9);
	write_percentile(html, row, "p95", 0.95);
	write_percentile(html, row, "p99", 0.99);
	write_percentile(html, row, "p99.9", 0.999);
	fprintf(html->file, "<div><dt>Max</dt><dd>%s</dd></div></dl>\n",
		number_time(text, row->maximum));
}

/* In words, as the lines below the table of `ktime show` have it. */
static void write_estimate(struct html *html, const struct table_row *row)
{
	char total[NUMBER_SIZE], timed[NUMBER_SIZE], calls[NUMBER_SIZE];

	if (isnan(row->error))
		number_about(total, (double)row->total, 3);
	else
		number_range(total, (double)row->total, row->error);
	fprintf(html->file, "<p class=\"estimate\">Estimate: %s%s, from %s of %s calls%s%s.</p>\n",
		total, isnan(row->error) ? "" : " (95 %)", number_count(timed, row->timed),
		number_count(calls, row->counted), isnan(row->error) ? "; no interval: " : "",
		isnan(row->error) ? table_without_interval(row) : "");
}

/* A histogram and percentiles, and what an estimated total is made of; nothing if no call was
 * timed. */
static void write_distribution(struct html *html, const struct table_row *row)
{
	struct bars bars;

	if (!row->timed)
		return;
	if (row->estimated)
		write_estimate(html, row);
	/* A damaged file may have one of zeros for calls that were timed. */
	if (!row->histogram || !make_bars(&bars, row->histogram))
		return;
	write_histogram(html, &bars);
	write_percentiles(html, row);
}

/* A section's rows. */
struct rows {
	struct table tables[TABLE_SECTIONS]; /* that section's */
	struct page *page;
	long most;	  /* bytes of the table */
	size_t *detailed; /* rows that have their distribution */
};

struct named {
	struct page *page;
	const struct table_row *row;
	bool distribution;
};

/* What stands behind the name: the name in full, if it is another one, and the distribution. */
static void write_name(struct html *html, const void *argument)
{
	const struct named *named = argument;
	char *full = table_row_name(&named->page->full, named->row->first);

	fputs("<details><summary>", html->file);
	html_text(html, named->row->name);
	fputs("</summary>\n", html->file);
	if (full && strcmp(full, named->row->name) != 0) {
		fputs("<p class=\"full-name\">", html->file);
		html_text(html, full);
		fputs("</p>\n", html->file);
	}
	if (!full)
		html->error = -ENOMEM;
	free(full);
	if (named->distribution)
		write_distribution(html, named->row);
	fputs("</details>", html->file);
}

/* A distribution takes more than all of its row, so that the second half of the section goes
 * without. */
static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct rows *rows = sheet->argument;
	struct named named = {.page = rows->page};

	summary_fill_row(sheet, index, cells);
	for (unsigned i = TABLE_RANGE; i < TABLE_SECTIONS; i++)
		if (rows->tables[i].count)
			named.row = &rows->tables[i].rows[index];
	named.distribution = ftell(rows->page->html.file) < rows->most / 2;
	*rows->detailed += named.distribution;
	html_cell(&rows->page->html, &cells[sheet->column_count - 1], write_name, &named);
}

static void write_left_out(FILE *file, const struct table *table, size_t detailed, size_t shown)
{
	uint64_t left = 0;

	for (size_t i = shown; i < table->collected; i++)
		left += table->rows[i].total;
	if (detailed < shown)
		fprintf(file,
			"<p class=\"left-out\">Rows behind the first %zu are without a "
			"histogram.</p>\n",
			detailed);
	if (shown < table->collected)
		fprintf(file,
			"<p class=\"left-out\">%zu more rows, with %.2f %% of the time, are not in "
			"this page: <code>ktime show</code> prints them.</p>\n",
			table->collected - shown,
			table->total ? 100.0 * (double)left / (double)table->total : 0);
}

/* The rows in the table's order until the section is full. */
static int write_rows(struct page *page, enum table_section section, const char *id,
		      const char *caption, long most)
{
	size_t detailed = 0;
	struct rows rows = {.page = page, .most = most, .detailed = &detailed};
	struct sheet sheet;

	rows.tables[section] = page->tables[section];
	if (!rows.tables[section].count)
		return 0;
	summary_sheet(&sheet, rows.tables);
	sheet.row = fill_row;
	sheet.argument = &rows;
	sheet.parts |= SUMMARY_PERCENTILES;
	sheet.room = (size_t)most;
	html_sheet(&page->html, &sheet, id, "rows sortable filterable", caption);
	write_left_out(page->html.file, &rows.tables[section], detailed, sheet.shown);
	return 0;
}

/* That a row may have more calls is said in the whole table. */
static void fill_first_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	summary_fill_row(sheet, index, cells);
	for (unsigned i = 0; i < sheet->column_count; i++)
		if (sheet->columns[i].kind == CELL_COUNT)
			cells[i].mark = '\0';
}

int first_rows_section(struct page *page)
{
	struct table tables[TABLE_SECTIONS] = {[TABLE_GPU] = page->tables[TABLE_GPU]};
	struct sheet sheet;
	char caption[96];

	if (!tables[TABLE_GPU].count)
		return 0;
	if (tables[TABLE_GPU].count > FIRST_ROWS)
		tables[TABLE_GPU].count = FIRST_ROWS;
	snprintf(caption, sizeof(caption), "The first %zu of %zu rows of GPU activities",
		 tables[TABLE_GPU].count, tables[TABLE_GPU].collected);
	summary_sheet(&sheet, tables);
	sheet.row = fill_first_row;
	sheet.parts = 0;
	html_sheet(&page->html, &sheet, "first-rows-table", "bars", caption);
	return 0;
}

int gpu_section(struct page *page)
{
	return write_rows(
		page, TABLE_GPU, "gpu-table",
		"Kernels, copies and what else ran on the GPU; a name opens its histogram",
		page->room);
}

int graphs_section(struct page *page)
{
	return write_rows(page, TABLE_GRAPHS, "graphs-table",
			  "Launches of CUDA graphs, whose nodes are rows of the table above",
			  GRAPHS_BYTES);
}

int api_section(struct page *page)
{
	return write_rows(page, TABLE_API, "api-table",
			  "Calls of the CUDA API, by their time on the host", API_BYTES);
}
