/* SPDX-License-Identifier: MIT */
/* What a call leaves in its record: stream, operation, times, flags, and why it has no pair. */
#include "tests/unit/launch_path.h"

#include <errno.h>

#include "preload/base/lifecycle_state.h"
#include "preload/base/own_part.h"
#include "preload/base/settings.h"
#include "preload/handles/capture.h"
#include "preload/launch/describe.h"
#include "preload/launch/window.h"

static void a_first_launch_finds_its_stream_and_kernel(void **state)
{
	struct call call;

	(void)state;
	ticks_a_reading = 7;
	describe_launch(&call, KERNEL, STREAM);
	errno = 5;
	call_begin(&call, NULL);
	assert_int_equal(errno, 5);
	assert_int_equal(atomic_load(&launching.in_call), call.entered);
	assert_int_equal(call.entered, 1000007);
	assert_ptr_equal(call.slot, &launching.records[0]);
	assert_int_equal(published(), 0);
	ticks += CALL_TICKS;
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(errno, 5);
	assert_int_equal(atomic_load(&launching.in_call), 0);
	assert_int_equal(published(), 1);
	assert_int_equal(last_record()->flags, CALL_FIRST);
	assert_ptr_equal(last_record()->stream, &streams[0]);
	assert_ptr_equal(last_record()->operation, &kernels[0]);
	assert_int_equal(last_record()->started, call.entered);
	assert_int_equal(last_record()->duration, CALL_TICKS + 7);
	assert_int_equal(last_record()->api, LAUNCH_ROW);
	assert_int_equal(asked.streams_used, 1);
	/* A launch again: nothing is looked up. */
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(asked.streams, 1);
	assert_int_equal(asked.operations, 1);
}

static void a_timed_call_has_its_events_around_it_and_starts_after_the_first(void **state)
{
	struct call call;

	(void)state;
	asked.stream_is_known = true;
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	asked.events = 0;
	pool.spare = &pair;
	ticks_a_reading = 10;
	describe_launch(&call, OTHER_KERNEL, STREAM);
	call.countable = false;
	call_begin(&call, NULL);
	assert_int_equal(asked.events, 1);
	assert_ptr_equal(asked.last_event, pair.start);
	assert_int_equal(call.record.started, call.entered + 10);
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(asked.events, 2);
	assert_ptr_equal(asked.last_event, pair.end);
	assert_ptr_equal(last_record()->pair, &pair);
	assert_int_equal(last_record()->duration, 10);
}

/* Why a call of KERNEL on STREAM gets no pair. */
static enum untimed_reason reason(void)
{
	struct call call;

	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	pool.spare = &pair;
	make_call(&call, CUDA_SUCCESS);
	return last_record()->pair ? UNTIMED_COUNT : last_record()->untimed;
}

static void a_call_without_a_pair_says_why(void **state)
{
	struct call call;

	(void)state;
	asked.stream_is_known = true;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(reason(), UNTIMED_COUNT);
	mode_events = false;
	assert_int_equal(reason(), UNTIMED_EVENTS_OFF);
	mode_events = true;
	the_context.reported = false;
	assert_int_equal(reason(), UNTIMED_EVENTS_OFF);
	the_context.reported = true;
	atomic_store(&the_context.ended, true);
	assert_int_equal(reason(), UNTIMED_CONTEXT_LOST);
	atomic_store(&the_context.ended, false);
	atomic_store(&the_context.has_pools, true);
	assert_int_equal(reason(), UNTIMED_COUNT);
	atomic_store(&kernels[0].sample_below, 0);
	assert_int_equal(reason(), UNTIMED_SAMPLED_OUT);
	atomic_store(&kernels[0].sample_below, SAMPLE_ALL);
	atomic_store(&kernels[0].followed, true);
	assert_int_equal(reason(), UNTIMED_DEPENDENT);
	atomic_store(&kernels[0].followed, false);
	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	call.dependent = true;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->untimed, UNTIMED_DEPENDENT);
	assert_null(last_record()->pair);
}

