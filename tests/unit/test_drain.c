/* SPDX-License-Identifier: MIT */
/* In which order call records are taken from the threads' rings, when CUPTI is flushed and waited
 * for, and until when the busy time is settled. */
#include "tests/unit/drain_neighbours.h"

static void records_are_taken_in_the_order_of_their_calls(void **state)
{
	(void)state;
	drain_rings();
	assert_int_equal(ranges_drained, 1);
	assert_true(is(""));
	call_at(0, 30);
	call_at(0, 60);
	call_at(1, 10);
	call_at(1, 70);
	call_at(2, 20);
	call_at(2, 50);
	drain_rings();
	assert_true(is("bcacab"));
	assert_int_equal(fed, 6);
	assert_ptr_equal(last.pair, &pair);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(atomic_load(&threads[i].ring_tail), 2);
	drain_rings();
	assert_true(is(""));
	call_at(1, 80);
	drain_rings();
	assert_true(is("b"));
	assert_int_equal(last.started, 80);
	/* Around the ring's end. */
	for (unsigned i = 3; i < RING_RECORDS; i++) {
		call_at(1, i);
		if (i % 64 == 0)
			drain_rings();
		memset(taken, 0, sizeof(taken));
	}
	drain_rings();
	memset(taken, 0, sizeof(taken));
	call_at(1, 1);
	call_at(1, 2);
	drain_rings();
	assert_true(is("bb"));
	assert_int_equal(last.started, 2);
}

static void calls_for_the_hosts_sake_have_no_row(void **state)
{
	(void)state;
	call_at(0, 1);
	threads[0].records[0].api = 7;
	drain_rings();
	assert_true(is(""));
	assert_int_equal(fed, 1);
	assert_int_equal(atomic_load(&threads[0].ring_tail), 1);
}

static void a_launch_whose_counters_are_read_is_not_timed(void **state)
{
	(void)state;
	part = METRICS_READ;
	call_at(0, 1);
	drain_rings();
	assert_true(is("a"));
	assert_int_equal(row_of_calls, 3);
	assert_int_equal(last.api, API_NONE);
	assert_null(last.pair);
	assert_int_equal(last.untimed, UNTIMED_METRICS);
	assert_int_equal(last.flags, CALL_NO_ACTIVITY);
	assert_int_equal(atomic_load(&pool.put), 1);
	assert_ptr_equal(pool.free[0], &pair);
	/* One that was to be read, and failed. */
	part = METRICS_TRIED;
	row_of_calls = 0;
	call_at(0, 2);
	threads[0].records[1].flags = CALL_FAILED;
	threads[0].records[1].pair = NULL;
	drain_rings();
	assert_int_equal(row_of_calls, 0);
	assert_int_equal(last.api, 3);
	assert_int_equal(last.flags, CALL_FAILED);
	assert_int_equal(last.untimed, UNTIMED_METRICS);
	assert_int_equal(atomic_load(&pool.put), 1);
}

static void the_counts_of_all_threads_are_taken(void **state)
{
	(void)state;
	drain_counts();
	assert_true(is("ABC"));
}

static void which_calls_are_in_progress(void **state)
{
	(void)state;
	assert_false(drain_call_before(UINT64_MAX));
	atomic_store(&threads[2].in_call, 500);
	assert_false(drain_call_before(499));
	assert_true(drain_call_before(500));
	assert_true(drain_call_before(501));
}

static void records_wait_for_calls_in_progress_for_10_ms_at_most(void **state)
{
	uint64_t before;

	(void)state;
	drain_records(FLUSH_NOW);
	arrived = 1;
	drain_records(FLUSH_NOW);
	/* Once for each buffer, and for the timeline. */
	assert_int_equal(ranges_drained, BUFFERS + 1);
	/* A call that began later is not waited for. */
	atomic_store(&threads[1].in_call, ticks + 1);
	ranges_drained = 0;
	drain_records(FLUSH_NOW);
	assert_int_equal(ranges_drained, BUFFERS + 1);
	atomic_store(&threads[1].in_call, ticks);
	ranges_drained = 0;
	each_reading = MS;
	before = now;
	drain_records(FLUSH_NOW);
	/* At the first buffer alone. */
	assert_int_equal(ranges_drained, 9 + BUFFERS + 1);
	assert_true(now - before >= 10 * MS);
	assert_true(records_calls_are_late);
}

