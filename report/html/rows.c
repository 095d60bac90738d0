/* SPDX-License-Identifier: MIT */
/* The whole table: a row for each name, with its distribution behind it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/section.h"

/* Bytes of the tables. Chosen: a page without a trace stays under 1 MB, and most of it is for the
 * GPU's activities, which get what the other sections leave. */
#define GRAPHS_BYTES 50000
#define API_BYTES    120000

/* A bar of a histogram, and its height. Chosen: as many as BARS_MOST fit beside a name, in half a
 * kilobyte. */
#define BAR_WIDTH    10
#define BAR_HEIGHT   60
/* A picture's width in rem. Chosen: a few bars are no walls, and the texts below fit. */
#define BAR_REM	     1.25
#define LEAST_REM    17.0
#define MOST_REM     32.0 /* as the style has it */
/* The fewest empty bars that a gap stands in the place of. Chosen: fewer show the scale. */
#define EMPTY_BARS   4

struct bar {
	unsigned first, last; /* buckets */
	uint64_t calls;
	bool gap; /* stands for several bars without calls */
};

struct histogram_bars {
	struct bar bars[BARS_MOST];
	unsigned count, step; /* buckets that a bar has */
	uint64_t all, largest;
};

/* Adds a bar; false: it is one too many. */
static bool add_bar(struct histogram_bars *bars, const struct bar *bar)
{
	if (bars->count == BARS_MOST)
		return false;
	bars->bars[bars->count++] = *bar;
	bars->all += bar->calls;
	RAISE(bars->largest, bar->calls);
	return true;
}

/* Adds what is before the bar that begins with bucket `end`: empty bars, or a gap. */
static bool add_empty(struct histogram_bars *bars, unsigned first, unsigned end)
{
	bool fits = true;

	if (end - first >= EMPTY_BARS * bars->step)
		return add_bar(bars, &(struct bar){.first = first, .last = end - 1, .gap = true});
	for (; first < end && fits; first += bars->step)
		fits = add_bar(bars, &(struct bar){.first = first, .last = first + bars->step - 1});
	return fits;
}

/* Fills in bars of `step` buckets each; false: there are too many. */
static bool fill_bars(struct histogram_bars *bars, const struct histogram *histogram,
		      const struct bars *range, unsigned step)
{
	unsigned empty_from = range->first;
	bool fits = true;

	*bars = (struct histogram_bars){.step = step};
	for (unsigned first = range->first; first <= range->last && fits; first += step) {
		struct bar bar = {.first = first, .last = first + step - 1};

		LOWER(bar.last, range->last);
		for (unsigned i = first; i <= bar.last; i++)
			bar.calls += histogram->buckets[i];
		if (!bar.calls)
			continue;
		fits = add_empty(bars, empty_from, first) && add_bar(bars, &bar);
		empty_from = bar.last + 1;
	}
	return fits;
}

/* From where to where the calls of the bars are. Where an event-pair overhead was taken off buckets
 * by their middles, the first and the last bar may begin and end a bit beside. */
static void write_ends(const struct table_row *row, char *low, char *high)
{
	number_time(low, row->minimum);
	number_time(high, row->maximum);
}

static void write_histogram(struct html *html, const struct histogram_bars *bars,
			    const struct table_row *row)
{
	double rem = BAR_REM * bars->count;
	char low[NUMBER_SIZE], high[NUMBER_SIZE], calls[NUMBER_SIZE], most[NUMBER_SIZE];

	write_ends(row, low, high);
	/* The bars have the colour of the figure's class. */
	fprintf(html->file, "<figure class=\"%s\"", kind_class(row->kind));
	if (rem < MOST_REM)
		fprintf(html->file, " style=\"max-width:%grem\"",
			rem > LEAST_REM ? rem : LEAST_REM);
	fprintf(html->file,
		">\n<svg class=\"histogram\" role=\"img\" viewBox=\"0 0 %u %u\" "
		"preserveAspectRatio=\"none\" aria-label=\"Histogram of %s calls from %s to %s, at "
		"most %s in a bar\"><path d=\"",
		bars->count * BAR_WIDTH, BAR_HEIGHT, number_count(calls, bars->all), low, high,
		number_count(most, bars->largest));
	for (unsigned i = 0; i < bars->count; i++) {
		/* Rounded up: what is there is seen. */
		double share = (double)bars->bars[i].calls / (double)bars->largest;
		unsigned height = (unsigned)ceil(share * BAR_HEIGHT);

		if (height)
			fprintf(html->file, "M%u %dv-%uh%dv%uz", i * BAR_WIDTH, BAR_HEIGHT, height,
				BAR_WIDTH - 1, height);
	}
	fputs("\"/>", html->file);
	for (unsigned i = 0; i < bars->count; i++) {
		const struct bar *bar = &bars->bars[i];

		if (bar->gap)
			fprintf(html->file,
				"<rect class=\"gap\" x=\"%u\" width=\"%d\" height=\"%d\"><title>no "
				"calls from %s to %s</title></rect>",
				i * BAR_WIDTH, BAR_WIDTH, BAR_HEIGHT,
				number_time(low, histogram_bucket_low(bar->first)),
				number_time(high, histogram_bucket_high(bar->last) - 1));
	}
	write_ends(row, low, high);
	fprintf(html->file,
		"</svg>\n<figcaption><span>%s</span><span>up to %s call%s</span>"
		"<span>%s</span></figcaption>\n</figure>\n",
		low, most, bars->largest == 1 ? "" : "s", high);
}

