/* SPDX-License-Identifier: MIT */
/* The table that is printed where the collector cannot: from the profile's rows as they are. */
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/recording/rows.h"
#include "preload/launch/thread.h"
#include "preload/reporter/reporter.h"
#include "report/session/estimate.h"
#include "report/session/items.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

static struct operation operation;
static struct stream stream;
/* Both threads' call records. */
static struct call_record records[RING_RECORDS];
static struct thread threads[2] = {{.next = &threads[1], .ring.records = records},
				   {.ring.records = records}};

struct thread *thread_first(void)
{
	return &threads[0];
}

static uint64_t lost;

uint64_t rows_lost_untaken(void)
{
	return lost;
}

BEFORE_EACH
{
	assert_int_equal(make_run(0), 0);
	run.header->pid = 42;
	run.header->command = session_intern(run.session, "./app 1");
	for (unsigned i = 0; i < RING_RECORDS; i++)
		records[i] = (struct call_record){.operation = &operation, .stream = &stream};
}

AFTER_EACH
{
	session_close(run.session);
	for (unsigned i = 0; i < 2; i++)
		threads[i].ring.head = threads[i].ring_tail = 0;
	lost = 0;
}

static struct row *row_of(enum row_kind kind, const char *name, uint64_t calls)
{
	struct row *row = session_row(run.session, kind, name, row_is_api(kind) ? -1 : 0);

	assert_non_null(row);
	row->calls = calls;
	return row;
}

/* What is written in a minute beside a profile, and whether that is said to be reported. */
static char *write_beside(const char *kept, bool reported)
{
	char path[] = "/tmp/ktime-last-report-XXXXXX", *text = calloc(1, 1 << 20);
	struct log_file log = {.path = path};
	struct reporter_output output = {.log = &log, .kept = kept, .remove_kept = kept != NULL};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_non_null(text);
	run.header->reported = 0;
	last_report_write(&output, clock_ns(CLOCK_MONOTONIC) + UINT64_C(60000000000));
	assert_true(last_report_is_written());
	assert_int_equal(run.header->reported, reported);
	assert_true(read(fd, text, (1 << 20) - 1) > 0);
	close(fd);
	unlink(path);
	return text;
}

static char *written(void)
{
	return write_beside(NULL, true);
}

static void prints(const char *expected)
{
	char *text = written();

	assert_string_equal(text, expected);
	free(text);
}

TEST(each_row_is_by_the_clock_that_timed_more_of_it)
{
	struct row *row = row_of(ROW_KERNEL, "by CUPTI", 4);

	run.header->overheads[OVERHEAD_KERNEL].ns = 2900;
	run.header->overheads[OVERHEAD_COPY].ns = 1000;
	for (uint64_t i = 1; i <= 3; i++)
		session_add_sample(run.session, &row->cupti, 1000 * i);
	for (uint64_t i = 1; i <= 3; i++)
		session_add_sample(run.session, &row->events, 9000);
	/* Of eight calls four were to be timed and were. */
	row = row_of(ROW_KERNEL, "by events", 8);
	for (uint64_t i = 0; i < 4; i++) {
		session_add_weighted(run.session, &row->events, 4900 + 1000 * i, 2);
		estimate_timed(&row->estimate, estimate_call(&row->estimate, 2), 2,
			       4900 + 1000 * i);
	}
	row = row_of(ROW_MEMSET, "[CUDA memset]", 2);
	row->overhead = OVERHEAD_COPY;
	session_add_sample(run.session, &row->events, 1500);
	session_add_sample(run.session, &row->events, 900);
	row_of(ROW_MEMCPY, "[CUDA memcpy HtoD]", 7);
	row_of(ROW_GRAPH, "[CUDA graph 1]", 9);
	row_of(ROW_KERNEL, "never launched", 0);
	row = row_of(ROW_RUNTIME_API, "cudaLaunchKernel", 5);
	for (uint64_t i = 1; i <= 5; i++)
		session_add_sample(run.session, &row->cupti, 100 * i);
	row = row_of(ROW_OVERHEAD, "overhead", 1);
	session_add_sample(run.session, &row->cupti, 100);
	threads[0].ring.head = 12;
	threads[0].ring_tail = 5;
	threads[1].ring.head = 3;
	threads[1].ring_tail = UINT32_MAX;
	prints("==42== Profiling application: ./app 1\n"
	       "==42== Profiling result:\n"
	       "            Type  Time(%)      Time     Calls       Avg       Min       Max  "
	       "Name\n"
	       " GPU activities:   81.40% ~28.000us         8  3.5000us  2.0000us  5.0000us  by "
	       "events\n"
	       "                   17.44%  6.0000us         4  2.0000us  1.0000us  3.0000us  by "
	       "CUPTI\n"
	       "                    1.16%     400ns         2     200ns       0ns     500ns  "
	       "[CUDA memset]\n"
	       "                        -         -         7         -         -         -  "
	       "[CUDA memcpy HtoD]\n"
	       "                        -         -         9         -         -         -  "
	       "[CUDA graph 1]\n"
	       "      API calls:  100.00%  1.5000us         5     300ns     100ns     500ns  "
	       "cudaLaunchKernel\n"
	       "==42== The driver was busy when the program ended: 11 operations are missing "
	       "above, and 17 have no time.\n");
}

