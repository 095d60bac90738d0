/* SPDX-License-Identifier: MIT */
/* What a thread does when it meets a stream, a kernel, a graph or a context for the first time. */
#include "preload/base/clock.h"
#include "tests/unit/launch_path.h"

#include <errno.h>
#include <time.h>

#include "preload/base/lifecycle_state.h"
#include "preload/base/settings.h"
#include "preload/handles/capture.h"
#include "preload/launch/cold_path.h"

static struct timespec now;

/* In place of the kernel's: a second goes by with each reading of the monotonic clock. */
int clock_read(clockid_t clock, struct timespec *time)
{
	if (clock == CLOCK_MONOTONIC)
		now.tv_sec++;
	*time = now;
	return 0;
}

static void the_first_call_of_a_thread_starts_ktime(void **state)
{
	(void)state;
	thread_self = NULL;
	atomic_store(&lifecycle_state, LIFECYCLE_IDLE);
	asked.starts_up = true;
	errno = 5;
	assert_ptr_equal(cold_path_thread(), &launching);
	assert_int_equal(errno, 5);
	assert_int_equal(asked.starts, 1);
	assert_int_equal(asked.work, 1);
	assert_int_equal(asked.threads, 1);
	/* The next thread's does not. */
	assert_ptr_equal(cold_path_thread(), &launching);
	assert_int_equal(asked.starts, 1);
	assert_int_equal(asked.work, 2);
	/* ktime could not start. */
	atomic_store(&lifecycle_state, LIFECYCLE_IDLE);
	asked.starts_up = false;
	assert_null(cold_path_thread());
	assert_int_equal(asked.work, 2);
	assert_int_equal(asked.threads, 2);
}

static void a_thread_parks_for_three_seconds_at_most(void **state)
{
	time_t before = now.tv_sec;

	(void)state;
	atomic_store(&lifecycle_state, LIFECYCLE_ENDING);
	errno = 5;
	cold_path_park();
	assert_int_equal(errno, 5);
	assert_int_equal(now.tv_sec - before, 4);
	before = now.tv_sec;
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	cold_path_park();
	assert_int_equal(now.tv_sec - before, 1);
}

static void calls_park_once_a_signal_ends_the_process(void **state)
{
	time_t before = now.tv_sec;

	(void)state;
	count_only_block(1);
	atomic_store(&lifecycle_state, LIFECYCLE_ENDING);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(now.tv_sec - before, 4);
	/* Not one inside another, whose lock the driver may hold. */
	launching.in_progress = 1;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(now.tv_sec - before, 4);
	launching.in_progress = 0;
	thread_self = NULL;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(now.tv_sec - before, 8);
	assert_int_equal(published(), 0);
	assert_int_equal(asked.threads, 0);
	count_only_block(-1);
}

static void work_after_the_report_is_told(void **state)
{
	struct call call;

	(void)state;
	thread_self = NULL;
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	launch_kernel(KERNEL, STREAM, CUDA_ERROR_DEINITIALIZED);
	describe_launch(&call, KERNEL, STREAM);
	call.record.flags |= CALL_API_ONLY;
	call_begin(&call, NULL);
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(asked.late, 0);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(asked.late, 1);
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(asked.late, 1);
}

static void a_stream_is_looked_up_once_and_has_its_ids_asked_for(void **state)
{
	(void)state;
	atomic_store(&mode_cupti, true);
	assert_ptr_equal(cold_path_stream(&launching, STREAM), &streams[0]);
	assert_true(launching.took_cold_path);
	assert_int_equal(launching.overhead_left, 0);
	assert_int_equal(asked.streams_used, 1);
	assert_true(atomic_load(&streams[0].cupti_known));
	assert_int_equal(atomic_load(&streams[0].cupti_stream), 6);
	assert_int_equal(atomic_load(&the_context.cupti_context), 5);
	assert_ptr_equal(asked.last_stream, STREAM);
	assert_false(asked.per_thread);
	assert_int_equal(launching.streams.used, 1);
	/* The context's id is known, and then the stream's. */
	assert_ptr_equal(cold_path_stream(&launching, OTHER_STREAM), &streams[1]);
	assert_int_equal(asked.cupti_contexts, 1);
	assert_int_equal(asked.cupti_streams, 2);
	atomic_fetch_add(&stream_generation, 1);
	assert_ptr_equal(cold_path_stream(&launching, STREAM), &streams[0]);
	assert_int_equal(asked.cupti_streams, 2);
	assert_int_equal(launching.streams.used, 1);
}

static void ids_are_not_asked_for_without_cupti_or_amid_a_capture(void **state)
{
	(void)state;
	cold_path_stream(&launching, STREAM);
	atomic_store(&mode_cupti, true);
	capture_begins();
	cold_path_stream(&launching, STREAM);
	capture_ended(CUDA_SUCCESS);
	assert_int_equal(asked.cupti_contexts, 0);
	asked.cupti_fails = -EINVAL;
	cold_path_stream(&launching, STREAM);
	assert_int_equal(asked.cupti_contexts, 1);
	assert_int_equal(asked.cupti_streams, 0);
	assert_int_equal(atomic_load(&the_context.cupti_context), 0);
	atomic_store(&the_context.cupti_context, 9);
	cold_path_stream(&launching, STREAM);
	assert_int_equal(asked.cupti_contexts, 1);
	assert_int_equal(asked.cupti_streams, 1);
	assert_false(atomic_load(&streams[0].cupti_known));
	assert_int_equal(atomic_load(&streams[0].cupti_stream), 0);
	assert_int_equal(atomic_load(&the_context.cupti_context), 9);
}

