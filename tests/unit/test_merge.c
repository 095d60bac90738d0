/* SPDX-License-Identifier: MIT */
/* Merged profiles: how long processes waited in collectives, and sums of estimates. */
#include <math.h>
#include <unistd.h>

#include "report/merge/job.h"
#include "report/print/table.h"
#include "report/session/estimate.h"
#include "tests/unit/one_merge.h"

#define REDUCE "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
#define SEND   "ncclDevKernel_SendRecv"

/* A call of a kernel, with a trace record. */
static void call(struct session *session, const char *name, uint64_t start, uint64_t end)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);
	const struct trace_record record = {.kind = ROW_KERNEL,
					    .start = start,
					    .end = end,
					    .name = session_intern(session, name)};

	assert_non_null(row);
	row->calls++;
	session_add_sample(session, &row->cupti, end - start);
	assert_int_equal(session_trace(session, &record), 0);
}

static void is_wait(const struct waits *waits, size_t process, double least, double exact)
{
	assert_true(process < waits->count);
	assert_true(waits->processes[process].least == least);
	assert_true(waits->processes[process].is_exact);
	assert_true(waits->processes[process].exact == exact);
}

/* Rank 1 comes 300 later to the first call, rank 0 100 later to the second. */
TEST(traces_say_how_long_each_call_waited)
{
	struct session *first = process_of(0, 2), *second = process_of(1, 2);
	struct waits waits;

	call(first, REDUCE, 1000, 1350);
	call(first, "work", 1400, 2000);
	call(first, REDUCE, 2100, 2150);
	call(second, REDUCE, 1300, 1360);
	call(second, REDUCE, 2000, 2150);
	call(second, SEND, 3000, 9000);
	add(first);
	add(second);
	assert_int_equal(waits_find(&waits, merged), 0);
	/* In all 400 and 210: the sums only know of the difference. */
	is_wait(&waits, 0, 190, 300);
	is_wait(&waits, 1, 0, 100);
	assert_int_equal(waits.calls, 2);
	assert_int_equal(waits.ends_most, 10);
	assert_int_equal(waits.ends_mean, 5);
	assert_int_equal(job_nodes(merged), 1);
	waits_free(&waits);
}

TEST(the_bound_from_sums_holds)
{
	struct waits waits;

	/* In each call another rank is late, by so much that no rank waited for long in all. */
	for (int rank = 0; rank < 3; rank++) {
		struct session *session = process_of(rank, 3);

		for (int i = 0; i < 30; i++) {
			uint64_t late = i % 3 == rank ? 50 + (uint64_t)i : 0;

			call(session, REDUCE, 10000 * (uint64_t)i + late,
			     10000 * (uint64_t)i + 50 + (uint64_t)i + 20);
		}
		add(session);
	}
	assert_int_equal(waits_find(&waits, merged), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_true(waits.processes[i].exact > 1000);
		assert_true(waits.processes[i].least <= waits.processes[i].exact);
	}
	assert_int_equal(job_nodes(merged), 2);
	waits_free(&waits);
}

TEST(without_all_records_there_is_a_bound_alone)
{
	struct session *first = process_of(0, 2), *second = process_of(1, 2);
	struct waits waits;

	call(first, REDUCE, 1000, 1500);
	call(second, REDUCE, 1400, 1500);
	session_header(second)->counters[COUNTER_trace_lost] = 1;
	add(first);
	add(second);
	assert_int_equal(waits_find(&waits, merged), 0);
	assert_false(waits.processes[0].is_exact);
	assert_true(waits.processes[0].least == 400);
	assert_int_equal(waits.calls, 0);
	waits_free(&waits);
}

/* A rank of another group, which makes other calls, is not compared. */
TEST(groups_of_other_calls_are_not_compared)
{
	struct session *first = process_of(0, 2), *second = process_of(1, 2);
	struct waits waits;

	call(first, REDUCE, 1000, 1500);
	call(second, REDUCE, 1000, 1100);
	call(second, REDUCE, 2000, 2100);
	add(first);
	add(second);
	assert_int_equal(waits_find(&waits, merged), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(waits.processes[i].least == 0);
		assert_false(waits.processes[i].is_exact);
	}
	waits_free(&waits);
}

/* A row of which events timed every second call: 1000 in all, and by chance 2 ns more or less. */
static struct session *sampled(int rank, uint64_t time)
{
	struct session *session = process_of(rank, 2);
	struct row *row = session_row(session, ROW_KERNEL, "work", 0);

	session_header(session)->cupti_active = 0;
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t place = 0;

		row->calls++;
		if (i % 2)
			continue;
		place = estimate_call(&row->estimate, 2);
		estimate_timed(&row->estimate, place, 2, time + i % 4);
		session_add_weighted(session, &row->events, time + i % 4, 2);
	}
	return session;
}

