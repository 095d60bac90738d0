/* SPDX-License-Identifier: MIT */
/* From call records and counts to the rows: each call is counted once, and where it belongs. */
#include "tests/unit/calls_neighbours.h"

static void a_call_outside_the_window_is_counted_apart(void **state)
{
	const struct row *row;

	(void)state;
	around.trace = true;
	take((struct call_record){.pair = &pair, .flags = CALL_OUTSIDE_WINDOW});
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 0);
	assert_int_equal(row->calls_outside, 1);
	assert_int_equal(count(COUNTER_operations), 0);
	assert_int_equal(count(COUNTER_operations_outside), 1);
	assert_int_equal(pool.put, 1);
	assert_int_equal(around.traced_calls, 0);
	/* Of a range that was not chosen. */
	around.included = false;
	take((struct call_record){.pair = &pair});
	assert_int_equal(row->calls_outside, 2);
	assert_int_equal(pool.put, 2);
	assert_int_equal(around.traced_calls, 0);
	around.included = true;
	settings.devices = ~4ull;
	take((struct call_record){.pair = &pair});
	assert_int_equal(row->calls, 0);
	assert_int_equal(row->calls_outside, 2);
	assert_int_equal(pool.put, 3);
	assert_int_equal(around.traced_calls, 1);
	/* Its record is awaited all the same. */
	mode_cupti = true;
	take((struct call_record){.pair = &pair});
	assert_int_equal(calls_expected, 1);
	matcher_expire(UINT64_MAX);
	assert_int_equal(around.untimed_in_ranges, 0);
	assert_int_equal(around.traced_matches, 0);
}

static void what_is_no_operation_gives_its_pair_back(void **state)
{
	static const uint8_t flags[] = {CALL_FAILED, CALL_CAPTURED, CALL_API_ONLY};

	(void)state;
	around.trace = true;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		take((struct call_record){.pair = &pair, .flags = flags[i]});
		assert_int_equal(pool.put, i + 1);
		assert_int_equal(around.traced_calls, i + 1);
		take((struct call_record){.flags = flags[i] | CALL_OUTSIDE_WINDOW});
		assert_int_equal(around.traced_calls, i + 1);
	}
	assert_int_equal(count(COUNTER_failed_calls), 1);
	assert_int_equal(count(COUNTER_captured_calls), 1);
	assert_int_equal(count(COUNTER_operations), 0);
	assert_int_equal(count(COUNTER_operations_outside), 0);
}

static void count_only_calls_are_taken_once(void **state)
{
	const struct row *row;

	(void)state;
	thread.operation_calls[0] = 30;
	thread.operation_calls[1] = 4;
	thread.operation_rows[0] = thread.operation_rows[1] =
		API_RUNTIME(RUNTIME_cudaLaunchKernel) + 1;
	calls_take_counts(&thread);
	calls_take_counts(&thread);
	thread.operation_calls[0] = 37;
	mode_events = false;
	calls_take_counts(&thread);
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 37);
	assert_int_equal(row->untimed[UNTIMED_SAMPLED_OUT], 30);
	assert_int_equal(row->untimed[UNTIMED_EVENTS_OFF], 7);
	assert_int_equal(kernel.calls, 37);
	assert_int_equal(kernel.window_calls, 37);
	assert_int_equal(row_of(&copy, 2)->calls, 4);
	assert_int_equal(count(COUNTER_operations), 41);
	row = session_row(run.session, ROW_RUNTIME_API, "cudaLaunchKernel", -1);
	assert_int_equal(row->calls, 41);
	/* What is counted by API row alone. */
	thread.api_calls[API_RUNTIME(RUNTIME_cudaLaunchKernel)] = 3;
	calls_take_counts(&thread);
	calls_take_counts(&thread);
	assert_int_equal(row->calls, 44);
	assert_int_equal(count(COUNTER_operations), 41);
}

