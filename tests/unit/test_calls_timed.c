/* SPDX-License-Identifier: MIT */
/* From call records to the rows: which clock a call waits for, and which calls are compared. */
#include <math.h>

#include "tests/unit/calls_neighbours.h"

static bool is_near(double value, double expected)
{
	return fabs(value - expected) < 1e-6 * expected;
}

/* A record of the kernel starts then. */
static struct in_flight *record_at(uint64_t start)
{
	return match_record(stream.records,
			    &(struct match_key){.start = start, .operation = &kernel});
}

static void give_up_events(enum event_end end)
{
	around.queued->awaits_events = false;
	calls_timed(around.queued, end);
}

static void end_events(uint64_t nanoseconds)
{
	struct in_flight *operation = around.queued;

	assert_non_null(operation);
	operation->pair = NULL;
	operation->awaits_events = false;
	operation->has_events = true;
	operation->by_events = nanoseconds;
	calls_timed(operation, EVENT_READ);
}

static double drawn(const struct estimate *estimate)
{
	double sum = 0;

	for (int i = 0; i < ESTIMATE_STRATA; i++)
		sum += estimate->strata[i].drawn;
	return sum;
}

static void a_call_timed_by_events_has_its_row_and_range(void **state)
{
	const struct row *row;

	(void)state;
	around.trace = true;
	pair.gated = true;
	pair.sampled_below = SAMPLE_ALL / 4;
	take((struct call_record){.pair = &pair});
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 1);
	assert_int_equal(kernel.calls, 1);
	assert_int_equal(kernel.window_calls, 1);
	assert_int_equal(kernel.pairs, 1);
	assert_int_equal(around.costs, 1);
	assert_int_equal(around.traced_calls, 1);
	assert_int_equal(around.recording_calls, 0);
	assert_int_equal(count(COUNTER_operations), 1);
	assert_int_equal(count(COUNTER_event_pairs), 1);
	assert_false(around.queued->may_wait);
	assert_true(is_near(around.queued->weight, 4));
	assert_int_equal(around.queued->ended - around.queued->started, 50);
	assert_int_equal(around.queued->host_call, 5);
	assert_int_equal(around.queued->thread, 77);
	assert_int_equal(around.queued->api, API_NONE);
	assert_int_equal(around.queued->ranges.range, 0x40);
	assert_ptr_equal(around.queued->pair, &pair);
	assert_true(around.queued->reported);
	assert_int_equal(around.queued->number, around.correlation);
	assert_int_equal(calls_expected, 0);
	end_events(7000);
	assert_int_equal(count(COUNTER_timed_by_events), 1);
	assert_int_equal(count(COUNTER_gated_pairs), 1);
	assert_int_equal(row->events.count, 1);
	assert_int_equal(row->events.total, 7000);
	assert_int_equal(row->gated, 1);
	assert_int_equal(row->may_wait, 0);
	assert_int_equal(row->host_included, 0);
	assert_int_equal(around.traced_events, 1);
	assert_int_equal(around.ranges, 1);
	assert_int_equal(around.range_ns, 7000);
	assert_true(is_near(around.range_weight, 4));
	assert_int_equal(count(COUNTER_matched), 0);
	assert_int_equal(row->unmatched, 0);
	assert_true(row->estimate.strata[0].timed == 1 &&
		    is_near(row->estimate.strata[0].calls, 1) &&
		    is_near(row->estimate.strata[0].drawn, 4));
}