TEST(estimates_are_summed_with_their_errors)
{
	struct session *first = sampled(0, 1000), *second = sampled(1, 3000);
	struct estimated expected[2];
	struct options options;
	struct table table;

	for (int i = 0; i < 2; i++) {
		struct session *session = i ? second : first;

		expected[i] = estimate_of(&session_next_row(session, NULL)->estimate, 1000);
		assert_true(expected[i].error > 0);
	}
	add(first);
	add(second);
	options_defaults(&options);
	assert_int_equal(
		table_collect(&table, merged, &options, TABLE_GPU, TABLE_ALL_DEVICES, true), 0);
	assert_int_equal(table.count, 1);
	assert_int_equal(table.rows[0].clock, CLOCK_EVENTS);
	assert_true(table.rows[0].estimated);
	assert_int_equal(table.rows[0].calls, 2000);
	assert_int_equal(table.rows[0].timed, 1000);
	assert_true(fabs((double)table.rows[0].total - expected[0].total - expected[1].total) < 1);
	assert_true(fabs(table.rows[0].error - hypot(expected[0].error, expected[1].error)) < 1e-6);
	assert_int_equal(table.rows[0].minimum, 1000);
	assert_int_equal(table.rows[0].maximum, 3002);
	assert_int_equal(histogram_count(table.rows[0].histogram), 2000);
	table_free(&table);
}

/* Nodes of graphs that CUPTI recorded in windows: some ran of which it has no record. */
/* A process of whose device windows tell this much, nanoseconds; 0: everything was recorded. */
static struct session *used(int rank, double error)
{
	struct session *session = process_of(rank, 4);
	struct idle_row *idle = session_idle_row(session, &(struct idle_row){.device = 0});

	session_header(session)->counters[COUNTER_windows] = error > 0;
	session_header(session)->uses[0] =
		(struct device_use){.last = 1000, .busy = 600, .error = error};
	assert_non_null(idle);
	session_add_idle(idle, 400, 0, 0);
	idle->error = error;
	return session;
}

TEST(busy_and_idle_time_are_as_uncertain_as_all_processes_together)
{
	const struct job_process *process;
	const struct idle_row *idle = NULL;

	add(used(0, 30));
	add(used(1, 40));
	add(used(2, 0));
	assert_true(session_use(merged, 0)->error == 50);
	assert_int_equal(session_use(merged, 0)->busy, 1800);
	session_for_each_idle (merged, idle)
		assert_true(idle->total == 1200 && idle->error == 50);
	/* Where windows tell a process nothing, they tell nothing of all. */
	add(used(3, INFINITY));
	assert_null(session_use(merged, 0));
	assert_false(session_knows_use(merged));
	session_for_each_process (merged, process) {
		bool told = process->rank.rank < 3;

		assert_int_equal(process->device_time, told ? 1000 : 0);
		assert_int_equal(process->causes[IDLE_PROGRAM], told ? 400 : 0);
	}
}

/* As versions wrote it before there were estimates, and what says too little. */
TEST(an_interval_that_is_missing_or_wide_tells_nothing)
{
	const double errors[] = {0, 100, NAN, INFINITY};
	struct session *session;

	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		session = used(0, 1);
		session_header(session)->uses[0].error = errors[i];
		assert_null(session_use(session, 0));
		assert_false(session_knows_use(session));
		session_header(session)->uses[0].error = 99;
		assert_non_null(session_use(session, 0));
		session_close(session);
	}
}

TEST(calls_that_are_estimated_stay_so)
{
	struct session *estimated = process_of(0, 3), *exact = process_of(1, 3), *whole;
	struct merge *again;
	struct options options;
	struct table table;
	struct row *row;

	call(estimated, "body", 0, 10);
	row = session_row(estimated, ROW_KERNEL, "body", 0);
	row->node_calls = 40;
	row->node_calls_estimated = 30;
	row_set_windows(row, 410, 0);
	call(exact, "body", 0, 10);
	session_row(exact, ROW_KERNEL, "body", 0)->node_calls = 5;
	add(exact);
	add(estimated);
	merge_finish(merge);
	/* And in a sum of sums. */
	assert_int_equal(merge_start(&again, NULL, false), 0);
	add_to(again, process_of(2, 3));
	whole = merged;
	assert_int_equal(merge_add(again, whole, (char[128]){""}, 128), 0);
	for (unsigned i = 0; i < 2; i++) {
		row = session_next_row(i ? merge_session(again) : whole, NULL);
		assert_non_null(row);
		assert_int_equal(row_calls(row), 47);
		assert_int_equal(row->node_calls, 45);
		assert_int_equal(row->node_calls_estimated, 30);
	}
	options_defaults(&options);
	assert_int_equal(table_collect(&table, merge_session(again), &options, TABLE_GPU,
				       TABLE_ALL_DEVICES, false),
			 0);
	assert_int_equal(table.count, 1);
	assert_true(table.rows[0].calls_about);
	assert_int_equal(table.rows[0].calls, 47);
	table_free(&table);
	options_free(&options);
	merge_free(again);
}

