/* SPDX-License-Identifier: MIT */
/* --bandwidth: rates of copies, memsets and kernels beside the peaks of their device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/sheet/number.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/rates/rates.h"

#define TEXT_SIZE 64

struct rates_row {
	char *name; /* as it is printed */
	const struct row *row;
	const struct device_info *device;
	struct row_work work;
	struct row_rates rates;
	double total; /* ns */
};

struct rates_table {
	struct rates_row *rows;
	size_t count;
	bool kernels; /* or else copies and memsets */
};

struct rates_report {
	const struct session *session;
	const struct options *options;
	struct filter filter;
	struct work_patterns patterns;
	unsigned devices; /* that operations ran on */
	FILE *file;
};

static bool is_of_table(const struct row *row, bool kernels)
{
	return kernels ? row->kind == ROW_KERNEL
		       : row->kind == ROW_MEMCPY || row->kind == ROW_MEMSET;
}

/* A name, and the device where there are several. */
static char *describe(struct rates_report *report, const struct row *row)
{
	const char *name = filter_name(&report->filter, row->kind, row->name);
	char *text;

	if (!name)
		return NULL;
	if (report->devices < 2 || report->options->csv)
		return strdup(name);
	return asprintf(&text, "%s (device %d)", name, row->device) < 0 ? NULL : text;
}

static int add_row(struct rates_report *report, struct rates_table *table, const struct row *row)
{
	struct rates_row *added = &table->rows[table->count];
	const char *name = session_string(report->session, row->name);
	struct timed_row timed;
	int error;

	if (!row_timed(report->session, row, &timed) ||
	    !filter_shows(&report->filter, row->kind, row->name, row->device))
		return 0;
	*added = (struct rates_row){.row = row, .total = timed.total};
	added->device = rates_device(report->session, row);
	if (row->kind == ROW_KERNEL) {
		error = work_patterns_match(&report->patterns, name, report->options->demangling,
					    &added->work);
		if (error)
			return error;
	}
	added->rates = rates_of(&timed, name, &added->work, added->device);
	added->name = describe(report, row);
	if (!added->name)
		return -ENOMEM;
	table->count++;
	return 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct rates_row *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void free_table(struct rates_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->rows[i].name);
	free(table->rows);
	*table = (struct rates_table){.rows = NULL};
}

static int collect(struct rates_report *report, struct rates_table *table, bool kernels)
{
	struct row *row;
	size_t most = 1;
	int error = 0;

	*table = (struct rates_table){.kernels = kernels};
	session_for_each_row (report->session, row)
		most += is_of_table(row, kernels);
	table->rows = calloc(most, sizeof(*table->rows));
	if (!table->rows)
		return -ENOMEM;
	/* Rows may come while they are read. */
	session_for_each_row (report->session, row)
		if (!error && table->count < most && is_of_table(row, kernels))
			error = add_row(report, table, row);
	if (error) {
		free_table(table);
		return error;
	}
	qsort(table->rows, table->count, sizeof(*table->rows), compare_rows);
	return 0;
}

/* The rows that --top leaves. */
static size_t shown(const struct rates_report *report, const struct rates_table *table)
{
	unsigned top = report->options->top;

	return top > 0 && top < table->count ? top : table->count;
}

static void write_rate(const struct rates_report *report, const struct rate *rate)
{
	char text[NUMBER_SIZE];

	fprintf(report->file, "  %8s", number_rate(text, rate->average));
	fprintf(report->file, "  %8s", number_rate(text, rate->minimum));
	fprintf(report->file, "  %8s", number_rate(text, rate->maximum));
}

/* The percentage of the peak, or why there is none. */
static void write_of_peak(const struct rates_report *report, const struct row_rates *rates)
{
	char text[NUMBER_SIZE];

	fprintf(report->file, "  %15s",
		rates->remark == REMARK_NONE ? number_percent(text, rates->bandwidth_percent)
					     : rate_remark_text(rates->remark));
}

static void write_copies(const struct rates_report *report, const struct rates_table *table)
{
	char text[TEXT_SIZE];

	fprintf(report->file, "\n%10s  %8s  %8s  %8s  %15s  %8s  %-18s  %s\n", "Bytes", "GB/s",
		"Min", "Max", "Of peak", "Peak", "", "Name");
	for (size_t i = 0; i < shown(report, table); i++) {
		const struct rates_row *row = &table->rows[i];
		const struct row_rates *rates = &row->rates;

		fprintf(report->file, "%10s", number_size(text, rates->bytes));
		write_rate(report, &rates->bandwidth);
		write_of_peak(report, rates);
		fprintf(report->file, "  %8s", number_rate(text, rates->peak));
		fprintf(report->file, "  %-18s  %s\n",
			peak_text(rates->peak_kind, row->device, text, sizeof(text)), row->name);
	}
}

