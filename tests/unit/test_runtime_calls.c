/* SPDX-License-Identifier: MIT */
/* What a runtime call and the driver calls inside leave together. */
#include "tests/unit/launch_path.h"

#include "preload/base/lifecycle_state.h"
#include "preload/base/settings.h"
#include "preload/launch/runtime_call.h"
#include "preload/launch/window.h"

#define RUNTIME_ROW API_RUNTIME(RUNTIME_cudaLaunchKernel)
#define INNER_ROW   API_FROM_RUNTIME(ENTRY_cuLaunchKernel)

static uint64_t calls_of_row(unsigned api)
{
	return atomic_load(&launching.api_calls[api]);
}

static int start_known(void **state)
{
	launch_path_start(state);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	atomic_store(&kernels[0].sample_below, 0);
	count_only_block(1);
	return 0;
}

static void a_runtime_call_gives_its_record_its_own_name_and_time(void **state)
{
	unsigned before = published();
	struct call call;

	(void)state;
	ticks_a_reading = 3;
	begin_runtime_call(RUNTIME_cudaLaunchKernel);
	describe_launch(&call, KERNEL, STREAM);
	make_call(&call, CUDA_SUCCESS);
	/* It is not the collector's yet, and the thread is still in a call. */
	assert_int_equal(published(), before);
	assert_int_not_equal(atomic_load(&launching.in_call), 0);
	runtime_call_end(begun + 1, 0);
	assert_int_equal(published(), before);
	/* From the end of the driver call to that of ktime's part of it. */
	assert_int_equal(runtime_call.overhead, 3);
	runtime_call_end(begun, 0);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->api, RUNTIME_ROW);
	assert_int_equal(last_record()->started, 1000000 + CALL_TICKS + 3);
	assert_int_equal(last_record()->duration, CALL_TICKS + 5 * 3 - 3);
	assert_ptr_equal(last_record()->operation, &kernels[0]);
	assert_int_equal(atomic_load(&launching.in_call), 0);
}

static void of_two_driver_calls_in_a_runtime_call_the_last_gets_its_name(void **state)
{
	unsigned before = published();
	struct call call;

	(void)state;
	begin_runtime_call(RUNTIME_cudaLaunchKernel);
	describe_launch(&call, KERNEL, STREAM);
	make_call(&call, CUDA_SUCCESS);
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->api, API_NONE);
	runtime_call_end(begun, 0);
	assert_int_equal(published(), before + 2);
	assert_int_equal(last_record()->api, RUNTIME_ROW);
	/* So too if the last could have been count-only, and failed. */
	count_only_block(-1);
	begin_runtime_call(RUNTIME_cudaLaunchKernel);
	call.countable = false;
	make_call(&call, CUDA_SUCCESS);
	call.countable = true;
	make_call(&call, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(published(), before + 3);
	runtime_call_end(begun, 1);
	assert_int_equal(published(), before + 4);
	assert_int_equal(last_record()->flags, CALL_FAILED);
	assert_int_equal(last_record()->api, RUNTIME_ROW);
	count_only_block(1);
}

static void a_runtime_call_without_a_driver_call_leaves_a_record_of_itself(void **state)
{
	unsigned before = published();

	(void)state;
	begin_runtime_call(RUNTIME_cudaMemcpy);
	ticks += 500;
	runtime_call_end(begun, 0);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->flags, CALL_API_ONLY);
	assert_int_equal(last_record()->api, API_RUNTIME(RUNTIME_cudaMemcpy));
	assert_int_equal(last_record()->duration, 500);
	assert_null(last_record()->operation);
	begin_runtime_call(RUNTIME_cudaMemcpy);
	atomic_store(&window_open, false);
	runtime_call_end(begun, 1);
	assert_int_equal(last_record()->flags, CALL_API_ONLY | CALL_FAILED | CALL_OUTSIDE_WINDOW);
	/* Without room it is counted, in the window alone. */
	atomic_store(&launching.ring_tail, published() - RING_RECORDS);
	launching.ring.known_tail = published() - RING_RECORDS;
	begin_runtime_call(RUNTIME_cudaMemcpy);
	runtime_call_end(begun, 0);
	assert_int_equal(calls_of_row(API_RUNTIME(RUNTIME_cudaMemcpy)), 0);
	atomic_store(&window_open, true);
	begin_runtime_call(RUNTIME_cudaMemcpy);
	runtime_call_end(begun, 0);
	assert_int_equal(calls_of_row(API_RUNTIME(RUNTIME_cudaMemcpy)), 1);
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	begin_runtime_call(RUNTIME_cudaMemcpy);
	runtime_call_end(begun, 0);
	assert_int_equal(calls_of_row(API_RUNTIME(RUNTIME_cudaMemcpy)), 1);
	assert_int_equal(published(), before + 2);
}

