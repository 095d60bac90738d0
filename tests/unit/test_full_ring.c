/* SPDX-License-Identifier: MIT */
/* Calls that find their thread's ring full. */
#include "tests/unit/launch_path.h"

#include "preload/handles/capture.h"
#include "preload/launch/runtime_call.h"
#include "preload/launch/window.h"

#define RUNTIME_ROW API_RUNTIME(RUNTIME_cudaLaunchKernel)

static uint64_t calls_of_row(unsigned api)
{
	return atomic_load(&launching.api_calls[api]);
}

/* The thread knows KERNEL, which has a pair for each launch, and its ring is full. */
static int start_full(void **state)
{
	launch_path_start(state);
	the_context.device = 3;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	pool.spare = &pair;
	asked.events = 0;
	atomic_store(&launching.ring_tail, published() - RING_RECORDS);
	launching.ring.known_tail = published() - RING_RECORDS;
	return 0;
}

static void lose(uint8_t flags, CUresult result)
{
	struct call call;

	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	call.record.flags = flags;
	make_call(&call, result);
	assert_null(call.slot);
}

static void a_call_without_room_is_counted_as_lost(void **state)
{
	unsigned before = published();

	(void)state;
	lose(0, CUDA_SUCCESS);
	assert_int_equal(published(), before);
	assert_int_equal(atomic_load(&kernels[0].lost[3]), 1);
	assert_int_equal(atomic_load(&kernels[0].lost_outside[3]), 0);
	assert_int_equal(atomic_load(&operation_lost_calls), 1);
	assert_int_equal(calls_of_row(LAUNCH_ROW), 1);
	assert_int_equal(asked.events, 0);
	assert_int_equal(atomic_load(&launching.in_call), 0);
	/* What did nothing on the device is a call, and no operation that is lost. */
	lose(0, CUDA_ERROR_INVALID_VALUE);
	lose(CALL_API_ONLY, CUDA_SUCCESS);
	capture_begins();
	asked.stream_is_capturing = true;
	lose(0, CUDA_SUCCESS);
	capture_ended(CUDA_SUCCESS);
	assert_int_equal(atomic_load(&operation_lost_calls), 1);
	assert_int_equal(atomic_load(&kernels[0].lost[3]), 1);
	assert_int_equal(calls_of_row(LAUNCH_ROW), 4);
	/* Outside the window no API call is counted. */
	atomic_store(&window_open, false);
	lose(0, CUDA_SUCCESS);
	assert_int_equal(atomic_load(&kernels[0].lost[3]), 1);
	assert_int_equal(atomic_load(&kernels[0].lost_outside[3]), 1);
	assert_int_equal(atomic_load(&operation_lost_calls), 2);
	assert_int_equal(calls_of_row(LAUNCH_ROW), 4);
	/* In a runtime call that is timed, that one's wrapper counts it. */
	atomic_store(&window_open, true);
	begin_runtime_call(RUNTIME_cudaLaunchKernel);
	lose(0, CUDA_SUCCESS);
	runtime_call_end(begun, 0);
	assert_int_equal(calls_of_row(LAUNCH_ROW), 4);
	assert_int_equal(calls_of_row(RUNTIME_ROW), 1);
}

static void a_call_whose_room_comes_while_it_runs_has_a_record(void **state)
{
	unsigned before = published();
	struct call call;

	(void)state;
	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	call_begin(&call, NULL);
	assert_null(call.slot);
	atomic_fetch_add(&launching.ring_tail, 1);
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->untimed, UNTIMED_RING_FULL);
	assert_int_equal(last_record()->flags, 0);
	assert_null(last_record()->pair);
	assert_int_equal(atomic_load(&operation_lost_calls), 0);
}

#define IN_THREAD(test) cmocka_unit_test_setup_teardown(test, start_full, launch_path_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_THREAD(a_call_without_room_is_counted_as_lost),
		IN_THREAD(a_call_whose_room_comes_while_it_runs_has_a_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
