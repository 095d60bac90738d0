/* SPDX-License-Identifier: MIT */
/* --bandwidth: rates of copies, memsets and kernels beside the peaks of their device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/memory.h"

#define TEXT_SIZE 64

/* `device`: it stands in the name. */
static int add_row(struct rates_table *table, struct filter *filter, bool device,
		   const struct row *row)
{
	const char *name = session_string(filter->session, row->name), *shown;
	struct rates_row *added;
	struct timed_row timed;
	int error = 0;

	if (!LIST_HAS_ROOM(table->rows, table->count, table->room))
		return -ENOMEM;
	if (!row_timed(filter->session, row, &timed) ||
	    !filter_shows(filter, row->kind, row->name, row->device))
		return 0;
	added = &table->rows[table->count];
	*added = (struct rates_row){.row = row, .total = timed.total};
	added->device = rates_device(filter->session, row);
	if (row->kind == ROW_KERNEL)
		error = work_match(filter->options->declared, name, filter->options->demangling,
				   &added->work);
	if (error)
		return error;
	added->rates = rates_of(&timed, name, &added->work, added->device);
	shown = filter_name(filter, row->kind, row->name);
	if (!shown ||
	    asprintf(&added->name, device ? "%s (device %d)" : "%s", shown, row->device) < 0)
		return -ENOMEM;
	table->count++;
	return 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct rates_row *a = left, *b = right;

	return IN_ORDER(b->total, a->total) ?: strcmp(a->name, b->name);
}

void rates_free(struct rates_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->rows[i].name);
	free(table->rows);
	*table = (struct rates_table){.rows = NULL};
}

int rates_collect(struct rates_table *table, struct filter *filter, bool kernels, bool device)
{
	const struct row *row;
	int error = 0;

	*table = (struct rates_table){.rows = NULL};
	session_for_each_row (filter->session, row) {
		bool copy = row->kind == ROW_MEMCPY || row->kind == ROW_MEMSET;

		if (!error && (kernels ? row->kind == ROW_KERNEL : copy))
			error = add_row(table, filter, device, row);
	}
	if (error)
		rates_free(table);
	else if (table->count)
		qsort(table->rows, table->count, sizeof(*table->rows), compare_rows);
	return error;
}

/* Parts of the sheet: columns that no row has anything in are left out in text. */
enum { COPIES = RATES_COPIES, KERNELS = 2, BYTES = 4, FLOPS = 8, BOTH = 16, UNITS = 32, ALL = 63 };

#define RATE(text, csv, shown, in)                                                                 \
	{                                                                                          \
		text, csv, .kind = CELL_RATE, .width = 8, .parts = shown, .unit = in               \
	}
static const struct column columns[] = {
	{NULL, "Device", .page = "GPU", .kind = CELL_INTEGER},
	{NULL, NULL, .page = "Calls", .kind = CELL_COUNT},
	{"Bytes", "Bytes", .kind = CELL_SIZE, .width = 10, .parts = COPIES, .unit = "B"},
	{NULL, NULL, .page = "Smallest", .kind = CELL_SIZE},
	{NULL, NULL, .page = "Largest", .kind = CELL_SIZE},
	RATE("GB/s", "Bandwidth", COPIES | BYTES, "GB/s"),
	RATE("Min", "Min", COPIES | BYTES, "GB/s"),
	RATE("Max", "Max", COPIES | BYTES, "GB/s"),
	{"Of peak", "Of Peak", .kind = CELL_SHARE, .width = 15, .parts = COPIES | BYTES,
	 .unit = "%"},
	RATE("Peak", "Peak", COPIES, "GB/s"),
	{"", "Peak Of", .page = "Peak of", .width = -18, .parts = COPIES},
	{NULL, "Remark", .kind = CELL_TEXT},
	RATE("GFLOP/s", "FLOP rate", FLOPS, "GFLOP/s"),
	RATE(NULL, "Min", 0, "GFLOP/s"),
	RATE(NULL, "Max", 0, "GFLOP/s"),
	{"Of peak", "Of Peak", .kind = CELL_SHARE, .width = 8, .parts = FLOPS, .unit = "%"},
	{"B/FLOP", "Bytes per FLOP", .kind = CELL_RATE, .width = 7, .parts = BOTH, .unit = "B"},
	RATE(NULL, "Balance", 0, "B"),
	{"Bound", "Bound", .width = 7, .parts = BOTH},
	{"Occupancy", NULL, .width = -21, .parts = KERNELS},
	RATE(NULL, "Occupancy Min", 0, "%"),
	RATE(NULL, "Occupancy Max", 0, "%"),
	{NULL, "Limit", .kind = CELL_TEXT},
	RATE("Waves", "Waves", KERNELS, NULL),
	RATE("10^9/s", "Work rate", UNITS, "10^9/s"),
	RATE("Min", "Min", UNITS, "10^9/s"),
	RATE("Max", "Max", UNITS, "10^9/s"),
	{"Unit", "Unit", .width = -24, .parts = UNITS},
	{"Name", "Name", .name = true, .head = true},
};
#undef RATE

