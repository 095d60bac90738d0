/* SPDX-License-Identifier: MIT */
/* The sections that are lines and tables of the report: memory, energy, NVTX ranges and copies; and
 * what the figures stand on: what was timed and lost, what ktime cost, the program and the devices.
 */
#include <errno.h>
#include <stdlib.h>

#include "report/devices/peaks.h"
#include "report/energy/energy.h"
#include "report/html/section.h"
#include "report/print/report.h"

/* Bytes of the tables of allocations and ranges. Chosen: a page stays under 1 MB. */
#define SITES_BYTES  60000
#define RANGES_BYTES 100000

int memory_section(struct page *page)
{
	struct html *html = &page->html;
	struct memory_tables tables;
	struct html_lines lines;
	struct sheet use, sites;
	int error;

	if (!session_next_item(page->session, SEGMENT_MEMORY, NULL))
		return 0;
	/* At most how much, what was held at exit, and how many allocations a second. */
	if (html_lines_begin(&lines))
		memory_line_write(page->session, "", lines.file);
	error = html_lines_end(html, &lines, "ul");
	if (!error)
		error = memory_collect(&tables, page->session);
	if (error)
		return error;
	error = held_write(page);
	memory_leave_out_same(&tables);
	memory_use_sheet(&use, &tables);
	memory_sites_sheet(&sites, &tables);
	sites.room = SITES_BYTES;
	html_sheet(
		html, &use, "memory-table", "sortable",
		session_header(page->session)->processes
			? "Bytes that the programs asked for: the most that one process held at "
			  "once, and what all held in the end; what the driver takes itself is "
			  "not among them"
			: "Bytes that the program asked for: the most at once, and what was held "
			  "in the end; what the driver takes itself is not among them");
	if (sites.rows)
		html_sheet(
			html, &sites, "memory-sites-table", "sortable",
			"Where the memory was allocated: those with most of it at the peak first");
	if (sites.shown < sites.rows)
		fprintf(html->file, "<p class=\"left-out\">%zu more are not in this page.</p>\n",
			sites.rows - sites.shown);
	memory_free(&tables);
	return error;
}

/* From which part of the GPU's time on what ranges lack is worth a sentence. Chosen. */
#define LEAST_OUTSIDE 0.1

/* Who sees little time in a range looks for the rest, which often another thread launched. */
static void write_outside(struct page *page, const struct ranges *ranges)
{
	const struct session_header *header = session_header(page->session);
	uint64_t processes = header->processes ? header->processes : 1, inside = 0, outside;
	char time[NUMBER_SIZE];

	for (size_t i = 0; i < ranges->tree.count; i++)
		if (ranges->tree.nodes[i].depth == 0)
			inside += ranges->tree.nodes[i].all.time;
	outside = ranges->gpu_time > inside ? ranges->gpu_time - inside : 0;
	if (header->counters[COUNTER_threads] <= processes || !inside ||
	    (double)outside < LEAST_OUTSIDE * (double)ranges->gpu_time)
		return;
	fprintf(page->html.file,
		"<p class=\"remark\">%s of GPU time (%.1f %%) were launched outside of ranges. A "
		"range "
		"has what its own thread launches, and here several threads launch work: PyTorch’s "
		"backward, for one, runs on a thread of its own.</p>\n",
		number_about(time, (double)outside, 3), time_percent(outside, ranges->gpu_time));
}

int ranges_section(struct page *page)
{
	struct ranges ranges;
	struct sheet sheet;
	int error;

	if (!session_next_item(page->session, SEGMENT_RANGES, NULL))
		return 0;
	error = ranges_collect(&ranges, &page->filter, false);
	if (error)
		return error;
	error = icicle_write(&page->html, &ranges);
	/* The table has room for whole names. */
	ranges.filter = &page->full;
	ranges_sheet(&sheet, &ranges);
	sheet.room = RANGES_BYTES;
	html_sheet(&page->html, &sheet, "ranges-table", "tree filterable",
		   "GPU time of what was launched in each range, with and without (Own) the ranges "
		   "inside of it; how long the range was open on the host");
	if (sheet.shown < sheet.rows)
		fprintf(page->html.file,
			"<p class=\"left-out\">%zu more ranges are not in this page: <code>ktime "
			"show --top %zu</code> prints them.</p>\n",
			sheet.rows - sheet.shown, sheet.rows);
	write_outside(page, &ranges);
	ranges_free(&ranges);
	return error;
}