static void a_pair_that_is_not_gated_may_hold_a_wait(void **state)
{
	const struct row *row;

	(void)state;
	take((struct call_record){.pair = &pair});
	assert_true(around.queued->may_wait);
	assert_false(around.queued->queued);
	end_events(5000);
	/* The device has work of the stream for longer. */
	stream.busy_until = UINT64_MAX;
	take((struct call_record){.pair = &pair});
	assert_false(around.queued->may_wait);
	assert_true(around.queued->queued);
	end_events(5000);
	row = row_of(&kernel, 2);
	assert_int_equal(row->may_wait, 1);
	assert_int_equal(row->gated, 0);
	assert_int_equal(row->queued, 1);
	/* Of a gated one the call tells. */
	pair.gated = true;
	take((struct call_record){.pair = &pair});
	assert_false(around.queued->queued);
	end_events(5000);
	pair.queued = true;
	take((struct call_record){.pair = &pair});
	assert_true(around.queued->queued);
	end_events(5000);
	assert_int_equal(row->queued, 2);
	pair.gated = pair.queued = false;
	/* Behind the other engine's work it holds one in any case. */
	take((struct call_record){.operation = &copy, .pair = &pair, .bytes = 64});
	assert_false(around.queued->may_wait);
	end_events(5000);
	row = row_of(&copy, 2);
	assert_int_equal(row->may_wait, 1);
	assert_int_equal(row->bytes, 64);
	assert_int_equal(row->estimate.by_size, 1);
	assert_int_equal(row->events.size, 64);
	take((struct call_record){
		.operation = &copy, .pair = &pair, .bytes = 32, .flags = CALL_HOST_INCLUDED});
	end_events(4000);
	assert_int_equal(row->host_included, 1);
	assert_int_equal(row->bytes, 96);
}

static void take_at(struct stream *of, uint64_t started, uint8_t flags)
{
	calls_take(&thread, &(struct call_record){.stream = of,
						  .operation = &kernel,
						  .pair = of == &stream ? &pair : NULL,
						  .api = API_NONE,
						  .flags = flags,
						  .started = started,
						  .duration = 50});
}

static void a_pair_beside_another_streams_call_is_counted(void **state)
{
	const uint64_t later = 1000000000;
	struct stream other = {.context = &context, .id = 2};
	const struct row *row;

	(void)state;
	stream.id = 1;
	take_at(&other, later, CALL_STANDS_FOR_MORE);
	take_at(&stream, later + 100000, 0);
	end_events(5000);
	row = row_of(&kernel, 2);
	assert_int_equal(row->beside, 0);
	/* Its calls are now known to have been that close. */
	take_at(&other, later + 32 * 50000, CALL_STANDS_FOR_MORE);
	take_at(&stream, later + 200000, 0);
	end_events(5000);
	assert_int_equal(row->beside, 1);
	take_at(&other, later + 3000000, 0);
	take_at(&stream, later + 2500000, 0);
	end_events(5000);
	assert_int_equal(row->beside, 1);
	take_at(&stream, later + 2990000, 0);
	end_events(10000);
	assert_int_equal(row->beside, 2);
	assert_int_equal(row->events.count, 4);
}

static void a_call_without_a_time_says_why(void **state)
{
	const struct row *row;

	(void)state;
	take((struct call_record){.untimed = UNTIMED_SAMPLED_OUT});
	take((struct call_record){.untimed = UNTIMED_RECORD_FAILED});
	around.queue_full = true;
	take((struct call_record){.pair = &pair, .untimed = UNTIMED_RING_FULL});
	assert_int_equal(pool.put, 1);
	around.queue_full = false;
	take((struct call_record){.pair = &pair});
	give_up_events(EVENT_LOST);
	take((struct call_record){.pair = &pair});
	give_up_events(EVENT_LATE);
	row = row_of(&kernel, 2);
	assert_int_equal(row->untimed[UNTIMED_SAMPLED_OUT], 1);
	assert_int_equal(row->untimed[UNTIMED_RECORD_FAILED], 1);
	assert_int_equal(row->untimed[UNTIMED_NO_EVENT], 1);
	assert_int_equal(row->untimed[UNTIMED_RING_FULL], 0);
	assert_int_equal(row->untimed[UNTIMED_CONTEXT_LOST], 1);
	assert_int_equal(row->calls, 5);
	assert_int_equal(row->events.count, 0);
	/* One that sampling left out was not drawn, the others were. */
	assert_true(row->estimate.position == 5);
	assert_true(drawn(&row->estimate) == 4);
	assert_int_equal(row->untimed[UNTIMED_NOT_FINISHED], 1);
}