TEST(rows_by_different_clocks_are_one_in_the_table)
{
	struct session *first = process_of(0, 2), *second = sampled(1, 3000);
	struct options options;
	struct table table;
	const struct job_row *row;

	call(first, "work", 100, 600);
	add(first);
	add(second);
	options_defaults(&options);
	assert_int_equal(
		table_collect(&table, merged, &options, TABLE_GPU, TABLE_ALL_DEVICES, false), 0);
	assert_int_equal(table.count, 1);
	assert_int_equal(table.rows[0].calls, 1001);
	assert_int_equal(table.rows[0].minimum, 500);
	row = session_next_item(merged, SEGMENT_JOB_ROWS, NULL);
	assert_int_equal(row->processes, 2);
	assert_int_equal(row->calls, 1001);
	assert_int_equal(row->slowest_calls, 1000);
	table_free(&table);
}

/* Of a part that was merged before the calls were counted. */
TEST(calls_that_are_not_known_of_all_processes_are_not_known)
{
	struct session *earlier = merged;
	struct job_row *row;
	struct merge *again;

	for (int rank = 0; rank < 2; rank++) {
		struct session *process = process_of(rank, 3);

		call(process, "work", 0, 10 + (uint64_t)rank);
		add(process);
	}
	row = (struct job_row *)session_next_item(earlier, SEGMENT_JOB_ROWS, NULL);
	for (unsigned known = 0; known < 2; known++) {
		struct session *last = process_of(2, 3);

		row->calls = known ? 2 : 0;
		call(last, "work", 0, 5);
		assert_int_equal(merge_start(&again, NULL, false), 0);
		add_to(again, last);
		assert_int_equal(merge_add(again, earlier, (char[128]){""}, 128), 0);
		assert_int_equal(((const struct job_row *)session_next_item(merge_session(again),
									    SEGMENT_JOB_ROWS, NULL))
					 ->calls,
				 known ? 3 : 0);
		merge_free(again);
	}
}

static void is_same_histogram(uint64_t sum_of, const struct session *session, uint64_t added)
{
	const struct histogram *sum = session_histogram(merged, sum_of);
	const struct histogram *histogram = session_histogram(session, added);

	assert_int_equal(histogram_count(histogram), 5);
	assert_memory_equal(sum->buckets, histogram->buckets, sizeof(sum->buckets));
}

/* Which buckets are used is known after overheads were taken off, too. */
TEST(times_without_their_overhead_are_summed)
{
	struct session *session = process_of(0, 1);
	struct row *row = session_row(session, ROW_KERNEL, "work", 0), *sum;
	char message[128];

	session_header(session)->timer = TIMER_EVENTS;
	session_header(session)->overheads[0].ns = 1 << 20;
	for (uint64_t i = 0; i < 5; i++) {
		row->calls++;
		session_add_sample(session, &row->events, (1 << 21) + (i << 18));
		session_add_difference(session, row, i << 19);
	}
	session_subtract_overheads(session);
	assert_int_equal(merge_add(merge, session, message, sizeof(message)), 0);
	sum = session_next_row(merged, NULL);
	is_same_histogram(sum->events.histogram, session, row->events.histogram);
	is_same_histogram(sum->difference_histogram, session, row->difference_histogram);
	session_close(session);
}

/* Four pairs of 10,000 ns, of which these were queued. */
static struct session *with_queued(int rank, uint64_t queued)
{
	struct session *session = process_of(rank, 2);
	struct session_header *header = session_header(session);
	struct row *row = session_row(session, ROW_KERNEL, "work", 0);

	header->timer = TIMER_EVENTS;
	header->overheads[OVERHEAD_KERNEL] = (struct event_overhead){3000, 16, 10};
	header->queued = (struct event_overhead){800, 12, 20};
	row->calls = 4;
	row->queued = queued;
	for (int i = 0; i < 4; i++)
		session_add_sample(session, &row->events, 10000);
	session_subtract_overheads(session);
	return session;
}

