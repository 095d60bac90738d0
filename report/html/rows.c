/* SPDX-License-Identifier: MIT */
/* The whole table: a row for each name, with its distribution behind it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/distribution.h"
#include "report/html/section.h"
#include "report/sheet/number.h"

/* Bytes of the tables. Chosen: a page without a trace stays under 1 MB, and most of it is for the
 * GPU's activities, which get what the other sections leave. */
#define GRAPHS_BYTES		  50000
#define API_BYTES		  120000

#define COLUMN_TITLE(name, title) title,
static const char *const column_titles[] = {TABLE_COLUMNS(COLUMN_TITLE)};

static void write_columns(struct html *html)
{
	fputs("<thead><tr>", html->file);
	html_column(html, "Name", COLUMN_TEXT);
	html_column(html, "Time(%)", COLUMN_NUMBER);
	html_column(html, column_titles[TABLE_TIME], COLUMN_NUMBER);
	html_column(html, "Calls", COLUMN_NUMBER);
	for (unsigned column = TABLE_AVERAGE; column < TABLE_COLUMN_COUNT; column++)
		html_column(html, column_titles[column], COLUMN_NUMBER);
	fputs("</tr></thead>\n<tbody>\n", html->file);
}

/* What stands behind the name: the name in full, if it is another one, and the distribution. */
static void write_name(struct page *page, const struct table_row *row, bool distribution)
{
	struct html *html = &page->html;
	char *full = table_row_name(&page->full, row->first);

	fputs("<th scope=\"row\" class=\"name\"><details><summary>", html->file);
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
		distribution_write(html, row);
	fputs("</details></th>", html->file);
}

static void write_row(struct page *page, const struct table *table, const struct table_row *row,
		      bool distribution)
{
	struct html *html = &page->html;
	bool timed = row->timed > 0;
	char text[NUMBER_SIZE + 1] = ">";

	fputs("<tr>", html->file);
	write_name(page, row, distribution);
	html_share(html, table_percent(table, row), timed);
	html_time(html, row->total, timed, row->estimated ? "~" : "");
	number_count(text + 1, row->calls);
	html_number(html, (double)row->calls, row->more_calls ? text : text + 1);
	for (unsigned column = TABLE_AVERAGE; column < TABLE_COLUMN_COUNT; column++)
		html_time(html, table_time(row, column), timed, "");
	fputs("</tr>\n", html->file);
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

/* The rows in the table's order until the section is full; a distribution takes more than all of
 * the row, so that the second half of the section goes without. */
static int write_rows(struct page *page, enum table_section section, const char *id,
		      const char *caption, long most)
{
	const struct table *table = &page->tables[section];
	FILE *file = page->html.file;
	size_t i, detailed = 0;

	if (!table->count)
		return 0;
	html_table_begin(&page->html, id, "rows sortable filterable", caption);
	write_columns(&page->html);
	for (i = 0; i < table->count && ftell(file) < most; i++) {
		bool distribution = ftell(file) < most / 2;

		write_row(page, table, &table->rows[i], distribution);
		detailed += distribution;
	}
	html_table_end(&page->html);
	write_left_out(file, table, detailed, i);
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