static void fill_rate(struct cell *cells, const struct rate *rate)
{
	cell_real(&cells[0], rate->average);
	cell_real(&cells[1], rate->minimum);
	cell_real(&cells[2], rate->maximum);
}

static void fill_line(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct rates_line *line = (const struct rates_line *)sheet->argument + index;
	const struct rates_row *row = line->row;
	const struct row_rates *rates = &row->rates;
	bool csv = sheet->form == SHEET_CSV;
	char buffer[TEXT_SIZE];

	cell_count(&cells[0], (uint64_t)row->row->device);
	cell_count(&cells[1], row_calls(row->row));
	if (row->row->kind != ROW_KERNEL)
		cell_count(&cells[2], rates->bytes);
	if (row->row->known & MINIMUM_KNOWN)
		cell_count(&cells[3], row->row->bytes_minimum);
	cell_count(&cells[4], row->row->bytes_maximum);
	fill_rate(&cells[5], &rates->bandwidth);
	cell_real(&cells[8], rates->bandwidth_percent);
	/* Why there is none. */
	if (!csv && rates->remark != REMARK_NONE)
		cell_text(&cells[8], rate_remarks[rates->remark].text);
	cell_real(&cells[9], rates->peak);
	cell_print(&cells[10], "%s",
		   peak_text(rates->peak_kind, row->device, buffer, sizeof(buffer)));
	cell_text(&cells[11], rate_remarks[rates->remark].text);
	fill_rate(&cells[12], &rates->flops);
	cell_real(&cells[15], rates->flops_percent);
	cell_real(&cells[16], rates->bytes_per_flop);
	cell_real(&cells[17], rates->balance);
	cell_text(&cells[18], csv && !rates->bound ? "" : rates_bound_texts[rates->bound]);
	cell_print(&cells[19], "%s", rates_occupancy_text(rates, buffer, sizeof(buffer)));
	cell_real(&cells[20], 100 * rates->occupancy_least);
	cell_real(&cells[21], 100 * rates->occupancy_most);
	cell_text(&cells[22], occupancy_limit_texts[rates->occupancy.limit]);
	cell_real(&cells[23], rates->occupancy.waves);
	fill_rate(&cells[24], line->unit < 0 ? &(struct rate){0} : &rates->units[line->unit]);
	cell_text(&cells[27], line->unit < 0 ? "" : row->work.units[line->unit]->unit);
	cell_text(&cells[28], row->name);
}

void rates_sheet(struct sheet *sheet, const struct rates_line *lines, size_t count, unsigned parts)
{
	*sheet = (struct sheet){SHEET_OF(columns), .row = fill_line, .argument = lines,
				.rows = count, .parts = parts};
}

size_t rates_add_lines(const struct rates_table *table, unsigned top, bool rows, bool units,
		       struct rates_line *lines)
{
	size_t count = 0;

	for (size_t i = 0; i < table->count && (!top || i < top); i++) {
		const struct rates_row *row = &table->rows[i];
		int unit = row->work.units[0] ? 0 : -1;

		if (rows || unit == 0)
			lines[count++] = (struct rates_line){row, unit};
		for (unit = 1; units && unit < WORK_UNITS && row->work.units[unit]; unit++)
			lines[count++] = (struct rates_line){row, unit};
	}
	return count;
}

