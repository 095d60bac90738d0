/* SPDX-License-Identifier: MIT */
#include "preload/reporter/reporter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/base/background_thread.h"
#include "preload/base/clock.h"
#include "preload/base/run.h"
#include "preload/launch/thread.h"
#include "preload/recording/rows.h"
#include "report/print/table.h"
#include "report/sheet/sheet.h"
#include "report/session/items.h"

/* The most rows of a section; further ones are in the profile only. A program with 400 kernels has
 * 450 rows. */
#define ROWS	   1024u
#define NAME_WIDTH 200

/* For the one thread that writes it; memory of its own. */
static struct {
	char buffer[1 << 16];
	struct table_row rows[ROWS];
	int file;
	uint64_t last_moment;
	bool written;
	char name[2 * NAME_WIDTH];
} last_report;

static bool take(void *target, const char *bytes, size_t length)
{
	(void)target;
	while (length > 0) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		ssize_t count;

		if (now >= last_report.last_moment ||
		    !log_file_has_room(last_report.file, last_report.last_moment - now))
			return false;
		/* As much as a pipe takes without waiting, once it says that it is ready. */
		count = write(last_report.file, bytes, length < 4096 ? length : 4096);
		if (count < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		length -= count > 0 ? (size_t)count : 0;
		bytes += count > 0 ? count : 0;
	}
	return true;
}

/* A row's line, by the clock (CUPTI or events) that timed more of its calls, as in the full report.
 */
static struct table_row line_of(const struct row *row)
{
	struct table_row line = {.name = (char *)session_string(run.session, row->name),
				 .kind = row->kind,
				 .first = row};
	struct row corrected = *row;

	corrected.events.histogram = corrected.difference_histogram = 0;
	if (corrected.events.count > corrected.cupti.count)
		corrected.cupti.count = 0;
	row_subtract_overhead(run.session, &corrected);
	table_row_add(&line, run.session, &corrected, false);
	return line;
}

/* Keeps the lines sorted by their totals, the longest first. */
static void insert(struct table *table, const struct table_row *line)
{
	size_t at = table->count;

	table->total += line->total;
	table->collected++;
	if (at < ROWS)
		table->count++;
	else if (last_report.rows[--at].total >= line->total)
		return;
	for (; at > 0 && last_report.rows[at - 1].total < line->total; at--)
		last_report.rows[at] = last_report.rows[at - 1];
	last_report.rows[at] = *line;
}

/* Fills in a line's cells. Kernels have their mangled names: demangling needs malloc. */
static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct row *row = last_report.rows[index].first;
	const char *kernel = session_string(run.session, row->kernels_listed);
	struct cell *cell = &cells[sheet->column_count - 1];
	size_t length;

	summary_fill_row(sheet, index, cells);
	snprintf(last_report.name, NAME_WIDTH, "%s", cell->text);
	cell->text = last_report.name;
	if (row->kind != ROW_GRAPH || !row->nodes)
		return;
	length = strlen(last_report.name);
	length += (size_t)snprintf(last_report.name + length, 32, " %u node%s", row->nodes,
				   row->nodes == 1 ? "" : "s");
	for (const char *separator = ": "; *kernel; separator = ", ") {
		size_t size = strcspn(kernel, "\n");

		length += (size_t)snprintf(last_report.name + length,
					   sizeof(last_report.name) - length, "%s%.*s", separator,
					   (int)size, kernel);
		if (length >= sizeof(last_report.name))
			break;
		kernel += size + (kernel[size] == '\n');
	}
}

/* Prints a section's rows, the longest of them; false if there were more. */
static bool print_section(enum table_section section, struct out *out)
{
	struct table tables[TABLE_SECTIONS] = {{.rows = NULL}};
	struct sheet sheet;
	struct row *row;

	tables[section].rows = last_report.rows;
	session_for_each_row (run.session, row) {
		struct table_row line;

		if (row_calls(row) == 0 || table_section_of(run.session, row) != section)
			continue;
		line = line_of(row);
		insert(&tables[section], &line);
	}
	summary_sheet(&sheet, tables);
	sheet.row = fill_row;
	sheet.continued = section != TABLE_GPU;
	sheet_text(&sheet, out);
	return tables[section].collected == tables[section].count;
}

/* Whether the profile has data (NVTX ranges, metrics, a trace) that this short report does not
 * show. */