/* Each reading of the clock takes 1 ms here. */
static void a_call_on_the_cold_path_is_waited_for_longer(void **state)
{
	(void)state;
	arrived = 1;
	each_reading = MS;
	ticks_follow = true;
	atomic_store(&threads[1].in_call, ticks);
	atomic_store(&threads[1].took_cold_path, true);
	ranges_drained = 0;
	drain_records(FLUSH_NOW);
	assert_in_range(ranges_drained, 1990 + BUFFERS, 2001 + BUFFERS);
	/* Only a while after its begin. */
	ranges_drained = 0;
	drain_records(FLUSH_NOW);
	assert_int_equal(ranges_drained, 9 + BUFFERS + 1);
	assert_true(records_calls_are_late);
	/* And only a call. */
	atomic_store(&threads[1].in_call, 0);
	ranges_drained = 0;
	drain_records(FLUSH_NOW);
	assert_int_equal(ranges_drained, BUFFERS + 1);
	assert_false(records_calls_are_late);
}

/* Otherwise records are lost meanwhile. */
static void a_call_on_the_cold_path_is_waited_for_no_longer_if_buffers_fill(void **state)
{
	(void)state;
	arrived = 1;
	each_reading = MS;
	ticks_follow = true;
	bytes_queued = (4 << 20) + 1;
	atomic_store(&threads[1].in_call, ticks);
	atomic_store(&threads[1].took_cold_path, true);
	ranges_drained = 0;
	drain_records(FLUSH_NOW);
	assert_int_equal(ranges_drained, 9 + BUFFERS + 1);
}

static void cupti_is_flushed_as_it_is_asked_for(void **state)
{
	(void)state;
	realtime = true;
	drain_records(FLUSH_NOW);
	assert_int_equal(flushes, 1);
	assert_int_equal(forced_flushes, 0);
	assert_true(matcher_trusts_clock);
	assert_int_equal(settled_records, 1);
	drain_records(FLUSH_FORCED);
	assert_int_equal(flushes, 2);
	assert_int_equal(forced_flushes, 1);
	active = false;
	drain_records(FLUSH_NOW);
	assert_int_equal(flushes, 2);
	assert_int_equal(settled_records, 2);
	/* Not due yet, but a window wants one. */
	active = true;
	drain_records(FLUSH_IF_DUE);
	assert_int_equal(flushes, 2);
	due = true;
	drain_records(FLUSH_IF_DUE);
	assert_int_equal(flushes, 3);
}

static bool flushed(void)
{
	unsigned before = flushes;

	ticks = now;
	drain_records(FLUSH_IF_DUE);
	return flushes > before;
}

static void flushes_are_rare_while_calls_come_and_follow_their_end(void **state)
{
	(void)state;
	assert_true(flushed());
	now += 199 * MS;
	assert_false(flushed());
	now += MS;
	assert_true(flushed());
	/* Calls come: 200 ms after the first one. */
	now += 30 * MS;
	call_at(0, 1);
	drain_rings();
	for (unsigned i = 0; i < 4; i++) {
		now += 49 * MS;
		call_at(0, 1);
		drain_rings();
		assert_false(flushed());
	}
	now += 4 * MS;
	assert_true(flushed());
	/* And 50 ms after the last one. */
	now += 60 * MS;
	call_at(0, 1);
	drain_rings();
	assert_false(flushed());
	now += 49 * MS;
	assert_false(flushed());
	now += MS;
	assert_true(flushed());
	now += 50 * MS;
	assert_false(flushed());
	/* A flush that takes long is not made again so soon. */
	now += 200 * MS;
	each_reading = 10 * MS;
	assert_true(flushed());
	each_reading = 0;
	now += 189 * MS;
	assert_false(flushed());
	now += MS;
	assert_true(flushed());
}

static void what_cupti_lost_is_counted(void **state)
{
	const uint64_t *counters = run.header->counters;

	(void)state;
	drain_records(FLUSH_NOW);
	assert_int_equal(lost_records, 0);
	dropped = 5;
	drain_records(FLUSH_NOW);
	assert_int_equal(counters[COUNTER_cupti_dropped], 5);
	assert_int_equal(lost_records, 1);
	dropped = 0;
	unread = 3;
	drain_records(FLUSH_IF_DUE);
	assert_int_equal(counters[COUNTER_cupti_dropped], 5);
	assert_int_equal(counters[COUNTER_cupti_unread], 3);
	assert_int_equal(lost_records, 2);
	/* Full buffers come without a flush. */
	unread = 0;
	dropped = 2;
	bytes_queued = 1;
	drain_records(FLUSH_IF_DUE);
	assert_int_equal(counters[COUNTER_cupti_dropped], 7);
	assert_int_equal(lost_records, 3);
}