static void a_launch_that_is_passed_on_is_counted_in_the_runtimes_row(void **state)
{
	struct call call;

	(void)state;
	assert_false(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	count_only_block(-1);
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	call.record.api = INNER_ROW;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->api, API_NONE);
	assert_int_equal(calls_of_row(RUNTIME_ROW), 1);
	/* One that failed is in the record alone. */
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	call.record.api = INNER_ROW;
	call.record.flags = 0;
	make_call(&call, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(last_record()->api, RUNTIME_ROW);
	assert_int_equal(last_record()->flags, CALL_FAILED);
	assert_int_equal(calls_of_row(RUNTIME_ROW), 1);
	count_only_block(1);
}

static void a_launch_that_failed_before_the_driver_leaves_its_failure(void **state)
{
	unsigned before = published();

	(void)state;
	ticks += 77;
	runtime_call_passed(RUNTIME_cudaLaunchKernel, 1);
	assert_int_equal(published(), before);
	count_only_block(-1);
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	runtime_call_passed(RUNTIME_cudaLaunchKernel, 1);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->flags, CALL_API_ONLY | CALL_FAILED);
	assert_int_equal(last_record()->api, RUNTIME_ROW);
	assert_int_equal(last_record()->started, ticks);
	assert_int_equal(runtime_call.role, RUNTIME_CALL_NONE);
	runtime_call_passed(RUNTIME_cudaLaunchKernel, 1);
	assert_int_equal(published(), before + 1);
	count_only_block(1);
}

static void when_a_launch_is_passed_on(void **state)
{
	(void)state;
	count_only_block(-1);
	launching.calls_to_count = 0;
	assert_false(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	launching.calls_to_count = 1;
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	runtime_call.role = RUNTIME_CALL_TIMES;
	assert_false(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	runtime_call.role = RUNTIME_CALL_NONE;
	launching.in_progress = 1;
	assert_false(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	launching.in_progress = 0;
	/* The first one has its time, whatever else the thread has called. */
	launching.timed_symbols = 0;
	assert_false(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	begin_runtime_call(RUNTIME_cudaMemcpy);
	runtime_call_end(begun, 0);
	assert_false(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	assert_true(runtime_call_passes_on(RUNTIME_cudaMemcpy));
	/* A copy from host to host, of which the driver knows nothing. */
	runtime_call_passed(RUNTIME_cudaMemcpy, 0);
	assert_int_equal(runtime_call.role, RUNTIME_CALL_NONE);
	assert_int_equal(last_record()->api, API_RUNTIME(RUNTIME_cudaMemcpy));
	assert_int_equal(last_record()->flags, CALL_API_ONLY);
	thread_self = NULL;
	assert_false(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	/* A thread that has made no GPU work: nothing is left. */
	begin_runtime_call(RUNTIME_cudaMemcpy);
	runtime_call_end(begun, 0);
	assert_int_equal(runtime_call.role, RUNTIME_CALL_NONE);
	count_only_block(1);
}

#define IN_THREAD(test) cmocka_unit_test_setup_teardown(test, start_known, launch_path_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_THREAD(a_runtime_call_gives_its_record_its_own_name_and_time),
		IN_THREAD(of_two_driver_calls_in_a_runtime_call_the_last_gets_its_name),
		IN_THREAD(a_runtime_call_without_a_driver_call_leaves_a_record_of_itself),
		IN_THREAD(a_launch_that_is_passed_on_is_counted_in_the_runtimes_row),
		IN_THREAD(a_launch_that_failed_before_the_driver_leaves_its_failure),
		IN_THREAD(when_a_launch_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