static void write_percentiles(struct html *html, const struct table_row *row)
{
	static const struct {
		const char *name;
		double fraction;
	} shown[] = {{"Min", 0},    {"Med", 0.5},     {"p90", 0.9}, {"p95", 0.95},
		     {"p99", 0.99}, {"p99.9", 0.999}, {"Max", 1}};
	char text[NUMBER_SIZE];

	fputs("<dl class=\"percentiles\">", html->file);
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		double fraction = shown[i].fraction;
		bool exact = true;
		uint64_t time = fraction <= 0	? row->minimum
				: fraction >= 1 ? row->maximum
						: table_percentile(row, fraction, &exact);

		fprintf(html->file, "<div><dt>%s</dt><dd>%s</dd></div>", shown[i].name,
			(exact ? number_time : number_time_rounded)(text, time));
	}
	fputs("</dl>\n", html->file);
}

/* A histogram and percentiles, and what an estimated total is made of; nothing if no call was
 * timed. */
static void write_distribution(struct html *html, const struct table_row *row)
{
	struct histogram_bars bars;
	struct bars range;
	unsigned step = 1;

	if (!row->timed)
		return;
	if (row->estimated) {
		fputs("<p class=\"estimate\">Estimate: ", html->file);
		table_estimate_write(row, false, html->file);
		fputs("</p>\n", html->file);
	}
	/* A damaged file may have one of zeros for calls that were timed. */
	if (!row->histogram || !bars_of(&range, row->histogram, BARS_MOST))
		return;
	while (!fill_bars(&bars, row->histogram, &range, step))
		step++;
	write_histogram(html, &bars, row);
	write_percentiles(html, row);
}

/* A section's rows. */
struct rows {
	struct table tables[TABLE_SECTIONS]; /* that section's */
	enum table_section section;
	struct page *page;
	long most;	  /* bytes of the table */
	size_t *detailed; /* rows that have their distribution */
};

/* What stands behind the name: the name in full, if it is another one, and the distribution. */
static void write_name(struct html *html, struct page *page, const struct table_row *row,
		       bool distribution)
{
	char *full = table_row_name(&page->full, row->first);

	fputs("<details><summary>", html->file);
	html_text(html, row->name);
	fputs("</summary>\n", html->file);
	if (full && strcmp(full, row->name) != 0) {
		fputs("<p class=\"full-name\">", html->file);
		html_text(html, full);
		fputs("</p>\n", html->file);
	}
	if (!full)
		html->error = -ENOMEM;
	free(full);
	if (distribution)
		write_distribution(html, row);
	fputs("</details>", html->file);
}

/* The bar of a row's share has the colour of what the row did. */
static void colour_bar(const struct sheet *sheet, const struct table_row *row, struct cell *cells)
{
	for (unsigned i = 0; i < sheet->column_count; i++)
		if (sheet->columns[i].kind == CELL_PERCENT)
			cells[i].class = kind_class(row->kind);
}

/* A distribution takes more than all of its row, so that the second half of the section goes
 * without. */
static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct rows *rows = sheet->argument;
	const struct table_row *row = &rows->tables[rows->section].rows[index];
	bool distribution = ftell(rows->page->html.file) < rows->most / 2;
	struct html_markup name;

	summary_fill_row(sheet, index, cells);
	*rows->detailed += distribution;
	colour_bar(sheet, row, cells);
	if (html_cell_begin(&name))
		write_name(&name.inside, rows->page, row, distribution);
	html_cell_end(&rows->page->html, &name, &cells[sheet->column_count - 1]);
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
	struct rows rows = {.section = section, .page = page, .most = most, .detailed = &detailed};
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

int gpu_section(struct page *page)
{
	return write_rows(page, TABLE_GPU, "gpu-table",
			  "Kernels, copies and what else ran on the GPU, the longest time first; a "
			  "name opens its "
			  "histogram",
			  page->room);
}

int graphs_section(struct page *page)
{
	return write_rows(page, TABLE_GRAPHS, "graphs-table",
			  "Launches of CUDA graphs, whose nodes are rows of the GPU’s time",
			  GRAPHS_BYTES);
}

int api_section(struct page *page)
{
	return write_rows(page, TABLE_API, "api-table",
			  "Calls of the CUDA API, by their time on the host", API_BYTES);
}
