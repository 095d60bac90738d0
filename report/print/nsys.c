/* SPDX-License-Identifier: MIT */
/*
 * A session in the shape of `nsys stats`: its rows, summed over the devices by the name that nsys
 * prints. Median and deviation are exact if the session kept a record of every call, else read from
 * the histogram (within 1.6 %) and the sum of squares.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/demangle.h"
#include "report/names/nsys_names.h"
#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/*
 * Samples kept for exact medians: 64 MB at most. A longer trace has its medians read from the
 * histograms, as a session without a trace.
 */
#define SAMPLES_LIMIT (8UL << 20)

/* Nanoseconds or bytes over the calls of a line. */
struct distribution {
	struct table_row sum;
	double median;	  /* NAN: not known */
	double deviation; /* of the sample (n - 1); 0 for a single call */
	uint64_t *samples, sample_total;
	size_t sample_count, sample_room;
};

struct nsys_line {
	struct text_entry entry; /* by its name */
	struct distribution time, bytes;
	uint64_t untimed; /* calls of rows without any time */
};

struct collection {
	const struct session *session;
	struct filter *filter;
	unsigned kinds;
	struct text_entry *lines;
	/* Which line the records of a name belong to: names are interned, so one offset is one
	 * name. */
	struct entry *names;
	size_t samples;
};

/* What nsys prints for a row; to be freed, NULL without memory. */
static char *line_name(const struct collection *collection, const struct row *row)
{
	const char *name = session_string(collection->session, row->name);
	char *text, *visible;

	if (row_is_gpu(row->kind) && row->kind != ROW_KERNEL)
		name = nsys_operation_name(name);
	text = row->kind == ROW_KERNEL && collection->filter->options->demangling
		       ? nsys_demangle(name)
		       : strdup(name);
	visible = text ? visible_text(text) : NULL;
	free(text);
	return visible;
}