static void sizes_of_count_only_copies_are_taken_once(void **state)
{
	struct counted_sizes *sizes = &thread.sizes[1];
	const struct row *row;

	(void)state;
	thread.operation_rows[1] = API_DRIVER(ENTRY_cuMemcpyHtoDAsync_v2) + 1;
	for (unsigned i = 0; i < 2; i++) {
		thread.operation_calls[1] += 3;
		thread_count_bytes(sizes, 4096);
		thread_count_bytes(sizes, 100);
		thread_count_bytes(sizes, 200);
		calls_take_counts(&thread);
		calls_take_counts(&thread);
	}
	row = row_of(&copy, 2);
	assert_int_equal(row->calls, 6);
	assert_int_equal(row->bytes, 8792);
	assert_int_equal(row->bytes_minimum, 100);
	assert_int_equal(row->bytes_maximum, 4096);
	assert_float_equal(row->bytes_squares, 2 * (4096.0 * 4096 + 100 * 100 + 200 * 200), 0);
	/* With the sizes of those that have a record. */
	take((struct call_record){.operation = &copy, .bytes = 50});
	assert_int_equal(row->bytes, 8842);
	assert_int_equal(row->bytes_minimum, 50);
	assert_true(row->estimate.by_size);
	assert_float_equal(row->estimate.strata[12].calls, 2, 0);
	assert_float_equal(row->estimate.strata[7].calls, 2, 0);
	assert_float_equal(row->estimate.strata[6].calls, 2, 0);
	assert_float_equal(row->estimate.strata[5].calls, 1, 0);
}

static void counts_are_taken_once_their_api_row_is_seen(void **state)
{
	(void)state;
	thread.operation_calls[0] = 30;
	calls_take_counts(&thread);
	assert_int_equal(count(COUNTER_operations), 0);
	thread.operation_rows[0] = API_RUNTIME(RUNTIME_cudaLaunchKernel) + 1;
	calls_take_counts(&thread);
	assert_int_equal(count(COUNTER_operations), 30);
}

static void count_only_calls_outside_the_window_are_in_no_other_count(void **state)
{
	const struct row *row;

	(void)state;
	thread.operation_calls[COUNTED_OPERATIONS] = 30;
	calls_take_counts(&thread);
	calls_take_counts(&thread);
	thread.operation_calls[COUNTED_OPERATIONS] = 32;
	thread.operation_calls[COUNTED_OPERATIONS + 1] = 5;
	thread.operation_calls[0] = 4;
	thread.operation_rows[0] = API_RUNTIME(RUNTIME_cudaLaunchKernel) + 1;
	calls_take_counts(&thread);
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 4);
	assert_int_equal(row->calls_outside, 32);
	assert_int_equal(row_of(&copy, 2)->calls_outside, 5);
	assert_int_equal(kernel.calls, 4);
	assert_int_equal(count(COUNTER_operations), 4);
	assert_int_equal(count(COUNTER_operations_outside), 37);
}

static void what_found_its_ring_full_is_counted_at_the_end(void **state)
{
	const struct row *row;

	(void)state;
	kernel.lost[2] = 12;
	kernel.lost_outside[2] = 5;
	copy.lost_outside[0] = 3;
	operation_lost_calls = 20;
	calls_finish();
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 12);
	assert_int_equal(row->untimed[UNTIMED_RING_FULL], 12);
	assert_int_equal(row->calls_outside, 5);
	assert_int_equal(row_of(&copy, 0)->calls_outside, 3);
	assert_int_equal(row_of(&copy, 0)->calls, 0);
	assert_int_equal(count(COUNTER_operations), 12);
	assert_int_equal(count(COUNTER_operations_outside), 8);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_call_outside_the_window_is_counted_apart),
		TEST(what_is_no_operation_gives_its_pair_back),
		TEST(count_only_calls_are_taken_once),
		TEST(sizes_of_count_only_copies_are_taken_once),
		TEST(counts_are_taken_once_their_api_row_is_seen),
		TEST(count_only_calls_outside_the_window_are_in_no_other_count),
		TEST(what_found_its_ring_full_is_counted_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
