/* SPDX-License-Identifier: MIT */
/* Which launches leave a call record, and which are counted and leave none. */
#include "tests/unit/launch_path.h"

#include <string.h>

#include "preload/base/settings.h"
#include "preload/launch/call.h"
#include "preload/launch/describe.h"
#include "preload/launch/window.h"

#define INNER_ROW   API_FROM_RUNTIME(ENTRY_cuLaunchKernel)
#define GRAPH_ROW   API_DRIVER(ENTRY_cuGraphLaunch)
#define OTHER_GRAPH ((CUgraphExec)0x300)

static uint64_t counted(const struct operation *operation)
{
	return atomic_load(&launching.operation_calls[operation->index]);
}

/* The API row of an operation's count-only launches; -1 while it has none. */
static int row_of(const struct operation *operation)
{
	return atomic_load(&launching.operation_rows[operation->index]) - 1;
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
	assert_true(count_only_begin(&call));
	assert_int_equal(launching.in_progress, 1);
	assert_int_equal(atomic_load(&launching.in_call), 0);
	assert_int_equal(counted(&kernels[0]), 0);
	count_only_end(&call, CUDA_SUCCESS);
	assert_int_equal(launching.in_progress, 0);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before);
	assert_int_equal(asked.events, events);
	assert_int_equal(counted(&kernels[0]), 1);
	assert_int_equal(counted(&kernels[1]), 2);
	assert_int_equal(row_of(&kernels[0]), LAUNCH_ROW);
	assert_int_equal(row_of(&kernels[1]), LAUNCH_ROW);
	/* Neither handle was looked up again. */
	assert_int_equal(asked.operations, 2);
	assert_int_equal(asked.streams, 1);
}

static void one_launch_in_32_leaves_a_record_that_stands_for_the_others(void **state)
{
	const unsigned turns = 400;
	unsigned left[2] = {0};

	(void)state;
	/* Two kernels in turn: each has its half of the records. */
	for (unsigned i = 0; i < turns * RECORDED_CALLS; i++) {
		unsigned had = published();

		launch_kernel(i % 2 ? OTHER_KERNEL : KERNEL, STREAM, CUDA_SUCCESS);
		if (published() == had)
			continue;
		left[i % 2]++;
		assert_int_equal(last_record()->flags, CALL_STANDS_FOR_MORE);
		assert_ptr_equal(last_record()->operation, &kernels[i % 2]);
		assert_int_equal(last_record()->untimed, UNTIMED_SAMPLED_OUT);
	}
	assert_in_range(left[0], turns * 2 / 5, turns * 3 / 5);
	assert_in_range(left[1], turns * 2 / 5, turns * 3 / 5);
	assert_in_range(left[0] + left[1], turns * 9 / 10, turns * 11 / 10);
	assert_int_equal(counted(&kernels[0]) + left[0], turns * RECORDED_CALLS / 2);
	assert_int_equal(counted(&kernels[1]) + left[1], turns * RECORDED_CALLS / 2);
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
	uint16_t calls = launching.calls_to_count;
	struct call call;

	(void)state;
	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(launching.calls_to_count, calls);
	assert_int_equal(counted(&kernels[0]), 0);
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
	launching.last_function = NULL;
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
	assert_int_equal(launching.calls_to_count, RECORDED_CALLS - 3);
	count_only_block(-1);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
}

static void a_count_only_launch_that_fails_leaves_a_record(void **state)
{
	unsigned before = published();

	(void)state;
	launch_kernel(KERNEL, STREAM, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->flags, CALL_FAILED);
	assert_int_equal(last_record()->started, ticks);
	assert_int_equal(last_record()->duration, 0);
	assert_null(last_record()->stream);
	assert_null(last_record()->pair);
	assert_int_equal(last_record()->untimed, UNTIMED_NO_EVENT);
	assert_int_equal(last_record()->api, LAUNCH_ROW);
	assert_int_equal(counted(&kernels[0]), 0);
	assert_int_equal(launching.in_progress, 0);
	assert_int_equal(atomic_load(&launching.in_call), 0);
}