static void a_dependent_launch_marks_the_one_ahead_in_its_stream(void **state)
{
	struct call call;

	(void)state;
	launch_kernel(OTHER_KERNEL, OTHER_STREAM, CUDA_SUCCESS);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	describe_launch(&call, OTHER_KERNEL, OTHER_STREAM);
	call.dependent = true;
	call.countable = false;
	make_call(&call, CUDA_SUCCESS);
	assert_false(atomic_load(&kernels[0].followed));
	assert_false(atomic_load(&kernels[1].followed));
	make_call(&call, CUDA_SUCCESS);
	assert_true(atomic_load(&kernels[1].followed));
	assert_false(atomic_load(&kernels[0].followed));
	/* One that depends on nothing marks none. */
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_false(atomic_load(&kernels[0].followed));
}

static void a_first_launch_gets_its_pairs_made_under_cupti(void **state)
{
	(void)state;
	asked.stream_is_known = true;
	atomic_store(&mode_cupti, true);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->untimed, UNTIMED_FIRST_LAUNCH);
	assert_int_equal(asked.pools, 1);
	assert_ptr_equal(launching.last_pool, &pool);
	assert_int_equal(asked.events, 0);
	/* A known kernel makes none. */
	launching.pools = launching.last_pool = NULL;
	atomic_store(&kernels[1].sample_below, 0);
	count_only_block(1);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->untimed, UNTIMED_SAMPLED_OUT);
	assert_int_equal(asked.pools, 1);
	/* Nor one that is captured, or that CUPTI does not time. */
	capture_begins();
	asked.stream_is_capturing = true;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_FIRST | CALL_CAPTURED);
	assert_int_equal(asked.pools, 1);
	count_only_block(-2);
}

static void without_cupti_a_first_launch_has_a_pair(void **state)
{
	(void)state;
	asked.stream_is_known = true;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_ptr_equal(last_record()->pair, &pair);
	assert_int_equal(last_record()->flags, CALL_FIRST);
	assert_int_equal(asked.events, 2);
	assert_int_equal(pair.sampled_below, SAMPLE_ALL);
}

static void captured_calls_are_told_apart(void **state)
{
	(void)state;
	capture_begins();
	asked.stream_is_capturing = true;
	/* The stream is known after the call alone. */
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_FIRST | CALL_CAPTURED);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_CAPTURED);
	assert_int_equal(last_record()->untimed, UNTIMED_NO_EVENT);
	assert_int_equal(asked.events, 0);
	/* Another stream captures. */
	asked.stream_is_capturing = false;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, 0);
	assert_int_equal(asked.events, 2);
	capture_ended(CUDA_SUCCESS);
}

static void outside_the_window_a_call_gets_no_events(void **state)
{
	(void)state;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	atomic_store(&window_open, false);
	count_only_block(1);
	asked.events = 0;
	pool.spare = &pair;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_OUTSIDE_WINDOW);
	assert_ptr_equal(last_record()->stream, &streams[0]);
	assert_int_equal(last_record()->untimed, UNTIMED_NO_EVENT);
	assert_int_equal(asked.events, 0);
	count_only_block(-1);
}

static void outside_the_window_captured_calls_are_told_apart_too(void **state)
{
	(void)state;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	atomic_store(&window_open, false);
	capture_begins();
	asked.stream_is_capturing = true;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_OUTSIDE_WINDOW | CALL_CAPTURED);
	asked.stream_is_capturing = false;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_OUTSIDE_WINDOW);
	capture_ended(CUDA_SUCCESS);
}

static void a_call_without_operation_looks_nothing_up(void **state)
{
	struct call call;

	(void)state;
	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	call.record.flags = CALL_API_ONLY;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_API_ONLY);
	assert_null(last_record()->stream);
	assert_null(last_record()->pair);
	assert_null(last_record()->operation);
	assert_int_equal(last_record()->duration, CALL_TICKS);
	assert_int_equal(asked.streams + asked.operations, 0);
	assert_null(launching.last_function);
	/* A launch that failed: neither handle is used. */
	launch_kernel(KERNEL, UNKNOWN_STREAM, CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(last_record()->flags, CALL_FAILED);
	assert_int_equal(asked.streams + asked.operations, 0);
}

