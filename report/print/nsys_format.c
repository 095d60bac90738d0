/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/print/nsys_format.h"
#include "report/print/nsys_lines.h"
#include "report/print/nsys_table.h"
#include "report/session/estimate.h"

#define KINDS(kind)  (1U << (kind))
#define KINDS_API    (KINDS(ROW_RUNTIME_API) | KINDS(ROW_DRIVER_API))
#define KINDS_MEMORY (KINDS(ROW_MEMCPY) | KINDS(ROW_MEMSET) | KINDS(ROW_MOVEMENT))

#define MEGABYTE     1e6 /* nsys's */

#define NSYS_TIME_HEADERS(calls, name)                                                             \
	{                                                                                          \
		"Time (%)", "Total Time (ns)", calls, "Avg (ns)", "Med (ns)", "Min (ns)",          \
			"Max (ns)", "StdDev (ns)", name                                            \
	}
#define NSYS_SIZE_HEADERS                                                                          \
	{                                                                                          \
		"Total (MB)", "Count", "Avg (MB)", "Med (MB)", "Min (MB)", "Max (MB)",             \
			"StdDev (MB)", "Operation"                                                 \
	}

static void time_row(const struct nsys_line *line, uint64_t total, struct nsys_row *row);
static void size_row(const struct nsys_line *line, uint64_t total, struct nsys_row *row);

/* In the order in which nsys prints them. */
static const struct nsys_report {
	const char *title, *name;
	const char *data; /* what a file without any of it "does not contain" */
	unsigned kinds;
	bool by_bytes;
	size_t figures;
	const char *headers[NSYS_FIGURES + 1];
	void (*row)(const struct nsys_line *line, uint64_t total, struct nsys_row *row);
} reports[] = {
	{"CUDA API Summary", "cuda_api_sum", "CUDA trace data", KINDS_API, false, 8,
	 NSYS_TIME_HEADERS("Num Calls", "Name"), time_row},
	{"CUDA GPU Kernel Summary", "cuda_gpu_kern_sum", "CUDA kernel data", KINDS(ROW_KERNEL),
	 false, 8, NSYS_TIME_HEADERS("Instances", "Name"), time_row},
	{"CUDA GPU MemOps Summary (by Time)", "cuda_gpu_mem_time_sum", "GPU memory data",
	 KINDS_MEMORY, false, 8, NSYS_TIME_HEADERS("Count", "Operation"), time_row},
	{"CUDA GPU MemOps Summary (by Size)", "cuda_gpu_mem_size_sum", "GPU memory data",
	 KINDS_MEMORY, true, 7, NSYS_SIZE_HEADERS, size_row},
};

/*
 * As SQLite's round(value, 1), with which nsys rounds: a half goes up, also one that binary
 * fractions can only come close to (123.05). The 3e-16 is SQLite's own allowance for that. From
 * 2^52 on a double has no fraction.
 */
static double round_tenth(double value)
{
	uint64_t whole = to_unsigned(value);
	long double fraction = value - (long double)whole + value * 3e-16L;

	if (!(value < 0x1p52))
		return value;
	return (double)whole + (double)(int)((fraction + 0.05L) * 10) / 10;
}

static void print_tenth(char *cell, double value)
{
	snprintf(cell, NSYS_FIGURE_SIZE, "%.1f", round_tenth(value));
}

static void print_count(char *cell, uint64_t value)
{
	snprintf(cell, NSYS_FIGURE_SIZE, "%llu", (unsigned long long)value);
}

static void print_megabytes(char *cell, double bytes)
{
	if (isnan(bytes))
		*cell = '\0';
	else
		snprintf(cell, NSYS_FIGURE_SIZE, "%.3f", bytes / MEGABYTE);
}

static void time_row(const struct nsys_line *line, uint64_t total, struct nsys_row *row)
{
	const struct distribution *time = &line->time;

	row->name = line->name;
	print_count(row->figures[2], time->count + time->untimed);
	/* Where there is none nsys leaves a cell empty. */
	if (!time->timed)
		return;
	print_tenth(row->figures[0], total ? time->total * 100.0 / total : 0);
	print_count(row->figures[1], time->total);
	print_tenth(row->figures[3], (double)time->total / time->count);
	print_tenth(row->figures[4], time->median);
	print_count(row->figures[5], time->minimum);
	print_count(row->figures[6], time->maximum);
	print_tenth(row->figures[7], time->deviation);
}

static void size_row(const struct nsys_line *line, uint64_t total, struct nsys_row *row)
{
	const struct distribution *bytes = &line->bytes;

	(void)total;
	row->name = line->name;
	print_megabytes(row->figures[0], bytes->total);
	print_count(row->figures[1], bytes->count);
	print_megabytes(row->figures[2], (double)bytes->total / bytes->count);
	print_megabytes(row->figures[3], bytes->median);
	print_megabytes(row->figures[4], bytes->minimum);
	print_megabytes(row->figures[5], bytes->maximum);
	print_megabytes(row->figures[6], bytes->deviation);
}

static int report_print(const struct nsys_report *report, struct nsys_line *lines,
			const struct options *options, FILE *file)
{
	struct nsys_table table = {.figures = report->figures};
	struct nsys_line *line;
	struct nsys_row *rows;
	uint64_t total = 0;
	int error;

	rows = calloc(HASH_COUNT(lines) + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (line = lines; line; line = line->hh.next)
		total += line->time.total;
	for (line = lines; line && (!options->top || table.row_count < options->top);
	     line = line->hh.next)
		if (!report->by_bytes || line->bytes.timed)
			report->row(line, total, &rows[table.row_count++]);
	memcpy(table.headers, report->headers, sizeof(table.headers));
	table.rows = rows;
	if (!table.row_count) {
		if (!options->csv && !options->quiet)
			fprintf(file, "SKIPPED: the profile does not contain %s.\n\n",
				report->data);
		error = 0;
	} else if (options->csv) {
		error = nsys_table_csv(&table, file);
		fputc('\n', file);
	} else {
		fprintf(file, "\n ** %s (%s):\n\n", report->title, report->name);
		error = nsys_table_text(&table, file);
		fputc('\n', file);
	}
	free(rows);
	return error;
}

/* --print-gpu-summary and --print-api-summary ask for one half alone. */
static bool is_wanted(const struct nsys_report *report, const struct options *options)
{
	if (options->print_summary || options->print_gpu_summary == options->print_api_summary)
		return true;
	return report->kinds == KINDS_API ? options->print_api_summary : options->print_gpu_summary;
}

int nsys_format_write(struct session *session, const struct options *options, FILE *file)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		struct nsys_line *lines;
		int error;

		if (!is_wanted(&reports[i], options))
			continue;

		error = nsys_lines_collect(session, options, reports[i].kinds, &lines);
		if (!error && reports[i].by_bytes)
			nsys_lines_sort_by_bytes(&lines);
		if (!error)
			error = report_print(&reports[i], lines, options, file);
		nsys_lines_free(&lines);
		if (error)
			return error;
	}
	return ferror(file) ? -EIO : 0;
}
