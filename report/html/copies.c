/* SPDX-License-Identifier: MIT */
/* Copies and memsets: how much, how fast, and beside what the link can do; by size from a trace. */
#include <errno.h>
#include <stdlib.h>

#include "report/html/section.h"

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
	size_t classes;				  /* that a record of the trace is of */
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
		copies->classes += !class->calls++;
		class->bytes += record->bytes;
		class->time += record->end - record->start;
	}
}

static const struct column size_columns[] = {
	{"Name", .name = true, .head = true}, {"GPU", .kind = CELL_INTEGER},
	{"Size", .kind = CELL_SIZE},	      {"Calls", .kind = CELL_COUNT},
	{"Bytes", .kind = CELL_SIZE},	      {"Time", .kind = CELL_TIME},
	{"GB/s", .kind = CELL_RATE},	      {"Of peak", .kind = CELL_SHARE},
};

/* Row by row its classes. */
static void fill_class(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct copies *copies = sheet->argument;
	const struct rates_row *copy = copies->table.rows;
	const struct size_class *size = copies->sizes[0];
	const struct row_rates *rates;
	unsigned class = 0;
	double rate, times;
	uint64_t above;
	char text[NUMBER_SIZE];

	for (;; size++) {
		if (size->calls && !index--)
			break;
		if (++class == SIZE_CLASSES) {
			class = 0;
			copy++;
		}
	}
	rates = &copy->rates;
	rate = size->time ? (double)size->bytes / (double)size->time : 0;
	/* A copy on the device counts twice: it is read and written. */
	times = rates->bandwidth_percent > 0
			? rates->bandwidth_percent * rates->peak / (100 * rates->bandwidth.average)
			: 0;
	above = 1ull << (FIRST_BITS + CLASS_BITS * class);
	cell_text(&cells[0], copy->name);
	cell_count(&cells[1], (uint64_t)copy->row->device);
	cell_count(&cells[2], above);
	if (class < SIZE_CLASSES - 1)
		cell_print(&cells[2], "up to %s", number_size(text, above));
	else
		cell_print(&cells[2], "above %s", number_size(text, above >> CLASS_BITS));
	cell_count(&cells[3], size->calls);
	cell_count(&cells[4], size->bytes);
	cell_count(&cells[5], size->time);
	cell_real(&cells[6], rate);
	if (times > 0 && rates->peak > 0)
		cell_real(&cells[7], 100 * rate * times / rates->peak);
}

static int write_tables(struct copies *copies)
{
	const struct rates_table *table = &copies->table;
	struct rates_line *lines = calloc(table->count, sizeof(*lines));
	struct html *html = &copies->page->html;
	struct sheet copy_sheet, size_sheet = {SHEET_OF(size_columns), .row = fill_class,
					       .argument = copies, .rows = copies->classes};

	if (!lines)
		return -ENOMEM;
	rates_sheet(&copy_sheet, lines, rates_add_lines(table, 0, true, false, lines),
		    RATES_COPIES);
	html_sheet(html, &copy_sheet, "copies-table", "sortable",
		   "Copies and memsets by direction, beside what their link or memory can do; "
		   "GB/s are 10<sup>9</sup> bytes a second");
	free(lines);
	for (enum rate_remark remark = REMARK_NONE + 1; remark < REMARK_COUNT; remark++) {
		if (!rates_have_remark(table, remark))
			continue;
		fprintf(html->file, "<p class=\"remark\">%s: ", rate_remark_text(remark));
		html_text(html, rate_remark_meaning(remark));
		fputs("</p>\n", html->file);
	}
	if (copies->classes)
		html_sheet(html, &size_sheet, "copy-sizes-table", "sortable",
			   "The same by size, from the records of the trace");
	else
		fputs("<p class=\"remark\">By size: needs a trace "
		      "(<code>--keep-trace</code>).</p>\n",
		      html->file);
	return 0;
}

int copies_section(struct page *page)
{
	struct copies copies = {.page = page};
	int error = rates_collect(&copies.table, &page->full, NULL, false);

	if (!error && copies.table.count) {
		copies.sizes = calloc(copies.table.count, sizeof(*copies.sizes));
		error = copies.sizes ? 0 : -ENOMEM;
	}
	if (copies.sizes) {
		add_trace(&copies);
		error = write_tables(&copies);
	}
	free(copies.sizes);
	rates_free(&copies.table);
	return error;
}