static void unknown_streams_are_not_remembered(void **state)
{
	(void)state;
	assert_null(cold_path_stream(&launching, UNKNOWN_STREAM));
	assert_int_equal(asked.streams_used, 0);
	/* A default stream without a context. */
	asked.current = NULL;
	assert_null(cold_path_stream(&launching, CU_STREAM_LEGACY));
	assert_null(cold_path_stream(&launching, CU_STREAM_PER_THREAD));
	assert_int_equal(asked.streams, 1);
	assert_int_equal(launching.streams.used, 0);
	assert_true(launching.took_cold_path);
}

static void each_thread_has_one_default_stream_a_context(void **state)
{
	(void)state;
	atomic_store(&mode_cupti, true);
	streams[0].handle = streams[1].handle = CU_STREAM_PER_THREAD;
	streams[1].context = &other_context;
	assert_ptr_equal(cold_path_stream(&launching, CU_STREAM_PER_THREAD), &streams[0]);
	assert_true(asked.per_thread);
	assert_ptr_equal(launching.default_streams, &streams[0]);
	assert_int_equal(launching.streams.used, 1);
	atomic_store(&mode_cupti, false);
	asked.current = other_context.handle;
	assert_ptr_equal(cold_path_stream(&launching, CU_STREAM_PER_THREAD), &streams[1]);
	assert_ptr_equal(launching.default_streams, &streams[1]);
	assert_ptr_equal(streams[1].next, &streams[0]);
	assert_int_equal(asked.streams, 2);
	/* It stays the same when the thread has forgotten its streams. */
	atomic_fetch_add(&stream_generation, 1);
	asked.current = the_context.handle;
	assert_ptr_equal(cold_path_stream(&launching, CU_STREAM_PER_THREAD), &streams[0]);
	assert_int_equal(asked.streams, 2);
	/* Another context may get the handle of one that has ended. */
	atomic_store(&the_context.ended, true);
	streams[0].handle = NULL;
	assert_null(cold_path_stream(&launching, CU_STREAM_PER_THREAD));
	assert_int_equal(asked.streams, 3);
	assert_ptr_equal(launching.default_streams, &streams[1]);
}

static void the_key_of_a_default_stream_is_its_contexts(void **state)
{
	CUcontext current;

	(void)state;
	assert_int_equal(stream_key(CU_STREAM_LEGACY, &current), 0x4001);
	assert_ptr_equal(current, the_context.handle);
	assert_int_equal(stream_key(CU_STREAM_PER_THREAD, &current), 0x4002);
	assert_int_equal(asked.contexts, 2);
	assert_int_equal(stream_key(STREAM, &current), (uintptr_t)STREAM);
	assert_null(current);
	assert_int_equal(asked.contexts, 2);
	asked.current = NULL;
	assert_int_equal(stream_key(CU_STREAM_LEGACY, &current), 0);
}

static void kernels_and_graphs_are_remembered_apart(void **state)
{
	(void)state;
	assert_ptr_equal(cold_path_operation(&launching, KERNEL, NULL), &kernels[0]);
	assert_true(launching.took_cold_path);
	assert_ptr_equal(pointer_map_find(&launching.kernels, (uintptr_t)KERNEL, 1), &kernels[0]);
	assert_ptr_equal(cold_path_operation(&launching, NULL, GRAPH), &graph_operations[0]);
	assert_ptr_equal(pointer_map_find(&launching.graphs, (uintptr_t)GRAPH, 1),
			 &graph_operations[0]);
	assert_int_equal(launching.kernels.used, 1);
	assert_int_equal(launching.graphs.used, 1);
	assert_int_equal(asked.graphs_launched, 1);
}

static void a_pool_is_entered_once_a_context(void **state)
{
	(void)state;
	launching.overhead_left = 7;
	assert_ptr_equal(cold_path_pool(&launching, &the_context), &pool);
	assert_true(launching.took_cold_path);
	assert_int_equal(launching.overhead_left, 0);
	assert_ptr_equal(launching.last_pool, &pool);
	launching.took_cold_path = false;
	launching.last_pool = NULL;
	assert_ptr_equal(cold_path_pool(&launching, &the_context), &pool);
	assert_ptr_equal(launching.last_pool, &pool);
	assert_false(launching.took_cold_path);
	assert_int_equal(asked.pools, 1);
	asked.has_no_pool = true;
	assert_null(cold_path_pool(&launching, &other_context));
	assert_null(launching.last_pool);
	assert_int_equal(asked.pools, 2);
}

#define IN_THREAD(test) cmocka_unit_test_setup_teardown(test, launch_path_start, launch_path_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_THREAD(the_first_call_of_a_thread_starts_ktime),
		IN_THREAD(a_thread_parks_for_three_seconds_at_most),
		IN_THREAD(calls_park_once_a_signal_ends_the_process),
		IN_THREAD(work_after_the_report_is_told),
		IN_THREAD(a_stream_is_looked_up_once_and_has_its_ids_asked_for),
		IN_THREAD(ids_are_not_asked_for_without_cupti_or_amid_a_capture),
		IN_THREAD(unknown_streams_are_not_remembered),
		IN_THREAD(each_thread_has_one_default_stream_a_context),
		IN_THREAD(the_key_of_a_default_stream_is_its_contexts),
		IN_THREAD(kernels_and_graphs_are_remembered_apart),
		IN_THREAD(a_pool_is_entered_once_a_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
