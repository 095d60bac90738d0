/* SPDX-License-Identifier: MIT */
/* --metrics: what the collector learns of the calls whose counters were read, and the values. */
#include "tests/unit/measured_neighbours.h"

static struct thread other_thread;
static struct thread other_thread;

static enum metrics_part part(const struct thread *of, uint64_t started, uint32_t duration)
{
	return metrics_part_of(of, &(struct call_record){.started = started, .duration = duration});
}

TEST(the_collector_learns_which_call_it_was)
{
	metrics_start("");
	assert_int_equal(part(&thread, 0, UINT32_MAX), METRICS_NONE);
	ticks = 5000;
	launch(FIRST, true);
	assert_int_equal(part(&other_thread, 4000, 2000), METRICS_NONE);
	/* Calls before it, and it. */
	assert_int_equal(part(&thread, 4000, 999), METRICS_NONE);
	assert_int_equal(part(&thread, 5000, 10), METRICS_READ);
	assert_int_equal(part(&thread, 5000, 10), METRICS_NONE);
	ticks = 6000;
	wait_result = CUDA_ERROR_UNKNOWN;
	launch(FIRST, true);
	assert_int_equal(part(&thread, 5990, 10), METRICS_TRIED);
	/* One that left no record is forgotten at the next call. */
	ticks = 7000;
	launch(FIRST, true);
	assert_int_equal(part(&thread, 7001, 10), METRICS_NONE);
	assert_int_equal(part(&thread, 6995, 10), METRICS_NONE);
}

TEST(no_more_than_64_calls_await_their_records)
{
	metrics_start("");
	for (unsigned i = 0; i < 64; i++) {
		ticks = 1000 + 10 * i;
		assert_true(launch(FIRST, true));
	}
	assert_false(measure_wants(call_of(FIRST)));
	assert_int_equal(part(&thread, 1000, 9), METRICS_READ);
	assert_true(measure_wants(call_of(FIRST)));
	/* Several in one call: of the last. */
	assert_int_equal(part(&thread, 1005, 1000), METRICS_READ);
	assert_int_equal(part(&thread, 1005, 1000), METRICS_NONE);
}

TEST(values_that_are_not_known_are_left_out)
{
	metrics_start("");
	counted[1] = NAN;
	launch(FIRST, true);
	counted[1] = INFINITY;
	launch(FIRST, true);
	assert_int_equal(values_of("first", "a__x.sum")->count, 2);
	assert_int_equal(values_of("first", "b__y.sum")->count, 0);
	counted[1] = -3;
	launch(FIRST, true);
	assert_true(values_of("first", "b__y.sum")->maximum == -3);
	values_error = -EIO;
	launch(FIRST, true);
	assert_int_equal(values_of("first", "a__x.sum")->count, 3);
}

static bool is_wanted(uintptr_t function)
{
	return measure_wants(call_of((CUfunction)function));
}

TEST(kernels_are_kept_up_to_a_bound)
{
	metrics_start("");
	assert_true(is_wanted(1));
	assert_true(is_wanted(2));
	/* They wait for those of other devices. */
	for (uintptr_t function = 3; function <= 5; function++)
		assert_false(is_wanted(function));
	for (uintptr_t function = 6; function <= 1024; function++)
		assert_true(is_wanted(function));
	assert_false(is_wanted(1025));
	/* On another device it would be another one. */
	current_device = 1;
	assert_false(is_wanted(1));
	current_device = 0;
	assert_true(is_wanted(1));
}

TEST(a_metric_is_a_sum_of_its_counters)
{
	settings.metrics = "flop_count_sp";
	metrics_start("");
	launch(FIRST, true);
	assert_true(values_of("first", "flop_count_sp")->total == 100 + 40 + 2 * 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_collector_learns_which_call_it_was),
		cmocka_unit_test(no_more_than_64_calls_await_their_records),
		cmocka_unit_test(values_that_are_not_known_are_left_out),
		cmocka_unit_test(kernels_are_kept_up_to_a_bound),
		cmocka_unit_test(a_metric_is_a_sum_of_its_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