/* A call that was drawn and got no pair stands for as many as one that did. */
static void a_missing_pair_has_the_weight_of_its_draw(void **state)
{
	const struct estimate *estimate;
	double thinned = (double)SAMPLE_ALL / POOL_LEAST_CHANCE;

	(void)state;
	kernel.sample_below = SAMPLE_ALL / 8;
	estimate = &rows_of(&kernel, 2)->estimate;
	take((struct call_record){.untimed = UNTIMED_RECORD_FAILED});
	assert_true(is_near(drawn(estimate), 8));
	take((struct call_record){.untimed = UNTIMED_NO_EVENT});
	assert_true(is_near(drawn(estimate), 16));
	/* Pools that run low draw again. */
	around.thin = true;
	take((struct call_record){.untimed = UNTIMED_NO_EVENT});
	assert_true(is_near(drawn(estimate), 16 + thinned));
	/* For other reasons they do not, and with CUPTI those come before the draw. */
	take((struct call_record){.untimed = UNTIMED_RECORD_FAILED});
	assert_true(is_near(drawn(estimate), 24 + thinned));
	mode_cupti = true;
	take((struct call_record){.untimed = UNTIMED_RECORD_FAILED});
	assert_true(is_near(drawn(estimate), 25 + thinned));
	matcher_expire(UINT64_MAX);
}

/* Those that were only counted come into the row later, but they were before. */
static void a_call_has_its_place_behind_those_that_were_only_counted(void **state)
{
	static struct thread other;
	const uint32_t index = kernel.index;
	struct row *row = rows_of(&kernel, 2);

	(void)state;
	pool.thins = true;
	pair.sampled_below = SAMPLE_ALL;
	atomic_store(&thread.operation_calls[index], 10);
	thread.operation_calls_seen[index] = 4;
	pair.counted = 4;
	take((struct call_record){.pair = &pair});
	assert_true(is_near(row->estimate.position, 1));
	end_events(1000);
	pair.counted = 7;
	take((struct call_record){.pair = &pair});
	assert_true(is_near(row->estimate.position, 2 + 3));
	end_events(1000);
	/* Another thread has launched as many meanwhile. */
	atomic_store(&other.operation_calls[index], 6);
	thread.next = &other;
	kernel.untaken_since = 0;
	pair.counted = 8;
	take((struct call_record){.pair = &pair});
	assert_true(is_near(row->estimate.position, 3 + 2 * 4));
	end_events(1000);
	/* Its thread's counts were taken when some that came after it had been counted. */
	thread.next = NULL;
	thread.operation_calls_seen[index] = 10;
	row->calls += 12;
	take((struct call_record){.pair = &pair});
	assert_int_equal(around.queued->place, 16 - 2 - 1);
	end_events(1000);
	atomic_store(&thread.operation_calls[index], 0);
	thread.operation_calls_seen[index] = 0;
	pair.counted = 0;
	pool.thins = false;
}

static void both_clocks_are_compared_where_they_time_the_same(void **state)
{
	static const struct {
		bool gated, idle, overlapped;
		uint8_t flags;
		bool compared;
	} cases[] = {
		{false, false, false, 0, true},
		{false, false, true, 0, true},
		{true, true, false, 0, true},
		{false, true, false, 0, false},
		{true, false, false, CALL_FIRST, false},
	};
	const struct row *row;
	uint64_t compared = 0, waited = 0, overlapped = 0;

	(void)state;
	mode_cupti = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct in_flight *operation;

		pair.gated = cases[i].gated;
		take((struct call_record){.pair = &pair, .flags = cases[i].flags});
		assert_int_equal(calls_expected, 1);
		operation = around.queued;
		assert_true(operation->awaits_record && operation->leaves_record);
		assert_ptr_equal(record_at(operation->started + 10), operation);
		calls_matched(operation, 55);
		assert_int_equal(calls_expected, 0);
		calls_recorded(operation, true, 6000, cases[i].overlapped, cases[i].idle);
		end_events(9100);
		compared += cases[i].compared;
		waited += !cases[i].compared;
		overlapped += cases[i].overlapped;
		row = row_of(&kernel, 2);
		assert_int_equal(row->checked, compared);
		assert_int_equal(row->waited, waited);
		assert_int_equal(row->checked_overlapped, overlapped);
		assert_int_equal(row->checked_cupti, compared * 6000);
		assert_int_equal(row->checked_raw, compared * 9100);
		assert_int_equal(count(COUNTER_matched), i + 1);
	}
	assert_int_equal(histogram_count(session_histogram(run.session, row->difference_histogram)),
			 compared);
	assert_int_equal(histogram_percentile(
				 session_histogram(run.session, row->difference_histogram), 0.5) /
				 100,
			 31);
	/* A pair that is shorter differs by nothing. */
	pair.gated = true;
	take((struct call_record){.pair = &pair});
	end_events(5000);
	assert_int_equal(row->checked, compared);
	record_at(around.queued->started);
	calls_matched(around.queued, 57);
	calls_recorded(around.queued, true, 6000, false, false);
	assert_int_equal(row->checked, compared + 1);
	assert_int_equal(histogram_percentile(
				 session_histogram(run.session, row->difference_histogram), 0.01),
			 0);
	/* In the trace and the ranges is CUPTI's time alone. */
	assert_int_equal(around.ranges, 0);
	assert_int_equal(count(COUNTER_unmatched_pairs), 0);
}