/* Made by the program's malloc, or after a longjmp out of the other one. */
static void a_launch_while_another_is_in_progress_leaves_a_record(void **state)
{
	unsigned before = published();
	struct call outer;

	(void)state;
	describe_launch(&outer, KERNEL, STREAM);
	assert_true(count_only_begin(&outer));
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_ptr_equal(last_record()->operation, &kernels[1]);
	count_only_end(&outer, CUDA_SUCCESS);
	assert_int_equal(launching.in_progress, 0);
	assert_int_equal(published(), before + 1);
	assert_int_equal(counted(&kernels[0]), 1);
	assert_int_equal(counted(&kernels[1]), 0);
	/* The other one's row and counter are no longer taken for the last launch's. */
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(counted(&kernels[0]), 1);
	assert_int_equal(counted(&kernels[1]), 1);
}

/* A launch of a cudart's. */
static void launch_from_runtime(CUfunction function, CUresult result)
{
	struct call call;

	describe_launch(&call, function, STREAM);
	call.record.api = INNER_ROW;
	make_call(&call, result);
}

static void a_launch_by_the_runtime_is_counted_in_the_runtimes_row(void **state)
{
	unsigned before = published();

	(void)state;
	/* The runtime function's wrapper passes it on. */
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	launch_from_runtime(KERNEL, CUDA_SUCCESS);
	assert_int_equal(runtime_call.role, RUNTIME_CALL_NONE);
	assert_int_equal(row_of(&kernels[0]), API_RUNTIME(RUNTIME_cudaLaunchKernel));
	/* The next one was called without it. */
	launch_from_runtime(OTHER_KERNEL, CUDA_SUCCESS);
	assert_int_equal(row_of(&kernels[1]), INNER_ROW);
	assert_int_equal(counted(&kernels[0]), 1);
	assert_int_equal(counted(&kernels[1]), 1);
	assert_int_equal(published(), before);
	/* One that fails is the runtime function's too. */
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	launch_from_runtime(KERNEL, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(last_record()->api, API_RUNTIME(RUNTIME_cudaLaunchKernel));
	assert_int_equal(counted(&kernels[0]), 1);
}

static void a_launch_inside_a_timed_runtime_call_leaves_a_record(void **state)
{
	unsigned before = published();

	(void)state;
	begin_runtime_call(RUNTIME_cudaLaunchKernel);
	launch_from_runtime(KERNEL, CUDA_SUCCESS);
	runtime_call_end(begun, 0);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->api, API_RUNTIME(RUNTIME_cudaLaunchKernel));
	/* So does one of the program's own in a runtime call that is passed on. */
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(runtime_call.role, RUNTIME_CALL_NONE);
	assert_int_equal(published(), before + 2);
	assert_int_equal(counted(&kernels[0]), 0);
}

static void a_kernel_is_counted_in_one_row_and_leaves_records_in_others(void **state)
{
	unsigned before = published();

	(void)state;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	launch_from_runtime(KERNEL, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->api, INNER_ROW);
	launch_from_runtime(KERNEL, CUDA_SUCCESS);
	assert_int_equal(published(), before + 2);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before + 2);
	assert_int_equal(counted(&kernels[0]), 3);
	assert_int_equal(row_of(&kernels[0]), LAUNCH_ROW);
}