int energy_section(struct page *page)
{
	struct energy_table table;
	struct sheet sheet;

	energy_sheet(&sheet, &table, page->session, page->options);
	if (!sheet.rows)
		return 0;
	html_sheet(&page->html, &sheet, "energy-table", "sortable",
		   session_header(page->session)->finished == RUN_BETWEEN
			   ? "Energy of each GPU in the window, with all else that ran on it; "
			     "clocks on average, and from the least to the most"
			   : "Energy of each GPU from soon after the start of CUDA to the end, "
			     "with all else that ran on it; clocks on average, and from the least "
			     "to the most");
	power_write(page);
	return 0;
}

int cost_section(struct page *page)
{
	struct options all = *page->options;
	struct report report = {.session = page->session, .options = &all, .prefix = ""};
	struct html_lines lines;
	int error, ended;

	all.verbose = true;
	error = filter_init(&report.filter, page->session, &all);
	if (error)
		return error;
	report.file = html_lines_begin(&lines);
	if (report.file)
		error = closing_write(&report, false);
	ended = html_lines_end(&page->html, &lines, "ul");
	filter_free(&report.filter);
	return error ? error : ended;
}

static void write_fact(struct html *html, const char *what, const char *text)
{
	if (!*text)
		return;
	fprintf(html->file, "<div><dt>%s</dt><dd>", what);
	html_text(html, text);
	fputs("</dd></div>\n", html->file);
}

static void write_device(struct html *html, const struct device_info *info, int device)
{
	const struct peaks peaks = peaks_of(info);
	char text[96];

	fprintf(html->file, "<tr><th scope=\"row\">%d</th><td>", device);
	html_text(html, info->name);
	fputs("</td>", html->file);
	html_number(html, info->memory ? (double)info->memory : -1,
		    info->memory ? number_bytes_about(text, info->memory) : "-");
	snprintf(text, sizeof(text), "%u", info->multiprocessors);
	html_number(html, info->multiprocessors, info->multiprocessors ? text : "-");
	html_number(html, peaks.dram, number_rate(text, peaks.dram));
	html_number(html, peaks.host, number_rate(text, peaks.host));
	fputs("<td>", html->file);
	html_text(html, host_link_text(info, text, sizeof(text)));
	fputs("</td></tr>\n", html->file);
}

static void write_devices(struct html *html, const struct session_header *header)
{
	html_table_begin(html, "devices-table", "devices",
			 header->processes ? "Devices, by the number that each process gives them, "
					     "with the peaks that follow"
					   : "Devices, with the peaks that follow",
			 "GPU|Name|#Memory|#Multiprocessors|#DRAM GB/s|#Link GB/s|Link");
	for (int device = 0; device < SESSION_DEVICES; device++)
		if (header->devices[device].used)
			write_device(html, &header->devices[device], device);
	html_table_end(html);
}

int environment_section(struct page *page)
{
	const struct session *session = page->session;
	const struct session_header *header = session_header(session);
	struct html *html = &page->html;
	bool any = false;
	char text[32];

	fputs("<dl class=\"facts\">\n", html->file);
	write_fact(html, "Command", session_string(session, header->command));
	write_fact(html, "Host", session_string(session, header->hostname));
	snprintf(text, sizeof(text), "%d", header->pid);
	if (!header->processes)
		write_fact(html, "Process", text);
	snprintf(text, sizeof(text), "%u.%u", header->driver_version / 1000,
		 header->driver_version % 1000 / 10);
	if (header->driver_version >= 1000)
		write_fact(html, "CUDA version of the driver", text);
	fputs("</dl>\n", html->file);
	for (int device = 0; device < SESSION_DEVICES; device++)
		any |= header->devices[device].used != 0;
	if (any)
		write_devices(html, header);
	return 0;
}

/* Copies and memsets: how much, how fast, and beside what the link can do; by size from a trace. */