static uint8_t flags_of_copy(enum row_kind kind, uint8_t flags, uint64_t bytes)
{
	struct call call;

	describe_launch(&call, NULL, STREAM);
	call.countable = false;
	call.record.operation = &fixed[OPERATION_COPY_HTOD];
	fixed[OPERATION_COPY_HTOD].kind = kind;
	call.record.flags = flags;
	call.record.bytes = bytes;
	make_call(&call, CUDA_SUCCESS);
	return last_record()->flags;
}

static void an_empty_copy_is_no_operation(void **state)
{
	(void)state;
	assert_int_equal(flags_of_copy(ROW_MEMCPY, CALL_NO_ACTIVITY, 0),
			 CALL_NO_ACTIVITY | CALL_API_ONLY);
	assert_int_equal(flags_of_copy(ROW_MEMCPY, CALL_NO_ACTIVITY, 1), CALL_NO_ACTIVITY);
	assert_int_equal(flags_of_copy(ROW_MEMCPY, 0, 0), 0);
	assert_int_equal(flags_of_copy(ROW_OTHER, CALL_NO_ACTIVITY, 0), CALL_NO_ACTIVITY);
	assert_int_equal(flags_of_copy(ROW_MOVEMENT, CALL_NO_ACTIVITY, 0), CALL_NO_ACTIVITY);
	/* A copy is no kernel that the thread would know again. */
	assert_null(launching.last_function);
	assert_ptr_equal(launching.last_operation, &fixed[OPERATION_COPY_HTOD]);
	assert_ptr_equal(launching.last_stream, STREAM);
	assert_int_equal(asked.operations, 0);
}

static void graphs_are_known_by_their_handle(void **state)
{
	struct call call;

	(void)state;
	for (int i = 0; i < 2; i++) {
		describe_launch(&call, NULL, STREAM);
		call.countable = false;
		call.graph = GRAPH;
		make_call(&call, CUDA_SUCCESS);
		assert_ptr_equal(last_record()->operation, &graph_operations[0]);
	}
	assert_int_equal(asked.operations, 1);
	assert_int_equal(launching.graphs.used, 1);
	assert_int_equal(launching.kernels.used, 0);
}

static void a_stream_is_asked_for_before_the_call_only_if_it_is_safe(void **state)
{
	struct call call;

	(void)state;
	describe_launch(&call, KERNEL, STREAM);
	call_begin(&call, NULL);
	assert_null(call.record.stream);
	assert_int_equal(asked.known_streams, 1);
	assert_int_equal(asked.streams, 0);
	call_end(&call, CUDA_SUCCESS);
	assert_ptr_equal(last_record()->stream, &streams[0]);
	/* The default stream of the current context. */
	streams[1].handle = CU_STREAM_LEGACY;
	describe_launch(&call, KERNEL, NULL);
	call.countable = false;
	call_begin(&call, NULL);
	assert_ptr_equal(call.record.stream, &streams[1]);
	call_end(&call, CUDA_SUCCESS);
	/* Without a context there is none. */
	asked.current = NULL;
	call_begin(&call, NULL);
	assert_null(call.record.stream);
	call_end(&call, CUDA_ERROR_INVALID_CONTEXT);
	/* A stream has ended somewhere: each is looked up again. */
	atomic_fetch_add(&stream_generation, 1);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_ptr_equal(last_record()->stream, &streams[0]);
	assert_int_equal(asked.streams, 3);
}

static void a_thread_that_ktime_does_not_know_enters_while_it_runs(void **state)
{
	struct call call;

	(void)state;
	thread_self = NULL;
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	describe_launch(&call, KERNEL, STREAM);
	make_call(&call, CUDA_SUCCESS);
	assert_null(call.thread);
	assert_int_equal(asked.threads, 0);
	assert_int_equal(published(), 0);
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	make_call(&call, CUDA_SUCCESS);
	assert_ptr_equal(call.thread, &launching);
	assert_int_equal(asked.threads, 1);
	assert_int_equal(asked.work, 1);
	assert_int_equal(published(), 1);
	assert_int_equal(launching.in_progress, 0);
	/* Once ktime has ended, what runs keeps its record to itself. */
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	count_only_block(1);
	make_call(&call, CUDA_SUCCESS);
	assert_null(call.thread);
	assert_int_equal(published(), 1);
	count_only_block(-1);
}