TEST(what_queued_pairs_hold_more_is_taken_off_once)
{
	char folder[] = "/tmp/ktime-merge-XXXXXX", path[64];
	const struct session_header *header;
	struct session *read;
	struct merge *of_file;
	const struct row *row;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/merged", folder);
	assert_int_equal(merge_start(&of_file, path, false), 0);
	add_to(of_file, with_queued(0, 1));
	add_to(of_file, with_queued(1, 4));
	merge_finish(of_file);
	merge_free(of_file);
	assert_int_equal(session_open(&read, path), 0);
	row = session_next_row(read, NULL);
	assert_int_equal(row->queued, 5);
	assert_int_equal(row->events.count, 8);
	assert_int_equal(row->events.total, 8 * (10000 - 3000) - 5 * 800);
	assert_int_equal(row->events.minimum, 10000 - 3800);
	assert_int_equal(row->events.maximum, 10000 - 3200);
	header = session_header(read);
	assert_int_equal(header->queued.ns, 800);
	assert_int_equal(header->queued.pairs, 12);
	assert_int_equal(header->queued.standard_error, 20);
	session_close(read);
	unlink(path);
	rmdir(folder);
}

TEST(another_job_and_a_second_time_are_refused)
{
	struct session *first = process_of(0, 2), *other = process_of(1, 2);
	char message[128];

	strcpy(session_header(other)->rank.job, "two");
	assert_int_equal(merge_add(merge, first, message, sizeof(message)), 0);
	assert_int_equal(merge_add(merge, first, message, sizeof(message)), -18);
	assert_string_equal(message, "given twice");
	assert_int_equal(merge_add(merge, other, message, sizeof(message)), -18);
	assert_string_equal(message, "of another job");
	assert_int_equal(session_header(merged)->processes, 1);
	session_close(first);
	session_close(other);
}

TEST(missing_ranks_are_told_in_ranges)
{
	struct rank_range *ranges;
	size_t count;

	add(process_of(1, 9));
	add(process_of(5, 9));
	assert_int_equal(job_missing(merged, &ranges, &count), 0);
	assert_int_equal(count, 3);
	assert_true(ranges[0].first == 0 && ranges[0].last == 0);
	assert_true(ranges[1].first == 2 && ranges[1].last == 4);
	assert_true(ranges[2].first == 6 && ranges[2].last == 8);
	free(ranges);
}

/* So that a job's device of one number is known to be one GPU, or not to be. */
TEST(a_devices_uuid_stays_where_all_processes_have_the_same)
{
	static const uint8_t unknown[16];

	for (int rank = 0; rank < 4; rank++) {
		struct session *session = process_of(rank, 4);
		struct device_info *devices = session_header(session)->devices;

		devices[0].used = devices[1].used = rank < 3;
		devices[0].uuid[0] = devices[1].uuid[0] = rank < 3 ? 1 : 9;
		devices[2].used = 1;
		devices[2].uuid[0] = (uint8_t)(1 + rank % 2);
		add(session);
	}
	assert_int_equal(session_header(merged)->devices[0].uuid[0], 1);
	assert_int_equal(session_header(merged)->devices[1].uuid[0], 1);
	assert_memory_equal(session_header(merged)->devices[2].uuid, unknown, sizeof(unknown));
}

/* Adds a process that worked on the GPUs of these UUIDs, each of which has one of its own numbers;
 * 0 is not known. */
static void add_on(int rank, const char *gpus)
{
	struct session *session = process_of(rank, 4);

	for (int i = 0; gpus[i]; i++) {
		session_row(session, ROW_KERNEL, "k", i)->calls = 1;
		session_header(session)->devices[i].used = 1;
		session_header(session)->devices[i].uuid[15] = (uint8_t)(gpus[i] - '0');
	}
	add(session);
}

static void gpus_are(const char *const gpus[3], const char *expected)
{
	char message[128], text[JOB_GPUS_SIZE];
	struct merge *again;

	merge_free(merge);
	assert_int_equal(merge_start(&merge, NULL, false), 0);
	merged = merge_session(merge);
	for (int i = 0; i < 3; i++)
		add_on(i, gpus[i]);
	assert_string_equal(job_gpus_text(merged, text), expected);
	/* And of what was merged once more. */
	assert_int_equal(merge_start(&again, NULL, false), 0);
	assert_int_equal(merge_add(again, merged, message, sizeof(message)), 0);
	assert_string_equal(job_gpus_text(merge_session(again), text), expected);
	merge_free(again);
}

TEST(whether_processes_share_a_gpu_is_told_where_it_is_known)
{
	static const struct {
		const char *gpus[3], *expected;
	} cases[] = {
		{{"1", "2", "3"}, ", each with a GPU of its own"},
		{{"1", "1", "1"}, ", which share one GPU"},
		{{"1", "2", "1"}, ", on 2 GPUs"},
		{{"1", "2", ""}, ", each with a GPU of its own"},
		{{"1", "1", ""}, ", which share one GPU"},
		{{"1", "", ""}, ""},
		{{"1", "2", "0"}, ""},
		{{"1", "2", "34"}, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		gpus_are(cases[i].gpus, cases[i].expected);
}