static void write_lines(const struct report *report, const struct rates_line *lines, size_t count,
			unsigned parts)
{
	bool csv = report->options->csv;
	struct sheet sheet;

	if (!count && !csv)
		return;
	rates_sheet(&sheet, lines, count, parts);
	sheet.has_units = csv;
	sheet.indent = parts & COPIES ? 0 : 2;
	fputc('\n', report->file);
	report_sheet(report, &sheet);
}

static int write_sheets(const struct report *report, const struct rates_table *tables)
{
	const struct rates_table *kernels = &tables[1];
	struct rates_line *lines =
		calloc((tables[0].count + kernels->count) * WORK_UNITS + 1, sizeof(*lines));
	unsigned parts = KERNELS, top = report->options->top;
	size_t count;

	if (!lines)
		return -ENOMEM;
	for (size_t i = 0; i < kernels->count; i++) {
		parts |= kernels->rows[i].work.bytes ? BYTES : 0;
		parts |= kernels->rows[i].work.flops ? FLOPS : 0;
	}
	parts |= parts & BYTES && parts & FLOPS ? BOTH : 0;
	count = rates_add_lines(&tables[0], top, true, report->options->csv, lines);
	if (report->options->csv) {
		count += rates_add_lines(kernels, top, true, true, lines + count);
		write_lines(report, lines, count, ALL);
	} else {
		write_lines(report, lines, count, COPIES);
		write_lines(report, lines, rates_add_lines(kernels, top, true, false, lines),
			    parts);
		write_lines(report, lines, rates_add_lines(kernels, top, false, true, lines),
			    UNITS);
	}
	free(lines);
	return 0;
}

bool rates_have_remark(const struct rates_table *table, enum rate_remark remark)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].rates.remark == remark)
			return true;
	return false;
}

/* The peaks that the percentages are of, and what the words in their place mean. */
static void write_notes(const struct report *report, const struct rates_table *tables)
{
	const struct session_header *header = session_header(report->session);
	FILE *file = report->file;

	for (int i = 0; i < SESSION_DEVICES; i++) {
		const struct device_info *device = &header->devices[i];
		struct peaks peaks = peaks_of(device);
		char text[TEXT_SIZE], number[NUMBER_SIZE];

		if (!device->used || !filter_shows_device(&report->filter, i))
			continue;
		fprintf(file, "%sPeaks of device %d: DRAM %s GB/s, L2 %s", report->prefix, i,
			number_rate(number, peaks.dram), number_size(text, device->l2_bytes));
		if (peaks.host > 0)
			fprintf(file, ", %s %s GB/s", host_link_text(device, text, sizeof(text)),
				number_rate(number, peaks.host));
		else
			fputs(", host link unknown", file);
		for (int j = 0; j < PRECISION_FP16; j++)
			fprintf(file, ", %s %s GFLOP/s", precision_names[j],
				number_rate(number, peaks.flops[j]));
		if (peaks.dram > 0 && peaks.flops[PRECISION_FP32] > 0)
			fprintf(file, "; balance %.3g B/FLOP in FP32",
				peaks.dram / peaks.flops[PRECISION_FP32]);
		fputs(".\n", file);
	}
	for (int i = REMARK_NONE + 1; i < REMARK_COUNT; i++)
		if (rates_have_remark(&tables[0], i) || rates_have_remark(&tables[1], i))
			report_begin(report, "%s: %s\n", rate_remarks[i].text,
				     rate_remarks[i].meaning);
}

int rates_write(struct report *report)
{
	struct rates_table tables[2] = {{.rows = NULL}, {.rows = NULL}};
	unsigned devices = 0;
	bool device;
	int error;

	for (int i = 0; i < SESSION_DEVICES; i++)
		devices += session_header(report->session)->devices[i].used != 0;
	device = devices > 1 && !report->options->csv;
	error = rates_collect(&tables[0], &report->filter, false, device);
	if (!error)
		error = rates_collect(&tables[1], &report->filter, true, device);
	if (!error)
		error = write_sheets(report, tables);
	if (!error && !report->options->csv && !report->options->quiet)
		write_notes(report, tables);
	rates_free(&tables[0]);
	rates_free(&tables[1]);
	return error;
}
