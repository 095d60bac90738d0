/* SPDX-License-Identifier: MIT */
/* How long a call is said to have taken, and ktime's part of it. */
#include "tests/unit/launch_path.h"

#include "preload/base/lifecycle_state.h"
#include "preload/base/settings.h"
#include "preload/launch/call.h"
#include "preload/launch/runtime_call.h"

static int start_known(void **state)
{
	launch_path_start(state);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	atomic_store(&kernels[0].sample_below, 0);
	count_only_block(1);
	return 0;
}

static uint64_t overhead(void)
{
	return atomic_load(&launching.host_ticks);
}

static void the_first_calls_count_as_themselves_and_later_ones_for_64(void **state)
{
	(void)state;
	ticks_a_reading = 3;
	launching.overhead_taken = launching.overhead_left = 0;
	launching.took_cold_path = false;
	atomic_store(&launching.host_ticks, 0);
	for (unsigned i = 1; i <= 64; i++) {
		launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
		assert_int_equal(overhead(), i * 3);
	}
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(overhead(), 64 * 3 + 64 * 3);
	for (unsigned i = 0; i < 63; i++) {
		launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
		assert_int_equal(overhead(), 2 * 64 * 3);
	}
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(overhead(), 3 * 64 * 3);
	/* A cold path counts at once, and as itself. */
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_true(overhead() > 3 * 64 * 3);
	assert_true(overhead() < 3 * 64 * 3 + 64 * 3);
	assert_false(launching.took_cold_path);
}

static void a_wait_is_not_taken_for_overhead(void **state)
{
	(void)state;
	atomic_store(&launching.host_ticks, 0);
	thread_add_overhead(&launching, clock_some_ticks(MOST_OVERHEAD_US) + 1, 1);
	assert_int_equal(overhead(), clock_some_ticks(5));
	thread_add_overhead(&launching, clock_some_ticks(MOST_OVERHEAD_US) - 1, 2);
	assert_int_equal(overhead(), 3 * clock_some_ticks(5) - 2);
	launching.took_cold_path = true;
	thread_add_overhead(&launching, clock_some_ticks(3000), 1);
	assert_int_equal(overhead(), 3 * clock_some_ticks(5) - 2 + clock_some_ticks(2000));
	assert_false(launching.took_cold_path);
}

static void very_long_calls_have_the_longest_time_that_fits(void **state)
{
	struct call call;

	(void)state;
	describe_launch(&call, KERNEL, STREAM);
	call_begin(&call, NULL);
	ticks += UINT32_MAX;
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->duration, UINT32_MAX);
	describe_launch(&call, KERNEL, STREAM);
	call_begin(&call, NULL);
	ticks += UINT32_MAX + 5ull;
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->duration, UINT32_MAX);
	begin_runtime_call(RUNTIME_cudaMemcpy);
	ticks += UINT32_MAX + 5ull;
	runtime_call_end(begun, 0);
	assert_int_equal(last_record()->duration, UINT32_MAX);
}

static void the_time_of_a_host_call_is_recorded(void **state)
{
	unsigned before = published();
	struct timed_call calls[2];

	(void)state;
	host_call_begin(&calls[1]);
	assert_int_not_equal(launching.in_progress, 0);
	host_call_begin(&calls[0]);
	assert_null(calls[0].thread);
	host_call_end(&calls[0], 1, CUDA_SUCCESS);
	ticks += 40;
	host_call_end(&calls[1], API_DRIVER(ENTRY_cuMemAlloc_v2), CUDA_SUCCESS);
	assert_int_equal(launching.in_progress, 0);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->started, ticks - 40);
	assert_int_equal(last_record()->duration, 40);
	assert_int_equal(last_record()->flags, CALL_API_ONLY);
	assert_int_equal(last_record()->api, API_DRIVER(ENTRY_cuMemAlloc_v2));
	host_call_begin(&calls[1]);
	ticks += UINT32_MAX + 5ull;
	host_call_end(&calls[1], API_DRIVER(ENTRY_cuMemAlloc_v2), CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(last_record()->flags, CALL_API_ONLY | CALL_FAILED);
	assert_int_equal(last_record()->duration, UINT32_MAX);
	/* Without room nothing is left. */
	atomic_store(&launching.ring_tail, published() - RING_RECORDS);
	launching.ring.known_tail = published() - RING_RECORDS;
	host_call_begin(&calls[1]);
	host_call_end(&calls[1], 1, CUDA_SUCCESS);
	assert_int_equal(published(), before + 2);
	assert_int_equal(launching.in_progress, 0);
	/* Inside a runtime call, on an unknown thread and after the end none is timed. */
	begin_runtime_call(RUNTIME_cudaMemcpy);
	host_call_begin(&calls[1]);
	assert_null(calls[1].thread);
	runtime_call_end(begun, 0);
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	host_call_begin(&calls[1]);
	assert_null(calls[1].thread);
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	thread_self = NULL;
	host_call_begin(&calls[1]);
	assert_null(calls[1].thread);
}

#define IN_THREAD(test) cmocka_unit_test_setup_teardown(test, start_known, launch_path_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_THREAD(the_first_calls_count_as_themselves_and_later_ones_for_64),
		IN_THREAD(a_wait_is_not_taken_for_overhead),
		IN_THREAD(very_long_calls_have_the_longest_time_that_fits),
		IN_THREAD(the_time_of_a_host_call_is_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
