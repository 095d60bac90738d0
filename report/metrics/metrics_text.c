/* SPDX-License-Identifier: MIT */
#include "report/metrics/metrics_text.h"

#include <string.h>

#include "report/names/visible.h"
#include "report/options/metrics.h"
#include "report/session/metric_values.h"
#include "report/session/session_nvtx.h"

#define VALUE_SIZE 40
/* nvprof's columns: a longer name or description has three blanks before it. */
#define NAME_LEAST 42
#define BLANKS	   3

struct printer {
	const struct session *session;
	const struct metrics_names *names;
	int name_width, description_width;
	FILE *file;
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

/* At most 11 characters: the column has 12. */
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

static double average(const struct metric_values *metric)
{
	return metric->total / (double)metric->count;
}

static const struct row *row_of(const struct printer *printer, const struct metric_values *metric)
{
	return session_row_at(printer->session, metric->row);
}

/* In a damaged file a name may be anything. */
static bool is_plain(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "_.,()/- ")] == '\0';
}

static bool is_shown(const struct printer *printer, const struct metric_values *metric)
{
	return metric->count > 0 && is_plain(session_string(printer->session, metric->name)) &&
	       is_plain(session_string(printer->session, metric->description)) &&
	       printer->names->name(row_of(printer, metric), printer->names->argument);
}

static void widen(int *width, const char *text)
{
	int needed = (int)strlen(text) + BLANKS;

	if (needed > *width)
		*width = needed;
}

/* Whether there is anything to show. */
static bool measure(struct printer *printer)
{
	const struct metric_values *metric;
	bool any = false;

	printer->name_width = printer->description_width = NAME_LEAST;
	session_for_each_metric(printer->session, metric)
	{
		if (!is_shown(printer, metric))
			continue;
		any = true;
		widen(&printer->name_width, session_string(printer->session, metric->name));
		widen(&printer->description_width,
		      session_string(printer->session, metric->description));
	}
	return any;
}

static const char *device_name(const struct printer *printer, int device)
{
	return session_header(printer->session)->devices[device].name;
}

static void write_line(const struct printer *printer, const struct metric_values *metric)
{
	char minimum[VALUE_SIZE], maximum[VALUE_SIZE], mean[VALUE_SIZE];

	value_text(minimum, metric->minimum, metric->unit);
	value_text(maximum, metric->maximum, metric->unit);
	value_text(mean, average(metric), metric->unit);
	fprintf(printer->file, "%11llu%*s%*s%12s%12s%12s\n", (unsigned long long)metric->count,
		printer->name_width, session_string(printer->session, metric->name),
		printer->description_width, session_string(printer->session, metric->description),
		minimum, maximum, mean);
}

/* The kernels of a device, each with its metrics, in the order in which they were first read. */
static void write_device(const struct printer *printer, int device)
{
	const struct metric_values *metric;
	uint64_t kernel = 0;
	bool any = false;

	session_for_each_metric(printer->session, metric)
	{
		const struct row *row = row_of(printer, metric);

		if (row->device != device || !is_shown(printer, metric))
			continue;
		if (!any)
			fprintf(printer->file, "Device \"%.63s (%d)\"\n",
				device_name(printer, device), device);
		if (!any || metric->row != kernel) {
			fputs("    Kernel: ", printer->file);
			visible_write(printer->names->name(row, printer->names->argument),
				      printer->file);
			fputc('\n', printer->file);
		}
		any = true;
		kernel = metric->row;
		write_line(printer, metric);
	}
}

static void write_csv_line(const struct printer *printer, const struct metric_values *metric)
{
	const struct row *row = row_of(printer, metric);
	char text[VALUE_SIZE];
	const double values[] = {metric->minimum, metric->maximum, average(metric)};

	fprintf(printer->file, "\"%.63s (%d)\",", device_name(printer, row->device), row->device);
	printer->names->csv(printer->names->name(row, printer->names->argument), printer->file);
	fprintf(printer->file, ",%llu,\"%s\",\"%s\"", (unsigned long long)metric->count,
		session_string(printer->session, metric->name),
		session_string(printer->session, metric->description));
	for (int i = 0; i < 3; i++) {
		value_csv(text, values[i], metric->unit);
		fprintf(printer->file, ",%s", text);
	}
	fputc('\n', printer->file);
}

static void write_csv(const struct printer *printer)
{
	const struct metric_values *metric;

	fputs("\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\","
	      "\"Min\",\"Max\",\"Avg\"\n",
	      printer->file);
	session_for_each_metric(printer->session, metric) if (is_shown(printer, metric))
		write_csv_line(printer, metric);
}

void metrics_write(const struct session *session, const struct options *options, const char *prefix,
		   const struct metrics_names *names, FILE *file)
{
	const struct session_header *header = session_header(session);
	struct printer printer = {.session = session, .names = names, .file = file};

	if (!measure(&printer))
		return;
	if (!options->quiet) {
		fprintf(file, "\n%sMetric result:\n", prefix);
		fprintf(file,
			"%sLaunches whose counters were read, and which are not timed: %llu, in "
			"%.1f s.\n",
			prefix, (unsigned long long)header->counters[COUNTER_metric_launches],
			(double)header->counters[COUNTER_metric_ns] / 1e9);
	} else {
		fputc('\n', file);
	}
	if (options->csv) {
		write_csv(&printer);
		return;
	}
	fprintf(file, "Invocations%*s%*s%12s%12s%12s\n", printer.name_width, "Metric Name",
		printer.description_width, "Metric Description", "Min", "Max", "Avg");
	for (int device = 0; device < SESSION_DEVICES; device++)
		write_device(&printer, device);
}

void metrics_list(FILE *file)
{
	fputs("Metrics, and the counters that they are read from:\n", file);
	for (size_t i = 0; i < metric_table_size; i++) {
		const struct metric *metric = &metric_table[i];

		fprintf(file, "%34s:  %s\n%36s", metric->name, metric->description, "");
		for (size_t j = 0; j < METRIC_TERMS && metric->terms[j].counter; j++) {
			if (j > 0)
				fputs(" + ", file);
			if (metric->terms[j].factor != 1)
				fprintf(file, "%g * ", metric->terms[j].factor);
			fputs(metric->terms[j].counter, file);
		}
		fputc('\n', file);
	}
	fputs("Metrics that no counter has today:\n", file);
	for (size_t i = 0; i < metric_gone_count; i++)
		fprintf(file, "%34s:  %s\n", metric_gone[i].name, metric_gone[i].instead);
	fputs("Counters have names of their own, as dram__bytes_read.sum: `ncu --query-metrics` "
	      "lists those of a device.\n",
	      file);
}