/* Columns that no row has anything in are left out: they come with what was declared. */
static void write_kernels(const struct rates_report *report, const struct rates_table *table)
{
	FILE *file = report->file;
	bool bytes = false, flops = false;
	char text[TEXT_SIZE];

	for (size_t i = 0; i < table->count; i++) {
		bytes |= table->rows[i].work.bytes != NULL;
		flops |= table->rows[i].work.flops != NULL;
	}
	fputc('\n', file);
	if (bytes)
		fprintf(file, "%10s  %8s  %8s  %15s", "GB/s", "Min", "Max", "Of peak");
	if (flops)
		fprintf(file, "  %8s  %8s", "GFLOP/s", "Of peak");
	if (bytes && flops)
		fprintf(file, "  %7s  %7s", "B/FLOP", "Bound");
	fprintf(file, "  %-21s  %8s  %s\n", "Occupancy", "Waves", "Name");
	for (size_t i = 0; i < shown(report, table); i++) {
		const struct rates_row *row = &table->rows[i];
		const struct row_rates *rates = &row->rates;

		if (bytes)
			write_rate(report, &rates->bandwidth);
		if (bytes)
			write_of_peak(report, rates);
		if (flops)
			fprintf(file, "  %8s", number_rate(text, rates->flops.average));
		if (flops)
			fprintf(file, "  %8s", number_percent(text, rates->flops_percent));
		if (bytes && flops)
			fprintf(file, "  %7s", number_rate(text, rates->bytes_per_flop));
		if (bytes && flops)
			fprintf(file, "  %7s", rates_bound_text(rates->bound));
		fprintf(file, "  %-21s", rates_occupancy_text(rates, text, sizeof(text)));
		fprintf(file, "  %8s  %s\n", number_rate(text, rates->occupancy.waves), row->name);
	}
}

/* In the unit that the user gave, per second. */
static void write_units(const struct rates_report *report, const struct rates_table *table)
{
	bool heading = false;

	for (size_t i = 0; i < shown(report, table); i++) {
		const struct rates_row *row = &table->rows[i];

		for (int unit = 0; unit < WORK_UNITS && row->work.units[unit]; unit++) {
			const struct rate *rate = &row->rates.units[unit];

			if (!heading)
				fprintf(report->file, "\n%10s  %8s  %8s  %-24s  %s\n", "10^9/s",
					"Min", "Max", "Unit", "Name");
			heading = true;
			write_rate(report, rate);
			fprintf(report->file, "  %-24s  %s\n", row->work.units[unit]->unit,
				row->name);
		}
	}
}

static bool has_remark(const struct rates_table *tables, enum rate_remark remark)
{
	for (int i = 0; i < 2; i++)
		for (size_t j = 0; j < tables[i].count; j++)
			if (tables[i].rows[j].rates.remark == remark)
				return true;
	return false;
}

/* The peaks that the percentages are of, and what the words in their place mean. */
static void write_notes(const struct rates_report *report, const struct rates_table *tables,
			const char *prefix)
{
	const struct session_header *header = session_header(report->session);
	FILE *file = report->file;

	for (int i = 0; i < SESSION_DEVICES; i++) {
		const struct device_info *device = &header->devices[i];
		struct peaks peaks = peaks_of(device);
		char text[TEXT_SIZE], number[NUMBER_SIZE];

		if (!device->used || !filter_shows_device(&report->filter, i))
			continue;
		fprintf(file, "%sPeaks of device %d: DRAM %s GB/s, L2 %s", prefix, i,
			number_rate(number, peaks.dram), number_size(text, device->l2_bytes));
		if (peaks.host > 0)
			fprintf(file, ", %s %s GB/s", host_link_text(device, text, sizeof(text)),
				number_rate(number, peaks.host));
		else
			fputs(", host link unknown", file);
		for (int j = 0; j < PRECISION_FP16; j++)
			fprintf(file, ", %s %s GFLOP/s", precision_name(j),
				number_rate(number, peaks.flops[j]));
		if (peaks.dram > 0 && peaks.flops[PRECISION_FP32] > 0)
			fprintf(file, "; balance %.3g B/FLOP in FP32",
				peaks.dram / peaks.flops[PRECISION_FP32]);
		fputs(".\n", file);
	}
	for (int i = REMARK_NONE + 1; i < REMARK_COUNT; i++)
		if (has_remark(tables, i))
			fprintf(file, "%s%s: %s\n", prefix, rate_remark_text(i),
				rate_remark_meaning(i));
}

static void csv_number(const struct rates_report *report, double value)
{
	if (value > 0)
		fprintf(report->file, "%.6g", value);
	fputc(',', report->file);
}