/* Classes of sizes: up to 4 KB, and four times as much each. */
#define CLASS_BITS   2
#define FIRST_BITS   12
#define SIZE_CLASSES 14

struct size_class {
	const struct rates_row *copy;
	unsigned class;
	uint64_t calls, bytes, time;
};

struct copies {
	struct page *page;
	struct rates_table table;
	struct size_class *sizes; /* of each row, then those of them that a record is of */
	size_t count;
};

static unsigned class_of(uint64_t bytes)
{
	unsigned class = 0;

	while (class < SIZE_CLASSES - 1 && bytes > 1ull << (FIRST_BITS + CLASS_BITS * class))
		class ++;
	return class;
}

static void add_trace(struct copies *copies)
{
	const struct rates_table *table = &copies->table;
	const struct trace_record *record;

	session_for_each_trace (copies->page->session, record) {
		size_t i = 0;
		struct size_class *class;

		while (i < table->count && (table->rows[i].row->name != record->name ||
					    table->rows[i].row->device != record->device))
			i++;
		if (i == table->count || !record->bytes || record->end < record->start ||
		    (record->kind != ROW_MEMCPY && record->kind != ROW_MEMSET))
			continue;
		class = &copies->sizes[i * SIZE_CLASSES + class_of(record->bytes)];
		class->calls++;
		class->bytes += record->bytes;
		class->time += record->end - record->start;
	}
	for (size_t i = 0; i < table->count * SIZE_CLASSES; i++) {
		struct size_class class = copies->sizes[i];

		class.copy = &table->rows[i / SIZE_CLASSES];
		class.class = i % SIZE_CLASSES;
		if (class.calls)
			copies->sizes[copies->count++] = class;
	}
}

static const struct column size_columns[] = {
	{"Name", .name = true, .head = true}, {"GPU", .kind = CELL_INTEGER},
	{"Size", .kind = CELL_SIZE},	      {"Calls", .kind = CELL_COUNT},
	{"Bytes", .kind = CELL_SIZE},	      {"Time", .kind = CELL_TIME},
	{"GB/s", .kind = CELL_RATE},	      {"Of peak", .kind = CELL_SHARE},
};

static void fill_class(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct size_class *size = &((const struct copies *)sheet->argument)->sizes[index];
	const struct row_rates *rates = &size->copy->rates;
	double rate = size->time ? (double)size->bytes / (double)size->time : 0;
	/* A copy on the device counts twice: it is read and written. */
	double times = rates->bandwidth_percent > 0 ? rates->bandwidth_percent * rates->peak /
							      (100 * rates->bandwidth.average)
						    : 0;
	uint64_t above = 1ull << (FIRST_BITS + CLASS_BITS * size->class);
	char text[NUMBER_SIZE];

	cell_text(&cells[0], size->copy->name);
	cell_count(&cells[1], (uint64_t)size->copy->row->device);
	cell_count(&cells[2], above);
	if (size->class < SIZE_CLASSES - 1)
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
					       .argument = copies, .rows = copies->count};

	if (!lines)
		return -ENOMEM;
	rates_sheet(&copy_sheet, lines, rates_add_lines(table, 0, true, false, lines),
		    RATES_COPIES);
	html_sheet(html, &copy_sheet, "copies-table", "sortable",
		   "Copies and memsets by direction, beside what their link or memory can do; "
		   "1 MB is 2<sup>20</sup> bytes, 1 GB/s 10<sup>9</sup> bytes a second");
	free(lines);
	for (enum rate_remark remark = REMARK_NONE + 1; remark < REMARK_COUNT; remark++) {
		if (!rates_have_remark(table, remark))
			continue;
		fprintf(html->file, "<p class=\"remark\">%s: ", rate_remarks[remark].text);
		html_sentence(html, rate_remarks[remark].meaning);
		fputs("</p>\n", html->file);
	}
	if (copies->count)
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
	int error = rates_collect(&copies.table, &page->full, false, false);

	if (!error && copies.table.count) {
		copies.sizes = calloc(copies.table.count * SIZE_CLASSES, sizeof(*copies.sizes));
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
