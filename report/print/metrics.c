/* SPDX-License-Identifier: MIT */
/* What the hardware counters said, as nvprof prints its metrics. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/metrics.h"
#include "report/print/report.h"

/* nvprof's columns: a longer name or description has three blanks before it. */
static const struct column columns[] = {
	{"Device", "Device", .line = "Device \"", .line_end = "\""},
	{"Kernel", "Kernel", .line = "    Kernel: "},
	{"Invocations", "Invocations", .kind = CELL_COUNT, .width = 11},
	{"Metric Name", "Metric Name", .width = 39, .most = 255, .before = 3},
	{"Metric Description", "Metric Description", .width = 39, .most = 255, .before = 3},
	{"Min", "Min", .kind = CELL_WORD, .width = 11, .before = 1},
	{"Max", "Max", .kind = CELL_WORD, .width = 11, .before = 1},
	{"Avg", "Avg", .kind = CELL_WORD, .width = 11, .before = 1},
};

struct metrics {
	struct report *report;
	const struct metric_values **shown;
	size_t count;
};

/* 10^9 bytes/s are a GB/s, as in ncu; more of them than nvprof knew have no larger unit. */
static void fill_throughput(struct cell *cell, double value)
{
	static const char *const units[] = {"B/s", "KB/s", "MB/s", "GB/s"};
	int unit = 0;

	while (unit < 3 && value >= 1000) {
		value /= 1000;
		unit++;
	}
	cell_print(cell, "%#.5g%s", value, units[unit]);
}

/* At most 11 characters, as the column has; CSV has room. */
static void fill_value(struct cell *cell, double value, uint32_t unit, bool csv)
{
	if (unit == METRIC_THROUGHPUT && csv)
		cell_print(cell, "%.6fGB/s", value / 1e9);
	else if (unit == METRIC_THROUGHPUT)
		fill_throughput(cell, value);
	else if (unit == METRIC_PERCENT)
		cell_print(cell, csv ? "%.6f%%" : "%.2f%%", value);
	else if (unit == METRIC_WHOLE)
		cell_print(cell, csv || value < 1e10 ? "%.0f" : "%.4e", value);
	else
		cell_print(cell, csv || value < 1e4 ? "%.6f" : "%.4e", value);
}

static const struct row *row_of(const struct session *session, const struct metric_values *metric)
{
	return session_row_at(session, metric->row);
}

static void fill(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct metrics *metrics = sheet->argument;
	const struct metric_values *metric = metrics->shown[index];
	const struct row *row = row_of(metrics->report->session, metric);
	const double values[] = {metric->minimum, metric->maximum,
				 metric->total / (double)metric->count};

	cell_print(&cells[0], "%.63s (%d)",
		   session_header(metrics->report->session)->devices[row->device].name,
		   row->device);
	cells[0].group = (uint64_t)row->device;
	cell_group(&cells[1], metric->row,
		   filter_name(&metrics->report->filter, row->kind, row->name));
	cell_count(&cells[2], metric->count);
	cell_text(&cells[3], session_string(metrics->report->session, metric->name));
	cell_text(&cells[4], session_string(metrics->report->session, metric->description));
	for (int i = 0; i < 3; i++)
		fill_value(&cells[5 + i], values[i], metric->unit, sheet->form == SHEET_CSV);
}

/* In a damaged file a name may be anything, and a row's device one that is none. */
static bool is_plain(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "_.,()/- ")] == '\0';
}

static bool is_shown(const struct metrics *metrics, const struct metric_values *metric)
{
	const struct row *row = row_of(metrics->report->session, metric);

	return metric->count > 0 && row->device >= 0 && row->device < SESSION_DEVICES &&
	       is_plain(session_string(metrics->report->session, metric->name)) &&
	       is_plain(session_string(metrics->report->session, metric->description)) &&
	       filter_shows(&metrics->report->filter, row->kind, row->name, row->device);
}

/* Those of a device together; else in the order in which they were first read. */
static int by_device(const void *left, const void *right, void *session)
{
	const struct metric_values *a = *(const struct metric_values *const *)left;
	const struct metric_values *b = *(const struct metric_values *const *)right;

	return IN_ORDER(row_of(session, a)->device, row_of(session, b)->device) ?: IN_ORDER(a, b);
}

static void write_table(struct metrics *metrics)
{
	const struct report *report = metrics->report;
	const uint64_t *counters = session_header(report->session)->counters;
	struct sheet sheet = {SHEET_OF(columns), .row = fill, .argument = metrics,
			      .rows = metrics->count};

	if (!report->options->csv)
		qsort_r(metrics->shown, metrics->count, sizeof(*metrics->shown), by_device,
			(void *)report->session);
	fputc('\n', report->file);
	if (!report->options->quiet) {
		report_begin(report, "Metric result:\n");
		report_begin(report,
			     "Launches whose counters were read, and which are not timed: %llu, in "
			     "%.1f s.\n",
			     (unsigned long long)counters[COUNTER_metric_launches],
			     (double)counters[COUNTER_metric_ns] / 1e9);
	}
	report_sheet(report, &sheet);
}

int metrics_write(struct report *report)
{
	struct metrics metrics = {.report = report};
	size_t all;

	metrics.shown = session_items(report->session, SEGMENT_METRICS, &all);
	if (!metrics.shown)
		return -ENOMEM;
	for (size_t i = 0; i < all; i++)
		if (is_shown(&metrics, metrics.shown[i]))
			metrics.shown[metrics.count++] = metrics.shown[i];
	if (metrics.count)
		write_table(&metrics);
	free(metrics.shown);
	return 0;
}