static void a_record_that_never_comes_is_counted(void **state)
{
	const struct row *row;

	(void)state;
	mode_cupti = true;
	around.trace = true;
	take((struct call_record){.pair = &pair});
	assert_int_equal(around.traced_calls, 0);
	matcher_expire(UINT64_MAX);
	assert_int_equal(calls_expected, 0);
	assert_int_equal(around.traced_matches, 1);
	assert_int_equal(around.correlation, 0);
	assert_int_equal(around.untimed_in_ranges, 1);
	end_events(4000);
	row = row_of(&kernel, 2);
	assert_int_equal(row->unmatched, 1);
	assert_int_equal(row->checked, 0);
	assert_int_equal(count(COUNTER_unmatched_pairs), 1);
	/* One that CUPTI makes no record of is not missed. */
	take((struct call_record){.pair = &pair, .flags = CALL_NO_ACTIVITY});
	assert_int_equal(calls_expected, 0);
	assert_int_equal(around.traced_calls, 1);
	end_events(4000);
	assert_int_equal(row->unmatched, 1);
	/* Nor one with a time that may be another call's. */
	take((struct call_record){.pair = &pair});
	around.queued->ambiguous = true;
	record_at(around.queued->started);
	calls_matched(around.queued, 56);
	assert_int_equal(around.correlation, 56);
	calls_recorded(around.queued, true, 6000, false, false);
	end_events(4000);
	assert_int_equal(row->checked, 0);
	assert_int_equal(row->unmatched, 2);
}

static void a_call_that_cupti_was_started_in_waits_for_no_record(void **state)
{
	(void)state;
	mode_cupti = true;
	mode_cupti_since = last_started + 1001;
	take((struct call_record){.untimed = UNTIMED_SAMPLED_OUT});
	assert_int_equal(calls_expected, 0);
	mode_cupti_since = last_started + 1000;
	take((struct call_record){.untimed = UNTIMED_SAMPLED_OUT});
	assert_int_equal(calls_expected, 1);
	/* Outside the window too. */
	take((struct call_record){.flags = CALL_OUTSIDE_WINDOW});
	assert_int_equal(calls_expected, 2);
	matcher_expire(UINT64_MAX);
}

static void while_windows_record_no_call_waits(void **state)
{
	(void)state;
	mode_cupti = true;
	around.matches = false;
	take((struct call_record){.untimed = UNTIMED_SAMPLED_OUT});
	assert_int_equal(calls_expected, 0);
	assert_int_equal(around.recording_calls, 1);
	assert_int_equal(around.untimed_in_ranges, 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_call_timed_by_events_has_its_row_and_range),
		TEST(a_pair_that_is_not_gated_may_hold_a_wait),
		TEST(a_pair_beside_another_streams_call_is_counted),
		TEST(a_call_without_a_time_says_why),
		TEST(a_missing_pair_has_the_weight_of_its_draw),
		TEST(a_call_has_its_place_behind_those_that_were_only_counted),
		TEST(both_clocks_are_compared_where_they_time_the_same),
		TEST(a_record_that_never_comes_is_counted),
		TEST(a_call_that_cupti_was_started_in_waits_for_no_record),
		TEST(while_windows_record_no_call_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