/* As in the report: with the rest of the GPU's work, unless their nodes are rows themselves. */
TEST(graphs_are_printed_where_their_time_counts_once)
{
	struct row *graph = row_of(ROW_GRAPH, "[CUDA graph 1]", 4), *kernel;
	uint64_t *counters = run.header->counters;
	char *text;

	for (unsigned i = 0; i < 4; i++)
		session_add_sample(run.session, &graph->events, 5000);
	text = written();
	assert_non_null(strstr(text, " GPU activities:  100.00%  20.000us         4  5.0000us  "
				     "5.0000us  5.0000us  [CUDA graph 1]\n"));
	free(text);
	kernel = row_of(ROW_KERNEL, "node", 0);
	for (unsigned i = 0; i < 8; i++)
		session_add_sample(run.session, &kernel->cupti, 2000);
	kernel->graph_records = counters[COUNTER_graph_nodes] = 8;
	graph->nodes = 3;
	graph->kernels_listed = session_intern(run.session, "first\nother");
	/* Slower, as its nodes were recorded one by one. */
	counters[COUNTER_windows] = 1;
	session_add_sample(run.session, &graph->cupti, 90000);
	row_of(ROW_DRIVER_API, "cuGraphLaunch", 4)->more_calls = 1;
	prints("==42== Profiling application: ./app 1\n"
	       "==42== Profiling result:\n"
	       "            Type  Time(%)      Time     Calls       Avg       Min       Max  "
	       "Name\n"
	       " GPU activities:  100.00%  16.000us         8  2.0000us  2.0000us  2.0000us  "
	       "node\n"
	       "    CUDA graphs:  100.00%  20.000us         4  5.0000us  5.0000us  5.0000us  "
	       "[CUDA graph 1] 3 nodes: first, other\n"
	       "      API calls:        -         -        >4         -         -         -  "
	       "cuGraphLaunch\n"
	       "==42== The driver was busy when the program ended: 0 operations are missing "
	       "above, and 0 have no time.\n");
}

/* What is not printed stays in the profile. */
TEST(a_profile_that_has_more_is_kept)
{
	struct row *row = row_of(ROW_KERNEL, "first", 1);
	char kept[] = "/tmp/ktime-last-report-XXXXXX", expected[128], *text;
	int fd = mkstemp(kept);

	assert_true(fd >= 0);
	close(fd);
	snprintf(expected, sizeof(expected),
		 "==42== Not all that the profile holds is above: ktime show %s\n", kept);
	session_add_item(run.session, SEGMENT_RANGES,
			 &(struct nvtx_range){.name = row->name, .style = RANGE_PUSH_POP});
	text = write_beside(kept, false);
	assert_non_null(strstr(text, expected));
	free(text);
	assert_int_equal(access(kept, F_OK), 0);
	unlink(kept);
}

TEST(pairs_of_queued_operations_lose_more)
{
	static const char *const names[] = {"all timed", "sampled"};
	char *text;

	run.header->overheads[OVERHEAD_KERNEL].ns = 2900;
	run.header->queued.ns = 700;
	for (unsigned i = 0; i < 2; i++) {
		struct row *row = row_of(ROW_KERNEL, names[i], i ? 8 : 4);

		row->queued = i ? 4 : 1;
		for (uint64_t j = 0; j < 4; j++) {
			session_add_weighted(run.session, &row->events, 4900 + 1000 * j, 1);
			estimate_timed(&row->estimate, estimate_call(&row->estimate, 2), 2,
				       4900 + 1000 * j);
		}
	}
	text = written();
	assert_non_null(strstr(text, "   62.75% ~22.400us         8  2.8000us  1.3000us  4.3000us  "
				     "sampled\n"));
	assert_non_null(strstr(text, "   37.25%  13.300us         4  3.3250us  1.8250us  4.8250us  "
				     "all timed\n"));
	free(text);
}

/* Seven of a ring, where a synchronisation stands too, five that found it full, and of two threads'
 * counts what is not in the rows. */
