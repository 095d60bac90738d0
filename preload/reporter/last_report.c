/* SPDX-License-Identifier: MIT */
#include "preload/reporter/last_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/base/sanitizer.h"
#include "preload/collector/rows.h"
#include "preload/launch/thread.h"
#include "report/names/visible.h"
#include "report/options/log_file.h"
#include "report/sheet/number.h"
#include "report/print/table.h"
#include "report/session/estimate.h"
#include "report/session/session_nvtx.h"
#include "report/session/session_overhead.h"

/* Of a section; those beyond stay in the profile. A program of 400 kernels has 450. */
#define ROWS	   1024u
#define NAME_WIDTH 200

struct line {
	const struct row *row;
	uint64_t total, calls, timed, minimum, maximum;
	bool estimated;
};

static char buffer[1 << 16];
static size_t length;
static struct line lines[ROWS];
static int file;
static uint64_t last_moment;
static bool failed = true;

static void flush(void)
{
	for (size_t written = 0; written < length && !failed;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		ssize_t count;

		if (now >= last_moment || !log_file_has_room(file, last_moment - now)) {
			failed = true;
			break;
		}
		/* As much as a pipe takes without waiting, once it says that it is ready. */
		count = write(file, buffer + written,
			      length - written < 4096 ? length - written : 4096);
		if (count < 0 && errno != EINTR && errno != EAGAIN)
			failed = true;
		written += count > 0 ? (size_t)count : 0;
	}
	length = 0;
}

static void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void print(const char *format, ...)
{
	va_list arguments;
	int added;

	if (sizeof(buffer) - length < 1024)
		flush();
	va_start(arguments, format);
	added = vsnprintf(buffer + length, sizeof(buffer) - length, format, arguments);
	va_end(arguments);
	if (added <= 0 || (size_t)added >= sizeof(buffer) - length)
		return;
	/* A name may hold what changes a terminal; the line's end is ktime's. */
	visible_replace(buffer + length, (size_t)added - 1);
	length += (size_t)added;
}

/* By the clock that timed more of the row's calls. */
static struct line line_of(const struct session_header *header, const struct row *row)
{
	/* In a window of CUPTI's the launch of a graph takes longer than outside. */
	bool by_events = row->events.count > row->cupti.count ||
			 (row->kind == ROW_GRAPH && row->events.count > 0 &&
			  header->counters[COUNTER_windows] > 0 && row->cupti.count < row->calls);
	const struct figures *figures = by_events ? &row->events : &row->cupti;
	double overhead = by_events ? row_overhead(header, row) : 0;
	uint64_t each = to_unsigned(overhead + 0.5), all;
	struct line line = {
		.row = row, .calls = row->calls + row->node_calls, .timed = figures->count};
	double estimated;

	/* Nodes of graphs and some API calls are known by their records alone. */
	if (line.calls < line.timed)
		line.calls = line.timed;
	if (!line.timed)
		return line;
	all = to_unsigned(overhead * (double)figures->count + 0.5);
	line.minimum = figures->minimum > each ? figures->minimum - each : 0;
	line.maximum = figures->maximum > each ? figures->maximum - each : 0;
	line.total = figures->total > all ? figures->total - all : 0;
	/* Events time a sample of the calls. */
	if (by_events && row->calls > figures->count) {
		estimated = estimate_of(&row->estimate, row->calls).total -
			    overhead * (double)row->calls;
		line.total = estimated > 0 ? (uint64_t)estimated : 0;
		line.timed = row->calls;
		line.estimated = true;
	}
	if (!by_events && row->windows_total > 0) {
		line.total = (uint64_t)row->windows_total;
		line.timed = line.calls;
		line.estimated = true;
	}
	return line;
}

/* Keeps the lines sorted by their totals, the longest first. */
static void insert(unsigned *count, struct line line)
{
	unsigned at = *count;

	if (at < ROWS)
		(*count)++;
	else if (lines[--at].total >= line.total)
		return;
	while (at > 0 && lines[at - 1].total < line.total) {
		lines[at] = lines[at - 1];
		at--;
	}
	lines[at] = line;
}

/* Prints a section's rows, the longest of them; false if there were more. */
static bool print_section(const struct session *session, const char *title,
			  enum table_section section)
{
	const struct session_header *header = session_header(session);
	char total[NUMBER_SIZE], average[NUMBER_SIZE], minimum[NUMBER_SIZE], maximum[NUMBER_SIZE];
	unsigned count = 0, found = 0;
	uint64_t sum = 0;
	struct row *row;

