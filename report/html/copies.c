/* SPDX-License-Identifier: MIT */
/* Copies and memsets: how much, how fast, and beside what the link can do; by size from a trace. */
#include <errno.h>
#include <stdlib.h>

#include "report/html/section.h"
#include "report/sheet/number.h"
#include "report/rates/rates.h"

/* Classes of sizes: up to 4 KB, and four times as much each. */
#define CLASS_BITS   2
#define FIRST_BITS   12
#define SIZE_CLASSES 14

struct size_class {
	uint64_t calls, bytes, time;
};

struct copies {
	struct page *page;
	struct rates_table table;
	struct size_class (*sizes)[SIZE_CLASSES]; /* of each row */
	bool traced;				  /* records of the trace are in the classes */
};

static bool is_copy(enum row_kind kind)
{
	return kind == ROW_MEMCPY || kind == ROW_MEMSET;
}

static unsigned class_of(uint64_t bytes)
{
	unsigned class = 0;

	while (class < SIZE_CLASSES - 1 && bytes > 1ull << (FIRST_BITS + CLASS_BITS * class))
		class ++;
	return class;
}

static void add_trace(struct copies *copies)
{
	const struct trace_record *record;

	session_for_each_trace (copies->page->session, record) {
		const struct rates_table *table = &copies->table;
		struct size_class *class;
		size_t i = 0;

		if (!is_copy(record->kind) || !record->bytes || record->end < record->start)
			continue;
		while (i < table->count && (table->rows[i].row->name != record->name ||
					    table->rows[i].row->device != record->device))
			i++;
		if (i == table->count)
			continue;
		class = &copies->sizes[i][class_of(record->bytes)];
		class->calls++;
		class->bytes += record->bytes;
		class->time += record->end - record->start;
		copies->traced = true;
	}
}

static void begin_row(struct html *html, const struct rates_row *copy)
{
	html_row(html, copy->name);
	html_integer(html, copy->row->device);
}

static void write_size(struct html *html, uint64_t bytes)
{
	char text[NUMBER_SIZE];

	html_number(html, (double)bytes, bytes ? number_size(text, bytes) : "-");
}

static void write_row(struct copies *copies, const struct rates_row *copy)
{
	const struct row_rates *rates = &copy->rates;
	struct html *html = &copies->page->html;
	char text[64];

	begin_row(html, copy);
	html_count(html, row_calls(copy->row));
	write_size(html, rates->bytes);
	write_size(html, copy->row->bytes_minimum);
	write_size(html, copy->row->bytes_maximum);
	html_rate(html, rates->bandwidth.average);
	html_rate(html, rates->bandwidth.minimum);
	html_rate(html, rates->bandwidth.maximum);
	if (rates->remark == REMARK_NONE && rates->bandwidth_percent > 0)
		html_share(html, rates->bandwidth_percent, true);
	else
		html_number(html, -1, rate_remark_text(rates->remark));
	html_rate(html, rates->peak);
	fputs("<td>", html->file);
	html_text(html, peak_text(rates->peak_kind, copy->device, text, sizeof(text)));
	fputs("</td></tr>\n", html->file);
}

static void write_rows(struct copies *copies)
{
	struct html *html = &copies->page->html;
	enum rate_remark remarks = REMARK_NONE;

	html_table_begin(
		html, "copies-table", "sortable",
		"Copies and memsets by direction, beside what their link or memory can do; "
		"GB/s are 10<sup>9</sup> bytes a second",
		"Name|#GPU|#Calls|#Bytes|#Smallest|#Largest|#GB/s|#Min|#Max|#Of peak|#Peak|Peak "
		"of");
	for (size_t i = 0; i < copies->table.count; i++)
		write_row(copies, &copies->table.rows[i]);
	html_table_end(html);
	for (remarks = REMARK_NONE + 1; remarks < REMARK_COUNT; remarks++)
		for (size_t i = 0; i < copies->table.count; i++)
			if (copies->table.rows[i].rates.remark == remarks) {
				fputs("<p class=\"remark\">", html->file);
				html_text(html, rate_remark_text(remarks));
				fputs(": ", html->file);
				html_text(html, rate_remark_meaning(remarks));
				fputs("</p>\n", html->file);
				break;
			}
}

static void write_class(struct html *html, const struct rates_row *copy,
			const struct size_class *size, unsigned class)
{
	const struct row_rates *rates = &copy->rates;
	double rate = size->time ? (double)size->bytes / (double)size->time : 0;
	/* A copy on the device counts twice: it is read and written. */
	double times = rates->bandwidth_percent > 0 ? rates->bandwidth_percent * rates->peak /
							      (100 * rates->bandwidth.average)
						    : 0;
	uint64_t above = 1ull << (FIRST_BITS + CLASS_BITS * class);
	char text[NUMBER_SIZE], label[NUMBER_SIZE + 16];

	begin_row(html, copy);
	if (class < SIZE_CLASSES - 1)
		snprintf(label, sizeof(label), "up to %s", number_size(text, above));
	else
		snprintf(label, sizeof(label), "above %s", number_size(text, above >> CLASS_BITS));
	html_number(html, (double)above, label);
	html_count(html, size->calls);
	write_size(html, size->bytes);
	html_time(html, size->time, true, "");
	html_rate(html, rate);
	if (times > 0 && rates->peak > 0)
		html_share(html, 100 * rate * times / rates->peak, true);
	else
		html_unknown(html);
	fputs("</tr>\n", html->file);
}

static void write_sizes(struct copies *copies)
{
	struct html *html = &copies->page->html;

	html_table_begin(html, "copy-sizes-table", "sortable",
			 "The same by size, from the records of the trace",
			 "Name|#GPU|#Size|#Calls|#Bytes|#Time|#GB/s|#Of peak");
	for (size_t i = 0; i < copies->table.count; i++)
		for (unsigned class = 0; class < SIZE_CLASSES; class ++)
			if (copies->sizes[i][class].calls)
				write_class(html, &copies->table.rows[i], &copies->sizes[i][class],
					    class);
	html_table_end(html);
}

int copies_section(struct page *page)
{
	struct copies copies = {.page = page};
	int error = rates_collect(&copies.table, page->session, &page->full, page->options, NULL,
				  false);

	if (!error && copies.table.count) {
		copies.sizes = calloc(copies.table.count, sizeof(*copies.sizes));
		error = copies.sizes ? 0 : -ENOMEM;
	}
	if (copies.sizes) {
		add_trace(&copies);
		write_rows(&copies);
		if (copies.traced)
			write_sizes(&copies);
		else
			fputs("<p class=\"remark\">By size: needs a trace "
			      "(<code>--keep-trace</code>).</p>\n",
			      page->html.file);
	}
	free(copies.sizes);
	rates_free(&copies.table);
	return error;
}
