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

TEST(kernels_are_kept_up_to_a_bound)
{
	static struct operation many[KERNELS_MOST + 1];
	struct measured_kernel *first;

	for (unsigned i = 0; i <= KERNELS_MOST; i++)
		many[i].name = i == 1 ? "ncclDevKernel" : i == 2 ? "x_nvshmem_y" : "plain";
	first = kernels_find(&many[0], 0, 1);
	assert_ptr_equal(kernels_find(&many[0], 0, 1), first);
	assert_ptr_not_equal(kernels_find(&many[0], 1, 1), first);
	assert_false(first->excluded);
	assert_true(kernels_find(&many[1], 0, 1)->excluded);
	assert_true(kernels_find(&many[2], 0, 1)->excluded);
	for (unsigned i = 3; i < KERNELS_MOST - 1; i++)
		assert_non_null(kernels_find(&many[i], 0, 1));
	assert_null(kernels_find(&many[KERNELS_MOST], 0, 1));
	assert_ptr_equal(kernels_at(0), first);
	assert_non_null(kernels_at(KERNELS_MOST - 1));
	assert_null(kernels_at(KERNELS_MOST));
	assert_ptr_equal(kernels_find(&many[0], 0, 1), first);
}

TEST(a_metric_is_a_sum_of_its_counters)
{
	static const struct metric_list list = {
		.metrics = {{.name = "both", .terms = {{"x", 2}, {"y", -1}}},
			    {.name = "all", .terms = {{"x", 1}, {"y", 1}, {"z", 10}}}},
		.count = 2};
	static const double counters[] = {3, 4, 5, 6, 7};
	struct measured_kernel *kernel = kernels_find(&kernels[0], 0, 2);

	kernels_add(kernel, &list, counters);
	assert_true(kernel->changed);
	assert_true(kernel->sums[0].total == 2);
	assert_true(kernel->sums[1].total == 5 + 6 + 70);
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