static int name_add(struct collection *collection, uint64_t name, struct nsys_line *line)
{
	const uint64_t key[ENTRY_NUMBERS] = {name};
	struct entry *entry = entry_of(&collection->names, key, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	if (!entry->item)
		entry->item = line;
	return 0;
}

static void add_bytes(struct table_row *sum, const struct row *row)
{
	if (!row->bytes)
		return;
	if (!sum->timed || row->bytes_minimum < sum->minimum)
		sum->minimum = row->bytes_minimum;
	RAISE(sum->maximum, row->bytes_maximum);
	sum->counted += row_calls(row);
	sum->timed += row_calls(row);
	sum->total += row->bytes;
	sum->squares += row->bytes_squares;
}

static int row_collect(struct collection *collection, const struct row *row)
{
	struct nsys_line *line;
	uint64_t timed;
	int error;
	char *name;

	if (row_calls(row) == 0)
		return 0;
	if (row->kind == ROW_MOVEMENT &&
	    !nsys_is_memory_operation(row->kind, session_string(collection->session, row->name)))
		return 0;
	name = line_name(collection, row);
	if (!name)
		return -ENOMEM;
	if (!filter_matches(collection->filter, row->kind, name) ||
	    !filter_shows_device(collection->filter, row->device)) {
		free(name);
		return 0;
	}
	line = text_entry_of(&collection->lines, name, sizeof(*line));
	free(name);
	if (!line)
		return -ENOMEM;
	timed = line->time.sum.timed;
	error = table_row_add(&line->time.sum, collection->session, row, true);
	if (line->time.sum.timed == timed)
		line->untimed += row_calls(row);
	add_bytes(&line->bytes.sum, row);
	return error ? error : name_add(collection, row->name, line);
}

static int sample_add(struct distribution *distribution, uint64_t value)
{
	if (!LIST_HAS_ROOM(distribution->samples, distribution->sample_count,
			   distribution->sample_room))
		return -ENOMEM;
	distribution->samples[distribution->sample_count++] = value;
	distribution->sample_total += value;
	return 0;
}

/* Collects single durations and sizes, as far as they fit. */
static int samples_collect(struct collection *collection)
{
	const struct trace_record *record;

	session_for_each_trace (collection->session, record) {
		const uint64_t key[ENTRY_NUMBERS] = {record->name};
		const struct entry *entry;
		struct nsys_line *line;
		int error;

		if (record->kind >= ROW_KINDS || !(collection->kinds & 1U << record->kind))
			continue;
		entry = entry_of(&collection->names, key, 0);
		if (!entry)
			continue;
		if (collection->samples++ == SAMPLES_LIMIT)
			break;
		line = entry->item;
		error = sample_add(&line->time, record->end - record->start);
		if (!error && record->bytes)
			error = sample_add(&line->bytes, record->bytes);
		if (error)
			return error;
	}
	return 0;
}

static int compare_samples(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return IN_ORDER(*x, *y);
}

/* Median and deviation from all of a line's samples. */
static void distribution_exact(struct distribution *distribution)
{
	size_t count = distribution->sample_count, middle = count / 2;
	long double mean = (long double)distribution->sum.total / count, sum = 0;
	uint64_t *samples = distribution->samples;

	qsort(samples, count, sizeof(*samples), compare_samples);
	distribution->median = count % 2 ? (double)samples[middle]
					 : ((double)samples[middle - 1] + samples[middle]) / 2;
	for (size_t i = 0; i < count; i++)
		sum += (samples[i] - mean) * (samples[i] - mean);
	distribution->deviation = count > 1 ? sqrt((double)(sum / (count - 1))) : 0;
}

static void distribution_finish(struct distribution *distribution)
{
	const struct table_row *row = &distribution->sum;
	long double total = row->total, sum;

	if (!row->timed)
		return;
	/* Records of event pairs hold the pairs' overhead, which the row's figures do not. */
	if (distribution->sample_count == row->counted &&
	    distribution->sample_total == row->total) {
		distribution_exact(distribution);
		return;
	}
	if (row->histogram)
		distribution->median = (double)table_time(row, TABLE_MEDIAN);
	else
		distribution->median = row->minimum == row->maximum ? (double)row->minimum : NAN;
	sum = row->squares - total * total / row->counted;
	distribution->deviation =
		row->counted > 1 && sum > 0 ? sqrt((double)(sum / (row->counted - 1))) : 0;
}

static uint64_t calls_of(const struct nsys_line *line)
{
	return line->time.sum.counted + line->untimed;
}

/* nsys's order: total, calls (fewer first), name. */
static int compare_time(const struct text_entry *left, const struct text_entry *right)
{
	const struct nsys_line *a = (const struct nsys_line *)left;
	const struct nsys_line *b = (const struct nsys_line *)right;

	return IN_ORDER(b->time.sum.total, a->time.sum.total)
		       ?: IN_ORDER(calls_of(a), calls_of(b)) ?: strcmp(left->text, right->text);
}

static int compare_bytes(const struct text_entry *left, const struct text_entry *right)
{
	uint64_t a = ((const struct nsys_line *)left)->bytes.sum.total;
	uint64_t b = ((const struct nsys_line *)right)->bytes.sum.total;

	return IN_ORDER(b, a) ?: strcmp(left->text, right->text);
}

static void lines_free(struct text_entry **lines)
{
	entries_for_each (struct nsys_line, *lines, line) {
		free(line->time.sum.histogram);
		free(line->time.samples);
		free(line->bytes.samples);
	}
	text_entries_free(lines);
}

/*
 * The lines of the rows whose kind is in the mask (1 << enum row_kind), by total time, the largest
 * first. They are freed with lines_free(), also after an error. 0 or -ENOMEM.
 */
static int lines_collect(struct report *report, unsigned kinds, struct text_entry **lines)
{
	struct collection collection = {
		.session = report->session, .filter = &report->filter, .kinds = kinds};
	struct row *row;
	int error = 0;

	*lines = NULL;
	session_for_each_row (report->session, row)
		if (row->kind < ROW_KINDS && kinds & 1U << row->kind && !error)
			error = row_collect(&collection, row);
	if (!error)
		error = samples_collect(&collection);
	entries_for_each (struct nsys_line, collection.lines, line) {
		distribution_finish(&line->time);
		distribution_finish(&line->bytes);
	}
	HASH_SORT(collection.lines, compare_time);
	*lines = collection.lines;
	entries_free(&collection.names);
	return error;
}

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
	const struct table_row *time = &line->time.sum, *bytes = &line->bytes.sum;
	const double sizes[] = {bytes->total,	    (double)bytes->total / (double)bytes->counted,
				line->bytes.median, bytes->minimum,
				bytes->maximum,	    line->bytes.deviation};

	for (unsigned i = 2; i < 5; i++)
		cell_count(&cells[i], calls_of(line));
	/* Where there is none nsys leaves a cell empty. */
	if (time->timed) {
		cell_real(&cells[0],
			  round_tenth(rows->total ? time->total * 100.0 / rows->total : 0));
		cell_count(&cells[1], time->total);
		cell_real(&cells[5], round_tenth((double)time->total / time->counted));
		cell_real(&cells[6], round_tenth(line->time.median));
		cell_count(&cells[7], time->minimum);
		cell_count(&cells[8], time->maximum);
		cell_real(&cells[9], round_tenth(line->time.deviation));
	}
	for (unsigned i = 0; i < 6; i++)
		cell_real(&cells[i ? 11 + i : 10], sizes[i] / MEGABYTE);
	cell_count(&cells[11], bytes->counted);
	cell_text(&cells[17], line->entry.text);
	cell_text(&cells[18], line->entry.text);
}

static int print_lines(const struct report *report, const struct nsys_report *wanted,
		       struct text_entry *lines)
{
	struct nsys_rows rows = {calloc(HASH_COUNT(lines) + 1, sizeof(*rows.lines)), 0};
	struct sheet sheet = {SHEET_OF(columns),      .row = fill_row, .argument = &rows,
			      .parts = wanted->parts, .nsys = true,    .indent = 1};

	if (!rows.lines)
		return -ENOMEM;
	entries_for_each (struct nsys_line, lines, line)
		rows.total += line->time.sum.total;
	entries_for_each (struct nsys_line, lines, line)
		if ((!report->options->top || sheet.rows < report->options->top) &&
		    (wanted->parts != SIZES || line->bytes.sum.timed))
			rows.lines[sheet.rows++] = line;
	if (!sheet.rows && !report->options->csv && !report->options->quiet)
		fprintf(report->file, "SKIPPED: the profile does not contain %s.\n\n",
			wanted->data);
	if (sheet.rows && !report->options->csv)
		fprintf(report->file, "\n ** %s:\n\n", wanted->title);
	if (sheet.rows) {
		report_sheet(report, &sheet);
		fputc('\n', report->file);
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

int nsys_format_write(struct report *report)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		struct text_entry *lines;
		int error;

		if (!is_wanted(&reports[i], report->options))
			continue;

		error = lines_collect(report, reports[i].kinds, &lines);
		if (!error && reports[i].parts == SIZES)
			HASH_SORT(lines, compare_bytes);
		if (!error)
			error = print_lines(report, &reports[i], lines);
		lines_free(&lines);
		if (error)
			return error;
	}
	return ferror(report->file) ? -EIO : 0;
}
