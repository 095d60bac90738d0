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

struct copy_row {
	const struct row *row;
	struct row_rates rates;
	uint64_t calls;
	double time; /* ns, for their order */
	struct size_class sizes[SIZE_CLASSES];
};

struct copies {
	struct page *page;
	struct copy_row *rows;
	size_t count;
	bool traced; /* records of the trace are in the classes */
};

static bool is_copy(enum row_kind kind)
{
	return kind == ROW_MEMCPY || kind == ROW_MEMSET;
}

static int compare(const void *left, const void *right)
{
	const struct copy_row *a = left, *b = right;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return a->row->name < b->row->name ? -1 : a->row->name > b->row->name;
}

static int collect(struct copies *copies)
{
	struct page *page = copies->page;
	const struct row *row;
	size_t most = 0;

	session_for_each_row (page->session, row)
		most += is_copy(row->kind);
	copies->rows = calloc(most + 1, sizeof(*copies->rows));
	if (!copies->rows)
		return -ENOMEM;
	/* Rows may come while they are read. */
	session_for_each_row (page->session, row) {
		struct copy_row *added = &copies->rows[copies->count];
		struct row_work none = {.bytes = NULL};
		struct timed_row timed;

		if (!is_copy(row->kind) || copies->count == most ||
		    !filter_shows(&page->full, row->kind, row->name, row->device) ||
		    !row_timed(page->session, row, &timed))
			continue;
		added->row = row;
		added->calls = row_calls(row);
		added->time = timed.total;
		added->rates = rates_of(&timed, session_string(page->session, row->name), &none,
					rates_device(page->session, row));
		copies->count++;
	}
	if (copies->count)
		qsort(copies->rows, copies->count, sizeof(*copies->rows), compare);
	return 0;
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
		struct copy_row *row = NULL;
		struct size_class *class;

		if (!is_copy(record->kind) || !record->bytes || record->end < record->start)
			continue;
		for (size_t i = 0; i < copies->count && !row; i++)
			if (copies->rows[i].row->name == record->name &&
			    copies->rows[i].row->device == record->device)
				row = &copies->rows[i];
		if (!row)
			continue;
		class = &row->sizes[class_of(record->bytes)];
		class->calls++;
		class->bytes += record->bytes;
		class->time += record->end - record->start;
		copies->traced = true;
	}
}

static void begin_row(struct copies *copies, const struct row *row)
{
	html_row(&copies->page->html, filter_name(&copies->page->full, row->kind, row->name));
	html_integer(&copies->page->html, row->device);
}

static void write_size(struct html *html, uint64_t bytes)
{
	char text[NUMBER_SIZE];

	html_number(html, (double)bytes, bytes ? number_size(text, bytes) : "-");
}

static void write_row(struct copies *copies, const struct copy_row *copy)
{
	const struct row_rates *rates = &copy->rates;
	struct html *html = &copies->page->html;
	char text[64];

	begin_row(copies, copy->row);
	html_count(html, copy->calls);
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
	html_text(html, peak_text(rates->peak_kind, rates_device(copies->page->session, copy->row),
				  text, sizeof(text)));
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
	for (size_t i = 0; i < copies->count; i++)
		write_row(copies, &copies->rows[i]);
	html_table_end(html);
	for (remarks = REMARK_NONE + 1; remarks < REMARK_COUNT; remarks++)
		for (size_t i = 0; i < copies->count; i++)
			if (copies->rows[i].rates.remark == remarks) {
				fputs("<p class=\"remark\">", html->file);
				html_text(html, rate_remark_text(remarks));
				fputs(": ", html->file);
				html_text(html, rate_remark_meaning(remarks));
				fputs("</p>\n", html->file);
				break;
			}
}

static void write_class(struct copies *copies, const struct copy_row *copy, unsigned class)
{
	const struct size_class *size = &copy->sizes[class];
	const struct row_rates *rates = &copy->rates;
	struct html *html = &copies->page->html;
	double rate = size->time ? (double)size->bytes / (double)size->time : 0;
	/* A copy on the device counts twice: it is read and written. */
	double times = rates->bandwidth_percent > 0 ? rates->bandwidth_percent * rates->peak /
							      (100 * rates->bandwidth.average)
						    : 0;
	uint64_t above = 1ull << (FIRST_BITS + CLASS_BITS * class);
	char text[NUMBER_SIZE], label[NUMBER_SIZE + 16];

	begin_row(copies, copy->row);
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
	for (size_t i = 0; i < copies->count; i++)
		for (unsigned class = 0; class < SIZE_CLASSES; class ++)
			if (copies->rows[i].sizes[class].calls)
				write_class(copies, &copies->rows[i], class);
	html_table_end(html);
}

int copies_section(struct page *page)
{
	struct copies copies = {.page = page};
	int error = collect(&copies);

	if (!error && copies.count) {
		add_trace(&copies);
		write_rows(&copies);
		if (copies.traced)
			write_sizes(&copies);
		else
			fputs("<p class=\"remark\">By size: needs a trace "
			      "(<code>--keep-trace</code>).</p>\n",
			      page->html.file);
	}
	free(copies.rows);
	return error;
}
