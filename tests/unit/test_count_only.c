/* SPDX-License-Identifier: MIT */
/* Which launches leave a call record, and which are counted and leave none. */
#include "tests/unit/launch_path.h"

#include "preload/base/mode.h"
#include "preload/launch/runtime_call.h"

static uint64_t counted(const struct operation *operation)
{
	return atomic_load(&launching.operation_calls[operation->index]);
}

static uint64_t calls_of_row(unsigned api)
{
	return atomic_load(&launching.api_calls[api]);
}

/* The thread knows both kernels, and they get no event pairs any more. */
static int start_sampled_out(void **state)
{
	launch_path_start(state);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	atomic_store(&kernels[0].sample_below, 0);
	atomic_store(&kernels[1].sample_below, 0);
	drain_ring();
	return 0;
}

static void a_launch_without_a_pair_is_counted_and_leaves_no_record(void **state)
{
	unsigned before = published(), events = asked.events;
	struct call call;

	(void)state;
	describe_launch(&call, KERNEL, STREAM);
	call_begin(&call);
	assert_true(call.counted);
	assert_ptr_equal(call.thread, &launching);
	assert_int_equal(launching.depth, 1);
	assert_int_equal(atomic_load(&launching.in_call), 0);
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(launching.depth, 0);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before);
	assert_int_equal(asked.events, events);
	assert_int_equal(counted(&kernels[0]), 1);
	assert_int_equal(counted(&kernels[1]), 2);
	assert_int_equal(calls_of_row(LAUNCH_ROW), 3);
	/* Neither handle was looked up again. */
	assert_int_equal(asked.operations, 2);
	assert_int_equal(asked.streams, 1);
}

static void each_32nd_launch_leaves_a_record_that_stands_for_the_others(void **state)
{
	unsigned before = published(), left = 0;

	(void)state;
	assert_int_equal(launching.calls, 2);
	for (unsigned i = 0; i < 3 * RECORDED_CALLS; i++) {
		unsigned had = published();

		launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
		if (published() == had)
			continue;
		left++;
		assert_int_equal(launching.calls, left * RECORDED_CALLS);
		assert_int_equal(last_record()->flags, CALL_STANDS_FOR_MORE);
		assert_ptr_equal(last_record()->operation, &kernels[0]);
		assert_int_equal(last_record()->untimed, UNTIMED_SAMPLED_OUT);
	}
	assert_int_equal(left, 3);
	assert_int_equal(published() - before, 3);
	assert_int_equal(counted(&kernels[0]), 3 * RECORDED_CALLS - 3);
}

static void a_launch_that_the_draw_chose_gets_a_pair_and_a_record(void **state)
{
	struct thread drawn = {.random = 1};
	uint32_t number = thread_random(&drawn);

	(void)state;
	/* Below the threshold: chosen. At it: not. */
	atomic_store(&kernels[0].sample_below, number + 1);
	launching.random = 1;
	pool.spare = &pair;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_ptr_equal(last_record()->pair, &pair);
	assert_int_equal(last_record()->flags, 0);
	assert_int_equal(pair.sampled_below, number + 1);
	assert_int_equal(counted(&kernels[0]), 0);
	/* It was drawn for once. */
	assert_int_equal(launching.random, number);
	atomic_store(&kernels[0].sample_below, number);
	launching.random = 1;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(counted(&kernels[0]), 1);
	assert_int_equal(launching.random, number);
	/* Without event pairs none is drawn for. */
	mode_events = false;
	atomic_store(&kernels[0].sample_below, SAMPLE_ALL);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(counted(&kernels[0]), 2);
	assert_int_equal(launching.random, number);
	/* Nor if every call is to have one. */
	mode_events = true;
	pool.spare = &pair;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(counted(&kernels[0]), 2);
	assert_int_equal(launching.random, number);
}

static void a_call_that_is_no_launch_leaves_a_record(void **state)
{
	unsigned before = published();
	uint32_t calls = launching.calls;
	struct call call;

	(void)state;
	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(launching.calls, calls);
	assert_int_equal(counted(&kernels[0]), 0);
	assert_int_equal(calls_of_row(LAUNCH_ROW), 0);
}

static void a_kernel_beyond_the_counters_leaves_a_record(void **state)
{
	unsigned before = published();

	(void)state;
	kernels[0].index = COUNTED_OPERATIONS - 1;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before);
	assert_int_equal(counted(&kernels[0]), 1);
	atomic_store(&launching.operation_calls[COUNTED_OPERATIONS - 1], 0);
	kernels[0].index = COUNTED_OPERATIONS;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
}