	session_for_each_row (session, row) {
		struct line line = line_of(header, row);

		if (!line.calls || table_section_of(session, row) != section)
			continue;
		insert(&count, line);
		sum += line.total;
		found++;
	}
	for (unsigned i = 0; i < count; i++) {
		const struct line *line = &lines[i];
		char calls[NUMBER_SIZE];

		snprintf(calls, sizeof(calls), "%s%llu", line->row->more_calls ? ">" : "",
			 (unsigned long long)line->calls);
		if (!line->maximum) {
			print("%16s  %7s  %8s  %8s  %8s  %8s  %8s  %.*s\n", i ? "" : title, "-",
			      "-", calls, "-", "-", "-", NAME_WIDTH,
			      session_string(session, line->row->name));
			continue;
		}
		print("%16s  %6.2f%% %s%8s  %8s  %8s  %8s  %8s  %.*s\n", i ? "" : title,
		      sum ? 100.0 * (double)line->total / (double)sum : 0.0,
		      line->estimated ? "~" : " ", number_time(total, line->total), calls,
		      number_time(average, line->total / line->timed),
		      number_time(minimum, line->minimum), number_time(maximum, line->maximum),
		      NAME_WIDTH, session_string(session, line->row->name));
	}
	return found == count;
}

/* Whether the profile holds what these tables have no place for. */
static bool has_more(const struct session *session)
{
	const uint64_t *counters = session_header(session)->counters;

	return session_next_nvtx_range(session, NULL) || counters[COUNTER_metric_launches] > 0 ||
	       counters[COUNTER_trace_records] > 0;
}

/* Calls that are only counted, and that the collector has not taken. */
static uint64_t count_only_untaken(const struct thread *thread)
{
	uint64_t untaken = 0;

	for (unsigned i = 0; i < 2 * COUNTED_OPERATIONS; i++)
		untaken += atomic_load_explicit(&thread->operation_calls[i], memory_order_relaxed) -
			   thread->operation_calls_seen[i];
	return untaken;
}

/* Operations in the table by CUPTI's records alone: their calls have not come yet. */
static uint64_t count_ahead(const struct session *session)
{
	uint64_t ahead = 0;
	struct row *row;

	session_for_each_row (session, row) {
		uint64_t known = row->calls + row->graph_records;

		if (row_is_gpu(row->kind) && row->cupti.count > known)
			ahead += row->cupti.count - known;
	}
	return ahead;
}

/* Calls whose records the collector has not taken from the threads' rings, or that found these full
 * or left none, and that are not in the table by CUPTI's. */
static uint64_t count_missing(const struct session *session)
{
	uint64_t missing = rows_lost_untaken(), ahead = count_ahead(session);

	for (struct thread *thread = thread_first(); thread; thread = thread->next)
		missing +=
			(uint32_t)(atomic_load_explicit(&thread->ring.head, memory_order_acquire) -
				   atomic_load_explicit(&thread->ring_tail, memory_order_relaxed)) +
			count_only_untaken(thread);
	return missing > ahead ? missing - ahead : 0;
}

/* Operations in the table whose time by CUPTI has not come. */
static uint64_t count_untimed(const struct session *session)
{
	uint64_t untimed = 0;
	struct row *row;

	session_for_each_row (session, row)
		if (row_is_gpu(row->kind) && row->calls > row->cupti.count &&
		    row->events.count <= row->cupti.count)
			untimed += row->calls - row->cupti.count;
	return untimed;
}

void last_report_write(const struct reporter_output *output, uint64_t end)
{
	const struct session *session = output->session;
	int process = session_header(session)->pid;
	char missing[NUMBER_SIZE], untimed[NUMBER_SIZE];
	bool all, kept = output->kept && output->kept[0];

	last_moment = end;
	file = log_file_kept(output->log);
	if (file < 0 && output->log->path)
		file = open(output->log->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK);
	else if (file < 0 && log_file_is_stream(output->log->descriptor))
		file = output->log->descriptor;
	failed = file < 0;
	/* The collector may be writing, as any process of which `ktime show` prints the profile. */
	sanitizer_ignore_reads_begin();
	print("==%d== Profiling application: %s\n", process,
	      session_string(session, session_header(session)->command));
	print("==%d== Profiling result:\n", process);
	print("%16s  %7s  %8s  %8s  %8s  %8s  %8s  %s\n", "Type", "Time(%)", "Time", "Calls", "Avg",
	      "Min", "Max", "Name");
	all = print_section(session, "GPU activities:", TABLE_GPU);
	all &= print_section(session, "CUDA graphs:", TABLE_GRAPHS);
	all &= print_section(session, "API calls:", TABLE_API);
	all = (all && !has_more(session)) || !kept || !output->remove_kept;
	print("==%d== The driver was busy when the program ended: %s operations are missing "
	      "above, "
	      "and %s have no time.\n",
	      process, number_count(missing, count_missing(session)),
	      number_count(untimed, count_untimed(session)));
	if (!all)
		print("==%d== Not all that the profile holds is above: ktime show %s\n", process,
		      output->kept);
	sanitizer_ignore_reads_end();
	flush();
	if (!failed && all)
		session_header(session)->reported = 1;
	/* The profile goes only when all that it holds was printed. */
	if (!failed && all && kept && output->remove_kept)
		unlink(output->kept);
}

bool last_report_is_written(void)
{
	return !failed;
}