static void calls_that_are_matched_no_more_wait_two_seconds_for_their_records(void **state)
{
	(void)state;
	matches = false;
	drain_records(FLUSH_NOW);
	now += 10000 * MS;
	drain_records(FLUSH_NOW);
	assert_int_equal(lost_records, 0);
	calls_expected = 1;
	drain_records(FLUSH_NOW);
	now += 2000 * MS - 1;
	drain_records(FLUSH_NOW);
	assert_int_equal(lost_records, 0);
	now++;
	drain_records(FLUSH_NOW);
	assert_int_equal(lost_records, 1);
}

static void busy_time_is_settled_up_to_what_may_still_come(void **state)
{
	(void)state;
	arrived = 1;
	run.scale.ns_per_tick = 2;
	run.scale.ticks = ticks - 1000 * MS;
	run.scale.realtime = 5;
	drain_records(FLUSH_NOW);
	assert_int_equal(settled, 5 + 2000 * MS - 100000);
	/* A call in progress. */
	atomic_store(&threads[0].in_call, ticks - 100 * MS);
	atomic_store(&threads[2].in_call, ticks - 50 * MS);
	each_reading = 5 * MS;
	drain_records(FLUSH_NOW);
	assert_int_equal(settled, 5 + 1800 * MS - 100000);
	oldest_call = 1700 * MS;
	drain_records(FLUSH_NOW);
	assert_int_equal(settled, 1700 * MS - 100000);
	oldest_graph = 1600 * MS;
	drain_records(FLUSH_NOW);
	assert_int_equal(settled, 1600 * MS - 100000);
	oldest_graph = 100000;
	drain_records(FLUSH_NOW);
	assert_int_equal(settled, 0);
	oldest_graph = 100001;
	drain_records(FLUSH_NOW);
	assert_int_equal(settled, 1);
	/* Not while the records' clock is unknown, or without records. */
	oldest_graph = 200000;
	realtime = false;
	drain_records(FLUSH_NOW);
	assert_int_equal(settled, 1);
	realtime = true;
	arrived = 0;
	drain_records(FLUSH_NOW);
	assert_int_equal(settled, 1);
}

/* The last one: it has no end. */
static void when_the_program_has_ended_cupti_it_is_reported_once(void **state)
{
	const struct session_header *header = run.header;

	(void)state;
	ended = true;
	active = false;
	mode_events = mode_driver_records = true;
	dropped = 2;
	drain_records(FLUSH_NOW);
	assert_int_equal(flushes, 0);
	assert_int_equal(header->counters[COUNTER_cupti_dropped], 2);
	assert_int_equal(lost_records, 1);
	assert_int_equal(header->cupti_active, 0);
	assert_int_equal(header->note_count, 1);
	assert_string_equal(
		session_string(run.session, header->notes[0]),
		"The program ended CUPTI (cuptiFinalize): later operations are timed by "
		"CUDA events only, and API calls that CUPTI recorded are no longer "
		"counted. Each row shows the clock that timed most of its calls.");
	assert_true(is("df"));
	drain_records(FLUSH_NOW);
	assert_true(is(""));
	assert_int_equal(lost_records, 1);
}

#define DRAINS(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DRAINS(records_are_taken_in_the_order_of_their_calls),
		DRAINS(calls_for_the_hosts_sake_have_no_row),
		DRAINS(a_launch_whose_counters_are_read_is_not_timed),
		DRAINS(the_counts_of_all_threads_are_taken),
		DRAINS(which_calls_are_in_progress),
		DRAINS(records_wait_for_calls_in_progress_for_10_ms_at_most),
		DRAINS(a_call_on_the_cold_path_is_waited_for_longer),
		DRAINS(a_call_on_the_cold_path_is_waited_for_no_longer_if_buffers_fill),
		DRAINS(cupti_is_flushed_as_it_is_asked_for),
		DRAINS(flushes_are_rare_while_calls_come_and_follow_their_end),
		DRAINS(what_cupti_lost_is_counted),
		DRAINS(calls_that_are_matched_no_more_wait_two_seconds_for_their_records),
		DRAINS(busy_time_is_settled_up_to_what_may_still_come),
		DRAINS(when_the_program_has_ended_cupti_it_is_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