static bool has_more(void)
{
	const uint64_t *counters = run.header->counters;

	return session_next_item(run.session, SEGMENT_RANGES, NULL) ||
	       counters[COUNTER_metric_launches] > 0 || counters[COUNTER_trace_records] > 0;
}

/* Calls that are only counted, and that the collector has not taken. */
static uint64_t count_only_untaken(const struct thread *thread)
{
	uint64_t untaken = 0;

	for (unsigned i = 0; i < 2 * COUNTED_OPERATIONS; i++)
		untaken +=
			load_relaxed(&thread->operation_calls[i]) - thread->operation_calls_seen[i];
	return untaken;
}

/* Operations in the table by CUPTI's records alone: their calls have not come yet. */
static uint64_t count_ahead(void)
{
	uint64_t ahead = 0;
	struct row *row;

	session_for_each_row (run.session, row) {
		uint64_t known = row->calls + row->graph_records;

		if (row_is_gpu(row->kind) && row->cupti.count > known)
			ahead += row->cupti.count - known;
	}
	return ahead;
}

/* Operations whose call records wait in a thread's ring. */
static uint64_t ring_untaken(const struct thread *thread)
{
	/* Acquire: records before the head are written. */
	uint32_t head = load_acquire(&thread->ring.head);
	uint32_t tail = load_relaxed(&thread->ring_tail);
	uint64_t untaken = 0;

	for (; tail != head; tail++)
		untaken += call_is_operation(&thread->ring.records[tail % RING_RECORDS]);
	return untaken;
}

/* Operations whose calls the collector has not taken from the threads' rings, or that found these
 * full or left no record, and that are not in the table by CUPTI's. */
static uint64_t count_missing(void)
{
	uint64_t missing = rows_lost_untaken(), ahead = count_ahead();

	for (struct thread *thread = thread_first(); thread; thread = thread->next)
		missing += ring_untaken(thread) + count_only_untaken(thread);
	return missing > ahead ? missing - ahead : 0;
}

/* Operations in the table whose time by CUPTI has not come. */
static uint64_t count_untimed(void)
{
	uint64_t untimed = 0;
	struct row *row;

	session_for_each_row (run.session, row)
		if (row_is_gpu(row->kind) && row->calls > row->cupti.count &&
		    row->events.count <= row->cupti.count)
			untimed += row->calls - row->cupti.count;
	return untimed;
}

void last_report_write(const struct reporter_output *output, uint64_t end)
{
	int process = run.header->pid;
	char missing[NUMBER_SIZE], untimed[NUMBER_SIZE];
	struct out out = {
		.buffer = last_report.buffer, .size = sizeof(last_report.buffer), .take = take};
	bool all = true, kept = output->kept && output->kept[0];

	last_report.last_moment = end;
	last_report.file = log_file_kept(output->log);
	if (last_report.file < 0 && output->log->path)
		last_report.file =
			open(output->log->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
	else if (last_report.file < 0 && log_file_is_stream(output->log->descriptor))
		last_report.file = output->log->descriptor;
	out.failed = last_report.file < 0;
	/* The collector may be writing, as any process of which `ktime show` prints the profile. */
	sanitizer_ignore_reads_begin();
	out_format(&out, "==%d== Profiling application: ", process);
	out_visible(&out, session_string(run.session, run.header->command));
	out_format(&out, "\n==%d== Profiling result:\n", process);
	for (enum table_section section = TABLE_GPU; section <= TABLE_API; section++)
		all &= print_section(section, &out);
	all = (all && !has_more()) || !kept || !output->remove_kept;
	out_format(&out,
		   "==%d== The driver was busy when the program ended: %s operations are missing "
		   "above, and %s have no time.\n",
		   process, number_count(missing, count_missing()),
		   number_count(untimed, count_untimed()));
	if (!all) {
		out_format(&out, "==%d== Not all that the profile holds is above: ktime show ",
			   process);
		out_visible(&out, output->kept);
		out_text(&out, "\n");
	}
	sanitizer_ignore_reads_end();
	out_flush(&out);
	last_report.written = !out.failed;
	if (last_report.written && all)
		run.header->reported = 1;
	/* The profile goes only when all that it holds was printed. */
	if (last_report.written && all && kept && output->remove_kept)
		unlink(output->kept);
	if (output->entry && output->entry[0])
		unlink(output->entry);
}

bool last_report_is_written(void)
{
	return last_report.written;
}