static void graphs_are_counted_by_their_own_handles(void **state)
{
	struct call call;
	unsigned before;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		call_describe(&call, GRAPH_ROW, CU_STREAM_LEGACY);
		describe_graph(&call, GRAPH, STREAM);
		make_call(&call, CUDA_SUCCESS);
		if (i == 0)
			atomic_store(&graph_operations[0].sample_below, 0);
		before = i == 0 ? published() : before;
		/* A kernel in between is not taken for the graph, nor the other way around. */
		launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	}
	assert_int_equal(published(), before);
	assert_int_equal(counted(&graph_operations[0]), 2);
	assert_int_equal(row_of(&graph_operations[0]), GRAPH_ROW);
	assert_int_equal(counted(&kernels[0]), 3);
	/* A graph that is not known, right after one that is. */
	call_describe(&call, GRAPH_ROW, CU_STREAM_LEGACY);
	describe_graph(&call, GRAPH, STREAM);
	make_call(&call, CUDA_SUCCESS);
	call_describe(&call, GRAPH_ROW, CU_STREAM_LEGACY);
	describe_graph(&call, OTHER_GRAPH, STREAM);
	assert_false(count_only_begin(&call));
	assert_int_equal(counted(&graph_operations[0]), 3);
}

/* As window.c does where launches outside need no record. */
static void close_window(bool closed)
{
	atomic_store(&window_open, !closed);
	count_only_block(closed ? COUNT_ONLY_OUTSIDE : -COUNT_ONLY_OUTSIDE);
}

static uint64_t counted_outside(const struct operation *operation)
{
	return atomic_load(&launching.operation_calls[operation->index + COUNTED_OPERATIONS]);
}

static void outside_the_window_each_launch_is_counted_apart(void **state)
{
	unsigned before = published();
	uint16_t left = launching.calls_to_count;
	uint32_t random = launching.random;

	(void)state;
	atomic_store(&kernels[0].sample_below, SAMPLE_ALL);
	close_window(true);
	for (unsigned i = 0; i < 2 * RECORDED_CALLS; i++)
		launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before);
	assert_int_equal(counted_outside(&kernels[0]), 2 * RECORDED_CALLS);
	assert_int_equal(counted_outside(&kernels[1]), 1);
	assert_int_equal(counted(&kernels[0]), 0);
	/* They are in no API row, and nobody's turn comes. */
	assert_int_equal(row_of(&kernels[0]), -1);
	assert_int_equal(launching.calls_to_count, left);
	assert_int_equal(launching.random, random);
	close_window(false);
	atomic_store(&kernels[0].sample_below, 0);
	for (unsigned i = 0; i < 3; i++) {
		launch_kernel(OTHER_KERNEL, STREAM, CUDA_SUCCESS);
		launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
		launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	}
	assert_int_equal(published(), before);
	assert_int_equal(counted(&kernels[0]), 6);
	assert_int_equal(counted(&kernels[1]), 3);
	assert_int_equal(counted_outside(&kernels[0]), 2 * RECORDED_CALLS);
	assert_int_equal(launching.calls_to_count, left - 9);
}

static void a_launch_counts_on_the_side_that_it_began_on(void **state)
{
	unsigned before = published();
	struct call call;

	(void)state;
	describe_launch(&call, KERNEL, STREAM);
	for (unsigned i = 0; i < 4; i++) {
		close_window(i % 2 == 0);
		assert_true(count_only_begin(&call));
		close_window(i % 2 != 0);
		count_only_end(&call, CUDA_SUCCESS);
		close_window(i % 2 == 0);
		assert_int_equal(counted_outside(&kernels[0]), i / 2 + 1);
		assert_int_equal(counted(&kernels[0]), (i + 1) / 2);
	}
	assert_int_equal(published(), before);
}

static void outside_the_window_too_a_record_is_left_where_one_is_needed(void **state)
{
	unsigned before = published();
	struct call call;

	(void)state;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	close_window(true);
	launch_kernel(KERNEL, STREAM, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->flags, CALL_FAILED | CALL_OUTSIDE_WINDOW);
	assert_int_equal(last_record()->api, LAUNCH_ROW);
	count_only_block(1);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_int_equal(published(), before + 2);
	assert_int_equal(last_record()->flags, CALL_OUTSIDE_WINDOW);
	count_only_block(-1);
	describe_launch(&call, KERNEL, STREAM);
	launching.in_progress = 1;
	assert_false(count_only_begin(&call));
	launching.in_progress = 0;
	kernels[0].index = COUNTED_OPERATIONS;
	assert_false(count_only_begin(&call));
	assert_int_equal(counted_outside(&kernels[0]), 0);
}