static void csv_rate(const struct rates_report *report, const struct rate *rate)
{
	csv_number(report, rate->average);
	csv_number(report, rate->minimum);
	csv_number(report, rate->maximum);
}

/* One line; of a unit (-1: none) of --work the unit's rate stands behind the others. */
static void csv_row(const struct rates_report *report, const struct rates_row *row, int unit)
{
	const struct row_rates *rates = &row->rates;
	FILE *file = report->file;
	char text[TEXT_SIZE];

	fprintf(file, "%d,", row->row->device);
	if (row->row->kind != ROW_KERNEL)
		fprintf(file, "%llu", (unsigned long long)rates->bytes);
	fputc(',', file);
	csv_rate(report, &rates->bandwidth);
	csv_number(report, rates->bandwidth_percent);
	csv_number(report, rates->peak);
	csv_write_text(peak_text(rates->peak_kind, row->device, text, sizeof(text)), file);
	fputc(',', file);
	csv_write_text(rate_remark_text(rates->remark), file);
	fputc(',', file);
	csv_rate(report, &rates->flops);
	csv_number(report, rates->flops_percent);
	csv_number(report, rates->bytes_per_flop);
	csv_number(report, rates->balance);
	csv_write_text(rates->bound ? rates_bound_text(rates->bound) : "", file);
	fputc(',', file);
	csv_number(report, 100 * rates->occupancy_least);
	csv_number(report, 100 * rates->occupancy_most);
	csv_write_text(occupancy_limit_text(rates->occupancy.limit), file);
	fputc(',', file);
	csv_number(report, rates->occupancy.waves);
	csv_rate(report, unit < 0 ? &(struct rate){0} : &rates->units[unit]);
	csv_write_text(unit < 0 ? "" : row->work.units[unit]->unit, file);
	fputc(',', file);
	csv_write_text(row->name, file);
	fputc('\n', file);
}

static void write_csv(const struct rates_report *report, const struct rates_table *tables)
{
	fputs("\n\"Device\",\"Bytes\",\"Bandwidth\",\"Min\",\"Max\",\"Of Peak\",\"Peak\",\"Peak "
	      "Of\",\"Remark\",\"FLOP rate\",\"Min\",\"Max\",\"Of Peak\",\"Bytes per FLOP\","
	      "\"Balance\",\"Bound\",\"Occupancy Min\",\"Occupancy Max\",\"Limit\",\"Waves\","
	      "\"Work rate\",\"Min\",\"Max\",\"Unit\",\"Name\"\n"
	      ",B,GB/s,GB/s,GB/s,%,GB/s,,,GFLOP/s,GFLOP/s,GFLOP/s,%,B,B,,%,%,,,10^9/s,10^9/s,"
	      "10^9/s,,\n",
	      report->file);
	for (int i = 0; i < 2; i++)
		for (size_t j = 0; j < shown(report, &tables[i]); j++) {
			const struct rates_row *row = &tables[i].rows[j];

			csv_row(report, row, row->work.units[0] ? 0 : -1);
			for (int unit = 1; unit < WORK_UNITS && row->work.units[unit]; unit++)
				csv_row(report, row, unit);
		}
}

static int begin(struct rates_report *report, const struct session *session,
		 const struct options *options, FILE *file)
{
	int error;

	*report = (struct rates_report){.session = session, .options = options, .file = file};
	for (int i = 0; i < SESSION_DEVICES; i++)
		report->devices += session_header(session)->devices[i].used != 0;
	error = filter_init(&report->filter, session, options);
	if (error)
		return error;
	error = work_patterns_init(&report->patterns, options);
	if (error)
		filter_free(&report->filter);
	return error;
}

static void end(struct rates_report *report)
{
	work_patterns_free(&report->patterns);
	filter_free(&report->filter);
}

int rates_write(const struct session *session, const struct options *options, const char *prefix,
		FILE *file)
{
	struct rates_table tables[2] = {{.rows = NULL}, {.rows = NULL}};
	struct rates_report report;
	int error = begin(&report, session, options, file);

	if (error)
		return error;
	error = collect(&report, &tables[0], false);
	if (!error)
		error = collect(&report, &tables[1], true);
	if (!error && options->csv) {
		write_csv(&report, tables);
	} else if (!error) {
		if (tables[0].count)
			write_copies(&report, &tables[0]);
		if (tables[1].count)
			write_kernels(&report, &tables[1]);
		write_units(&report, &tables[1]);
		if (!options->quiet)
			write_notes(&report, tables, prefix);
	}
	free_table(&tables[0]);
	free_table(&tables[1]);
	end(&report);
	return error;
}