TEST(calls_that_left_no_record_are_missing_too)
{
	char *text;

	row_of(ROW_KERNEL, "first", 1);
	threads[0].ring.head = 8;
	records[2].operation = NULL;
	lost = 5;
	threads[0].operation_calls[3] = 1000;
	threads[0].operation_calls_seen[3] = 900;
	threads[1].operation_calls[3] = 20;
	threads[1].operation_calls[2 * COUNTED_OPERATIONS - 1] = 30;
	text = written();
	assert_non_null(strstr(text, ": 162 operations are missing above, and 1 have no time."));
	free(text);
	for (unsigned i = 0; i < 2; i++)
		memset((void *)threads[i].operation_calls, 0, sizeof(threads[i].operation_calls));
	threads[0].operation_calls_seen[3] = 0;
}

/* Of ten launches six came by CUPTI's records, and four by their calls. */
TEST(calls_that_the_table_has_by_records_are_not_missing)
{
	struct row *row = row_of(ROW_KERNEL, "first", 4);
	char *text;

	row->cupti.count = 6;
	threads[0].ring.head = 6;
	text = written();
	assert_non_null(strstr(text, ": 4 operations are missing above, and 0 have no time."));
	free(text);
}

TEST(what_would_change_a_terminal_is_escaped)
{
	run.header->command = session_intern(run.session, "./app \033[1m\x7f\t~ a");
	row_of(ROW_KERNEL, "k\nl\x1f ", 1);
	prints("==42== Profiling application: ./app \\x1b[1m\\x7f\\x09~ a\n"
	       "==42== Profiling result:\n"
	       "            Type  Time(%)      Time     Calls       Avg       Min       Max  "
	       "Name\n"
	       " GPU activities:        -         -         1         -         -         -  "
	       "k\\x0al\\x1f \n"
	       "==42== The driver was busy when the program ended: 0 operations are missing above, "
	       "and 1 have no time.\n");
}

TEST(the_longest_of_very_many_rows_are_printed)
{
	char name[300], *text, *line;
	unsigned lines = 0;

	for (uint64_t i = 0; i < 1100; i++) {
		/* Neither in order nor in the reverse; the shortest last. */
		uint64_t number = (1099 - i) * 7 % 1100;

		snprintf(name, sizeof(name), "k%llu", (unsigned long long)number);
		session_add_sample(run.session, &row_of(ROW_KERNEL, name, 1)->cupti, 1000 + number);
	}
	text = written();
	line = strstr(text, "GPU activities:");
	assert_non_null(line);
	for (uint64_t i = 1099; line && lines < 1024; i--, lines++) {
		snprintf(name, sizeof(name), "  k%llu\n", (unsigned long long)i);
		assert_memory_equal(strchr(line, '\n') + 1 - strlen(name), name, strlen(name));
		line = strchr(line, '\n') + 1;
	}
	free(text);
	/* The others are in the profile. */
	free(write_beside("/nonexistent/kept", false));
}

TEST(nothing_is_written_after_the_end)
{
	char path[] = "/tmp/ktime-last-report-XXXXXX";
	struct log_file log = {.path = path};
	struct reporter_output output = {.log = &log, .kept = path, .remove_kept = true};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	last_report_write(&output, clock_ns(CLOCK_MONOTONIC) - 1);
	assert_false(last_report_is_written());
	assert_int_equal(run.header->reported, 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	assert_int_equal(access(path, F_OK), 0);
	/* Kept where the user asked for it, and else removed with the report. */
	output.remove_kept = false;
	last_report_write(&output, clock_ns(CLOCK_MONOTONIC) + UINT64_C(60000000000));
	assert_int_equal(access(path, F_OK), 0);
	output.remove_kept = true;
	last_report_write(&output, clock_ns(CLOCK_MONOTONIC) + UINT64_C(60000000000));
	assert_true(last_report_is_written());
	assert_int_equal(access(path, F_OK), -1);
	log.path = "/nowhere/log";
	last_report_write(&output, clock_ns(CLOCK_MONOTONIC) + UINT64_C(60000000000));
	assert_false(last_report_is_written());
	close(fd);
}

/* As in a sandbox that refuses to open files. The profile is removed before, and has no name then.
 */
TEST(a_log_that_was_opened_ahead_is_not_opened_again)
{
	char path[] = "/tmp/ktime-last-report-XXXXXX", profile[8] = "", text[4096] = "";
	struct log_file log = {.path = path};
	const struct reporter_output output = {.log = &log, .kept = profile, .remove_kept = true};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	log_file_keep_open(&log);
	log.path = "/nowhere/log";
	row_of(ROW_KERNEL, "k", 1);
	run.header->counters[COUNTER_trace_records] = 1;
	last_report_write(&output, clock_ns(CLOCK_MONOTONIC) + UINT64_C(60000000000));
	assert_true(last_report_is_written());
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_non_null(strstr(text, "Profiling result:"));
	assert_null(strstr(text, "ktime show"));
	close(log.kept);
	close(fd);
	unlink(path);
}