static void outside_the_window_a_launch_by_the_runtime_is_passed_on(void **state)
{
	unsigned before = published();

	(void)state;
	close_window(true);
	launching.calls_to_count = 0;
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	launch_from_runtime(KERNEL, CUDA_SUCCESS);
	assert_int_equal(runtime_call.role, RUNTIME_CALL_NONE);
	assert_int_equal(published(), before);
	assert_int_equal(counted_outside(&kernels[0]), 1);
	/* One that leaves a record is in no API row either. */
	assert_true(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
	count_only_block(1);
	launch_from_runtime(KERNEL, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->flags, CALL_OUTSIDE_WINDOW);
	assert_int_equal(atomic_load(&launching.api_calls[API_RUNTIME(RUNTIME_cudaLaunchKernel)]),
			 0);
	assert_false(runtime_call_passes_on(RUNTIME_cudaLaunchKernel));
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
	assert_int_equal(launching.kernels.generation, 2);
}

#define COPY_ROW API_DRIVER(ENTRY_cuMemcpyHtoDAsync_v2)

static void copy(enum fixed_operation direction, uint64_t bytes, uint16_t row, CUresult result)
{
	struct call call;

	memset(&call, 0xaa, sizeof(call));
	call_describe(&call, row, CU_STREAM_LEGACY);
	describe_copy(&call, direction, bytes, NULL, STREAM, ASYNCHRONOUS);
	make_call(&call, result);
}

static void start_copies(void)
{
	for (unsigned i = 0; i < FIXED_OPERATION_COUNT; i++)
		atomic_store(&fixed[i].sample_below, 0);
}

static void a_copy_without_a_pair_is_counted_with_its_bytes(void **state)
{
	const struct operation *to_device = &fixed[OPERATION_COPY_HTOD];
	const struct counted_sizes *sizes = &launching.sizes[OPERATION_COPY_HTOD];
	unsigned before = published();

	(void)state;
	start_copies();
	/* A thread's first one has a record, for the time of its row. */
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->bytes, 4096);
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	/* A kernel in between is not taken for the copy, nor the other way around. */
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	copy(OPERATION_COPY_HTOD, 100, COPY_ROW, CUDA_SUCCESS);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	copy(OPERATION_COPY_HTOD, 5000, COPY_ROW, CUDA_SUCCESS);
	assert_int_equal(published(), before + 1);
	assert_int_equal(counted(to_device), 3);
	assert_int_equal(row_of(to_device), COPY_ROW);
	assert_int_equal(counted(&kernels[0]), 2);
	assert_int_equal(sizes->bytes, 9196);
	assert_int_equal(sizes->minimum, 100);
	assert_int_equal(sizes->maximum, 5000);
	assert_float_equal(sizes->squares, 4096.0 * 4096 + 100 * 100 + 5000.0 * 5000, 0);
	assert_int_equal(sizes->calls[6], 1);
	assert_int_equal(sizes->calls[12], 2);
	/* Another direction by itself. */
	copy(OPERATION_COPY_DTOH, 7, COPY_ROW, CUDA_SUCCESS);
	copy(OPERATION_COPY_DTOH, 7, COPY_ROW, CUDA_SUCCESS);
	assert_int_equal(counted(&fixed[OPERATION_COPY_DTOH]), 1);
	assert_int_equal(launching.sizes[OPERATION_COPY_DTOH].bytes, 7);
	assert_int_equal(sizes->bytes, 9196);
}