static void while_anything_needs_records_each_launch_leaves_one(void **state)
{
	unsigned before = published();

	(void)state;
	count_only_block(1);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(launching.calls, 2);
	count_only_block(-1);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
}

static void a_count_only_launch_that_fails_leaves_a_record(void **state)
{
	unsigned before = published();
	struct call call = launch_kernel(KERNEL, STREAM, CUDA_ERROR_INVALID_VALUE);

	(void)state;
	assert_true(call.counted);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->flags, CALL_FAILED);
	assert_int_equal(last_record()->started, ticks);
	assert_int_equal(last_record()->duration, 0);
	assert_null(last_record()->stream);
	assert_null(last_record()->pair);
	assert_int_equal(last_record()->untimed, UNTIMED_NO_EVENT);
	assert_int_equal(last_record()->api, LAUNCH_ROW);
	assert_int_equal(counted(&kernels[0]), 0);
	assert_int_equal(calls_of_row(LAUNCH_ROW), 0);
}

static void launches_inside_a_wrapped_call_are_part_of_it(void **state)
{
	unsigned before = published();
	struct call outer;

	(void)state;
	describe_launch(&outer, KERNEL, STREAM);
	call_begin(&outer);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(launching.depth, 1);
	call_end(&outer, CUDA_SUCCESS);
	assert_int_equal(published(), before);
	assert_int_equal(counted(&kernels[0]), 1);
	assert_int_equal(counted(&kernels[1]), 0);
	assert_int_equal(calls_of_row(LAUNCH_ROW), 1);
}

static void a_launch_by_the_runtime_is_counted_in_the_runtimes_row(void **state)
{
	unsigned from_runtime = API_FROM_RUNTIME(ENTRY_cuLaunchKernel);
	struct call call;

	(void)state;
	/* The runtime function's wrapper passes it on. */
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	describe_launch(&call, KERNEL, STREAM);
	call.record.api = (uint16_t)from_runtime;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(calls_of_row(API_RUNTIME(RUNTIME_cudaLaunchKernel)), 1);
	assert_int_equal(calls_of_row(from_runtime), 0);
	/* The next one was called without it. */
	describe_launch(&call, KERNEL, STREAM);
	call.record.api = (uint16_t)from_runtime;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(calls_of_row(from_runtime), 1);
	/* Inside a runtime call that is timed, that one's wrapper counts it. */
	assert_true(runtime_call_begin(RUNTIME_cudaLaunchKernel));
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(calls_of_row(from_runtime), 1);
	assert_true(runtime_call.counted);
	runtime_call_end(true, 0);
	assert_int_equal(calls_of_row(API_RUNTIME(RUNTIME_cudaLaunchKernel)), 2);
	assert_int_equal(counted(&kernels[0]), 3);
}

static void a_kernel_is_looked_up_again_once_a_module_was_unloaded(void **state)
{
	unsigned before = published();

	(void)state;
	atomic_fetch_add(&operation_generation, 1);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(asked.operations, 3);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->flags, CALL_FIRST);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(asked.operations, 3);
	assert_int_equal(published(), before + 1);
	/* A count-only launch of another kernel is remembered as the last one. */
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_ptr_equal(launching.last_operation, &kernels[1]);
	assert_ptr_equal(launching.last_function, OTHER_KERNEL);
	assert_ptr_equal(launching.last_stream, STREAM);
	assert_int_equal(launching.last_generation, 2);
}

#define IN_THREAD(test) cmocka_unit_test_setup_teardown(test, start_sampled_out, launch_path_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_THREAD(a_launch_without_a_pair_is_counted_and_leaves_no_record),
		IN_THREAD(each_32nd_launch_leaves_a_record_that_stands_for_the_others),
		IN_THREAD(a_launch_that_the_draw_chose_gets_a_pair_and_a_record),
		IN_THREAD(a_call_that_is_no_launch_leaves_a_record),
		IN_THREAD(a_kernel_beyond_the_counters_leaves_a_record),
		IN_THREAD(while_anything_needs_records_each_launch_leaves_one),
		IN_THREAD(a_count_only_launch_that_fails_leaves_a_record),
		IN_THREAD(launches_inside_a_wrapped_call_are_part_of_it),
		IN_THREAD(a_launch_by_the_runtime_is_counted_in_the_runtimes_row),
		IN_THREAD(a_kernel_is_looked_up_again_once_a_module_was_unloaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