#define IN_THREAD(test) cmocka_unit_test_setup_teardown(test, launch_path_start, launch_path_end)

/* The calls inside have published records, in the slot that the outer one had. */
static void a_call_inside_of_another_leaves_a_record_of_its_own(void **state)
{
	unsigned before = published();
	struct call outer, inner;

	(void)state;
	describe_launch(&outer, KERNEL, STREAM);
	describe_launch(&inner, OTHER_KERNEL, STREAM);
	call_begin(&outer, NULL);
	make_call(&inner, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_ptr_equal(last_record()->operation, &kernels[1]);
	assert_null(last_record()->pair);
	call_end(&outer, CUDA_SUCCESS);
	assert_int_equal(published(), before + 2);
	assert_ptr_equal(last_record()->operation, &kernels[0]);
	assert_int_equal(launching.in_progress, 0);
	assert_int_equal(atomic_load(&launching.in_call), 0);
	/* One that the driver makes is part of its own call. */
	call_begin(&outer, NULL);
	call_begin(&inner, (const void *)driver_contains);
	call_end(&inner, CUDA_SUCCESS);
	call_end(&outer, CUDA_SUCCESS);
	assert_int_equal(published(), before + 3);
	assert_ptr_equal(last_record()->operation, &kernels[0]);
}

static void after_a_call_that_never_returns_each_call_leaves_a_record(void **state)
{
	unsigned before = published();
	struct call left, call;

	(void)state;
	describe_launch(&left, KERNEL, STREAM);
	call_begin(&left, NULL);
	for (int i = 1; i <= 3; i++) {
		describe_launch(&call, OTHER_KERNEL, STREAM);
		make_call(&call, CUDA_SUCCESS);
		assert_int_equal(published(), before + i);
		assert_ptr_equal(last_record()->operation, &kernels[1]);
		assert_int_equal(launching.in_progress, 0);
	}
}

/* ktime's part may hold a lock, or be amid a change of what the thread keeps. */
static void a_call_inside_of_ktimes_part_is_counted_and_no_more(void **state)
{
	unsigned before;
	struct call outer, inner;
	uintptr_t around;

	(void)state;
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	before = published();
	describe_launch(&outer, KERNEL, STREAM);
	describe_launch(&inner, OTHER_KERNEL, STREAM);
	call_begin(&outer, NULL);
	around = own_part_begin();
	make_call(&inner, CUDA_SUCCESS);
	own_part_end(around);
	assert_int_equal(published(), before);
	assert_int_equal(atomic_load(&kernels[1].lost[0]), 1);
	call_end(&outer, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_ptr_equal(last_record()->operation, &kernels[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_THREAD(a_call_inside_of_another_leaves_a_record_of_its_own),
		IN_THREAD(after_a_call_that_never_returns_each_call_leaves_a_record),
		IN_THREAD(a_call_inside_of_ktimes_part_is_counted_and_no_more),
		IN_THREAD(a_first_launch_finds_its_stream_and_kernel),
		IN_THREAD(a_timed_call_has_its_events_around_it_and_starts_after_the_first),
		IN_THREAD(a_call_without_a_pair_says_why),
		IN_THREAD(a_dependent_launch_marks_the_one_ahead_in_its_stream),
		IN_THREAD(a_first_launch_gets_its_pairs_made_under_cupti),
		IN_THREAD(without_cupti_a_first_launch_has_a_pair),
		IN_THREAD(captured_calls_are_told_apart),
		IN_THREAD(outside_the_window_a_call_gets_no_events),
		IN_THREAD(outside_the_window_captured_calls_are_told_apart_too),
		IN_THREAD(a_call_without_operation_looks_nothing_up),
		IN_THREAD(an_empty_copy_is_no_operation),
		IN_THREAD(graphs_are_known_by_their_handle),
		IN_THREAD(a_stream_is_asked_for_before_the_call_only_if_it_is_safe),
		IN_THREAD(a_thread_that_ktime_does_not_know_enters_while_it_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