static void a_copy_that_fails_or_is_empty_leaves_a_record(void **state)
{
	unsigned before;

	(void)state;
	start_copies();
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	before = published();
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(published(), before + 1);
	assert_int_equal(last_record()->flags, CALL_FAILED);
	assert_int_equal(last_record()->api, COPY_ROW);
	copy(OPERATION_COPY_HTOD, 0, COPY_ROW, CUDA_SUCCESS);
	assert_int_equal(published(), before + 2);
	assert_int_equal(last_record()->flags, CALL_API_ONLY | CALL_NO_ACTIVITY);
	assert_int_equal(counted(&fixed[OPERATION_COPY_HTOD]), 0);
	assert_int_equal(launching.sizes[OPERATION_COPY_HTOD].bytes, 0);
}

static void outside_the_window_the_sizes_of_copies_are_not_counted(void **state)
{
	(void)state;
	start_copies();
	close_window(true);
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	assert_int_equal(counted_outside(&fixed[OPERATION_COPY_HTOD]), 2);
	assert_int_equal(launching.sizes[OPERATION_COPY_HTOD].bytes, 0);
	close_window(false);
}

static void a_pair_knows_whether_a_copy_ran_before_it(void **state)
{
	(void)state;
	start_copies();
	pool.thins = true;
	pool.pairs = 0; /* but its spare one: thins nothing */
	fixed[OPERATION_COPY_HTOD].overhead = OVERHEAD_COPY;
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	atomic_store(&kernels[0].sample_below, SAMPLE_ALL);
	for (unsigned i = 0; i < 2; i++) {
		pool.spare = &pair;
		launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
		assert_ptr_equal(last_record()->pair, &pair);
		assert_true(pair.follows);
		assert_int_equal(pair.follows_other, i == 0);
	}
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	pool.spare = &pair;
	/* The first makes the stream known. */
	launch_kernel(KERNEL, OTHER_STREAM, CUDA_SUCCESS);
	copy(OPERATION_COPY_HTOD, 4096, COPY_ROW, CUDA_SUCCESS);
	launch_kernel(KERNEL, OTHER_STREAM, CUDA_SUCCESS);
	assert_ptr_equal(last_record()->pair, &pair);
	assert_false(pair.follows);
}

#define IN_THREAD(test) cmocka_unit_test_setup_teardown(test, start_sampled_out, launch_path_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_THREAD(a_launch_without_a_pair_is_counted_and_leaves_no_record),
		IN_THREAD(one_launch_in_32_leaves_a_record_that_stands_for_the_others),
		IN_THREAD(a_launch_that_the_draw_chose_gets_a_pair_and_a_record),
		IN_THREAD(a_call_that_is_no_launch_leaves_a_record),
		IN_THREAD(a_kernel_beyond_the_counters_leaves_a_record),
		IN_THREAD(while_anything_needs_records_each_launch_leaves_one),
		IN_THREAD(a_count_only_launch_that_fails_leaves_a_record),
		IN_THREAD(a_launch_while_another_is_in_progress_leaves_a_record),
		IN_THREAD(a_launch_by_the_runtime_is_counted_in_the_runtimes_row),
		IN_THREAD(a_launch_inside_a_timed_runtime_call_leaves_a_record),
		IN_THREAD(a_kernel_is_counted_in_one_row_and_leaves_records_in_others),
		IN_THREAD(graphs_are_counted_by_their_own_handles),
		IN_THREAD(outside_the_window_each_launch_is_counted_apart),
		IN_THREAD(a_launch_counts_on_the_side_that_it_began_on),
		IN_THREAD(outside_the_window_too_a_record_is_left_where_one_is_needed),
		IN_THREAD(outside_the_window_a_launch_by_the_runtime_is_passed_on),
		IN_THREAD(a_kernel_is_looked_up_again_once_a_module_was_unloaded),
		IN_THREAD(a_copy_without_a_pair_is_counted_with_its_bytes),
		IN_THREAD(a_copy_that_fails_or_is_empty_leaves_a_record),
		IN_THREAD(outside_the_window_the_sizes_of_copies_are_not_counted),
		IN_THREAD(a_pair_knows_whether_a_copy_ran_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
