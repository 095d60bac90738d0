/* SPDX-License-Identifier: MIT */
/* What the hardware counters said, as nvprof prints its metrics. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/metrics.h"
#include "report/print/report.h"

#define VALUE_SIZE 40

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
static void throughput_text(char *text, double value)
{
	static const char *const units[] = {"B/s", "KB/s", "MB/s", "GB/s"};
	int unit = 0;

	while (unit < 3 && value >= 1000) {
		value /= 1000;
		unit++;
	}
	snprintf(text, VALUE_SIZE, "%#.5g%s", value, units[unit]);
}

/* At most 11 characters, as the column has. */
static void value_text(char *text, double value, uint32_t unit)
{
	switch (unit) {
	case METRIC_THROUGHPUT:
		throughput_text(text, value);
		break;
	case METRIC_PERCENT:
		snprintf(text, VALUE_SIZE, "%.2f%%", value);
		break;
	case METRIC_WHOLE:
		snprintf(text, VALUE_SIZE, value < 1e10 ? "%.0f" : "%.4e", value);
		break;
	default:
		snprintf(text, VALUE_SIZE, value < 1e4 ? "%.6f" : "%.4e", value);
		break;
	}
}

static void value_csv(char *text, double value, uint32_t unit)
{
	switch (unit) {
	case METRIC_THROUGHPUT:
		snprintf(text, VALUE_SIZE, "%.6fGB/s", value / 1e9);
		break;
	case METRIC_PERCENT:
		snprintf(text, VALUE_SIZE, "%.6f%%", value);
		break;
	case METRIC_WHOLE:
		snprintf(text, VALUE_SIZE, "%.0f", value);
		break;
	default:
		snprintf(text, VALUE_SIZE, "%.6f", value);
		break;
	}
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
	char text[VALUE_SIZE];

	cell_print(&cells[0], "%.63s (%d)",
		   session_header(metrics->report->session)->devices[row->device].name,
		   row->device);
	cells[0].group = (uint64_t)row->device;
	cell_group(&cells[1], metric->row,
		   filter_name(&metrics->report->filter, row->kind, row->name));
	cell_count(&cells[2], metric->count);
	cell_text(&cells[3], session_string(metrics->report->session, metric->name));
	cell_text(&cells[4], session_string(metrics->report->session, metric->description));
	for (int i = 0; i < 3; i++) {
		(sheet->form == SHEET_CSV ? value_csv : value_text)(text, values[i], metric->unit);
		cell_print(&cells[5 + i], "%s", text);
	}
}

/* In a damaged file a name may be anything. */
static bool is_plain(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "_.,()/- ")] == '\0';
}

static bool is_shown(const struct metrics *metrics, const struct metric_values *metric)
{
	const struct row *row = row_of(metrics->report->session, metric);

	return metric->count > 0 &&
	       is_plain(session_string(metrics->report->session, metric->name)) &&
	       is_plain(session_string(metrics->report->session, metric->description)) &&
	       filter_shows(&metrics->report->filter, row->kind, row->name, row->device);
}

/* Those of a device together; else in the order in which they were first read. */
static int by_device(const void *left, const void *right, void *session)
{
	const struct metric_values *a = *(const struct metric_values *const *)left;
	const struct metric_values *b = *(const struct metric_values *const *)right;
	int difference = row_of(session, a)->device - row_of(session, b)->device;

	return difference ? difference : (a > b) - (a < b);
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
	size_t all;
	struct metrics metrics = {.report = report,
				  .shown = session_items(report->session, SEGMENT_METRICS, &all)};

	for (size_t i = 0; i < all; i++)
		if (is_shown(&metrics, metrics.shown[i]))
			metrics.shown[metrics.count++] = metrics.shown[i];
	if (!metrics.shown)
		return -ENOMEM;
	if (metrics.count)
		write_table(&metrics);
	free(metrics.shown);
	return 0;
}
