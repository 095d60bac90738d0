/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "report/print/nsys_format.h"
#include "report/print/nsys_lines.h"
#include "report/session/estimate.h"
#include "report/sheet/sheet.h"

#define KINDS(kind)  (1U << (kind))
#define KINDS_API    (KINDS(ROW_RUNTIME_API) | KINDS(ROW_DRIVER_API))
#define KINDS_MEMORY (KINDS(ROW_MEMCPY) | KINDS(ROW_MEMSET) | KINDS(ROW_MOVEMENT))

#define MEGABYTE     1e6 /* nsys's */

#define TENTHS	     .kind = CELL_REAL, .decimals = 1, .width = 1, .most = 100
#define MEGABYTES    .kind = CELL_REAL, .decimals = 3, .width = 1, .most = 100
#define WHOLE	     .kind = CELL_COUNT, .width = 1, .most = 100
#define NAMES	     .width = -1, .most = 100, .name = true

/* Parts of the sheet. */
enum { TIMES = 1, CALLS = 2, INSTANCES = 4, COUNTS = 8, NAMED = 16, SIZES = 32 };

#define COLUMN(heading, shown, ...)                                                                \
	{                                                                                          \
		heading, heading, .parts = shown, __VA_ARGS__                                      \
	}
static const struct column columns[] = {
	COLUMN("Time (%)", TIMES, TENTHS),
	COLUMN("Total Time (ns)", TIMES, WHOLE),
	COLUMN("Num Calls", CALLS, WHOLE),
	COLUMN("Instances", INSTANCES, WHOLE),
	COLUMN("Count", COUNTS, WHOLE),
	COLUMN("Avg (ns)", TIMES, TENTHS),
	COLUMN("Med (ns)", TIMES, TENTHS),
	COLUMN("Min (ns)", TIMES, WHOLE),
	COLUMN("Max (ns)", TIMES, WHOLE),
	COLUMN("StdDev (ns)", TIMES, TENTHS),
	COLUMN("Total (MB)", SIZES, MEGABYTES),
	COLUMN("Count", SIZES, WHOLE),
	COLUMN("Avg (MB)", SIZES, MEGABYTES),
	COLUMN("Med (MB)", SIZES, MEGABYTES),
	COLUMN("Min (MB)", SIZES, MEGABYTES),
	COLUMN("Max (MB)", SIZES, MEGABYTES),
	COLUMN("StdDev (MB)", SIZES, MEGABYTES),
	COLUMN("Name", NAMED, NAMES),
	COLUMN("Operation", COUNTS | SIZES, NAMES),
};

/* In the order in which nsys prints them. */
static const struct nsys_report {
	const char *title;
	const char *data; /* what a file without any of it "does not contain" */
	unsigned kinds, parts;
} reports[] = {
	{"CUDA API Summary (cuda_api_sum)", "CUDA trace data", KINDS_API, TIMES | CALLS | NAMED},
	{"CUDA GPU Kernel Summary (cuda_gpu_kern_sum)", "CUDA kernel data", KINDS(ROW_KERNEL),
	 TIMES | INSTANCES | NAMED},
	{"CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum)", "GPU memory data",
	 KINDS_MEMORY, TIMES | COUNTS},
	{"CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum)", "GPU memory data",
	 KINDS_MEMORY, SIZES},
};

struct nsys_rows {
	const struct nsys_line **lines;
	uint64_t total;
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

static void fill_row(const struct sheet *sheet, size_t row, struct cell *cells)
{
	const struct nsys_rows *rows = sheet->argument;
	const struct nsys_line *line = rows->lines[row];
	const struct distribution *time = &line->time, *bytes = &line->bytes;
	const double sizes[] = {bytes->total,	(double)bytes->total / (double)bytes->count,
				bytes->median,	bytes->minimum,
				bytes->maximum, bytes->deviation};

	for (unsigned i = 2; i < 5; i++)
		cell_count(&cells[i], time->count + time->untimed);
	/* Where there is none nsys leaves a cell empty. */
	if (time->timed) {
		cell_real(&cells[0],
			  round_tenth(rows->total ? time->total * 100.0 / rows->total : 0));
		cell_count(&cells[1], time->total);
		cell_real(&cells[5], round_tenth((double)time->total / time->count));
		cell_real(&cells[6], round_tenth(time->median));
		cell_count(&cells[7], time->minimum);
		cell_count(&cells[8], time->maximum);
		cell_real(&cells[9], round_tenth(time->deviation));
	}
	for (unsigned i = 0; i < 6; i++)
		cell_real(&cells[i ? 11 + i : 10], sizes[i] / MEGABYTE);
	cell_count(&cells[11], bytes->count);
	cell_text(&cells[17], line->name);
	cell_text(&cells[18], line->name);
}

static int report_print(const struct nsys_report *report, struct nsys_line *lines,
			const struct options *options, FILE *file)
{
	struct nsys_rows rows = {calloc(HASH_COUNT(lines) + 1, sizeof(*rows.lines)), 0};
	struct sheet sheet = {SHEET_OF(columns),
			      .row = fill_row,
			      .argument = &rows,
			      .parts = report->parts,
			      .nsys = true,
			      .indent = 1,
			      .form = options->csv ? SHEET_CSV : SHEET_TEXT};
	struct nsys_line *line;

	if (!rows.lines)
		return -ENOMEM;
	for (line = lines; line; line = line->hh.next)
		rows.total += line->time.total;
	for (line = lines; line && (!options->top || sheet.rows < options->top);
	     line = line->hh.next)
		if (report->parts != SIZES || line->bytes.timed)
			rows.lines[sheet.rows++] = line;
	if (!sheet.rows && !options->csv && !options->quiet)
		fprintf(file, "SKIPPED: the profile does not contain %s.\n\n", report->data);
	if (sheet.rows && !options->csv)
		fprintf(file, "\n ** %s:\n\n", report->title);
	if (sheet.rows) {
		sheet_write(&sheet, file);
		fputc('\n', file);
	}
	free(rows.lines);
	return 0;
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
		if (!error && reports[i].parts == SIZES)
			nsys_lines_sort_by_bytes(&lines);
		if (!error)
			error = report_print(&reports[i], lines, options, file);
		nsys_lines_free(&lines);
		if (error)
			return error;
	}
	return ferror(file) ? -EIO : 0;
}
