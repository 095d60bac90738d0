/* SPDX-License-Identifier: MIT */
/* The event pair around a call: which pair it is, whether a gate holds the stream back meanwhile,
 * and what becomes of a pair that could not be recorded. */
#include "tests/unit/launch_path.h"

#include "preload/base/settings.h"
#include "preload/events/gates.h"
#include "preload/handles/capture.h"
#include "preload/launch/describe.h"

static struct gate_words words;

static void wake(void)
{
}

static uint32_t word(void)
{
	return atomic_load(&words.of[launching.gate - gates].word);
}

/* The thread has a gate and knows KERNEL, whose every launch has a pair. */
static int start_gated(void **state)
{
	launch_path_start(state);
	asked.stream_is_known = true;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	gate_start_watch(wake);
	launching.gate = gate_take();
	the_context.gate_address = 0x9000;
	atomic_store(&the_context.gates, &words);
	pool.spare = &pair;
	asked.events = asked.waits = asked.pools = 0;
	return 0;
}

static int end_gated(void **state)
{
	gate_give(launching.gate);
	return launch_path_end(state);
}

/* A launch of KERNEL that is not count-only. */
static void describe_timed(struct call *call)
{
	describe_launch(call, KERNEL, STREAM);
	call->countable = false;
	pool.spare = &pair;
	asked.waits = 0;
}

static bool is_gated(struct call *call)
{
	make_call(call, CUDA_SUCCESS);
	assert_int_equal(asked.waits, pair.gated);
	assert_false(call->gated);
	return pair.gated;
}

static void a_gated_call_waits_for_a_word_that_its_return_writes(void **state)
{
	uint32_t before = word();
	struct call call;

	(void)state;
	describe_timed(&call);
	call_begin(&call, NULL);
	assert_true(call.gated);
	assert_true(pair.gated);
	assert_int_equal(asked.waits, 1);
	assert_int_equal(asked.waited_for, before + 1);
	assert_ptr_equal(asked.last_stream, STREAM);
	assert_int_equal(word(), before);
	assert_int_equal(asked.events, 1);
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(word(), before + 1);
	assert_int_equal(asked.events, 2);
	assert_ptr_equal(last_record()->pair, &pair);
	assert_false(call.gated);
	assert_int_equal(atomic_load(&the_context.gates_late), 0);
}

static void which_calls_are_gated(void **state)
{
	struct call call;

	(void)state;
	describe_timed(&call);
	assert_true(is_gated(&call));
	describe_timed(&call);
	call.asynchronous = false;
	assert_false(is_gated(&call));
	describe_timed(&call);
	call.record.flags = CALL_HOST_INCLUDED;
	assert_false(is_gated(&call));
	describe_timed(&call);
	call.record.flags = CALL_NO_ACTIVITY;
	call.record.bytes = 1;
	assert_false(is_gated(&call));
	/* The driver makes a copy between devices by events of its own. */
	describe_timed(&call);
	call.function = NULL;
	call.record.operation = &fixed[OPERATION_COPY_PTOP];
	assert_false(is_gated(&call));
	describe_timed(&call);
	call.function = NULL;
	call.record.operation = &fixed[OPERATION_COPY_DTOD];
	assert_true(is_gated(&call));
	/* A capture anywhere. */
	capture_begins();
	describe_timed(&call);
	assert_false(is_gated(&call));
	capture_ended(CUDA_SUCCESS);
	atomic_store(&the_context.gates, NULL);
	describe_timed(&call);
	assert_false(is_gated(&call));
	atomic_store(&the_context.gates, &words);
	/* A stream that has work to do. */
	atomic_store(&streams[0].busy_until, ticks + 1);
	describe_timed(&call);
	assert_false(is_gated(&call));
	atomic_store(&streams[0].busy_until, ticks);
	describe_timed(&call);
	assert_true(is_gated(&call));
}

static void the_legacy_stream_is_gated_while_no_stream_blocks(void **state)
{
	struct call call;

	(void)state;
	streams[0].handle = CU_STREAM_LEGACY;
	describe_timed(&call);
	assert_true(is_gated(&call));
	atomic_store(&the_context.blocking_streams, 1);
	describe_timed(&call);
	assert_false(is_gated(&call));
	streams[0].handle = STREAM;
	describe_timed(&call);
	assert_true(is_gated(&call));
}

static void a_kernels_first_launch_in_a_context_is_not_gated(void **state)
{
	struct call call;

	(void)state;
	describe_timed(&call);
	call.function = OTHER_KERNEL;
	assert_false(is_gated(&call));
	describe_timed(&call);
	call.function = OTHER_KERNEL;
	assert_true(is_gated(&call));
	/* With two contexts the thread may have launched it in the other one. */
	the_context.next = &other_context;
	describe_timed(&call);
	assert_false(is_gated(&call));
	describe_timed(&call);
	assert_true(is_gated(&call));
	the_context.id = 3;
	describe_timed(&call);
	assert_false(is_gated(&call));
	the_context.id = 1;
	describe_timed(&call);
	call.function = NULL;
	call.graph = GRAPH;
	call.record.operation = &graph_operations[0];
	assert_false(is_gated(&call));
	describe_timed(&call);
	call.function = NULL;
	call.graph = GRAPH;
	call.record.operation = &graph_operations[0];
	assert_true(is_gated(&call));
}

/* Whether the pair of the next gated launch is of a queued operation. */
static bool is_queued(bool arrives)
{
	struct call call;

	describe_timed(&call);
	call_begin(&call, NULL);
	assert_true(call.gated);
	if (arrives)
		atomic_store(
			&words.of[launching.gate - gates].arrived[(word() + 1) % GATE_ARRIVALS],
			word() + 1);
	call_end(&call, CUDA_SUCCESS);
	assert_true(pair.gated);
	return pair.queued;
}

static void an_operation_is_queued_if_the_device_has_not_come_to_its_gate(void **state)
{
	(void)state;
	assert_true(is_queued(false));
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_false(is_queued(true));
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	assert_true(is_queued(false));
}

static void directly_behind_another_gated_call_it_is_not_queued(void **state)
{
	struct call other;

	(void)state;
	assert_true(is_queued(false));
	assert_false(is_queued(false));
	assert_false(is_queued(false));
	/* Behind a launch that was only counted it is. */
	launching.calls_to_count--;
	assert_true(is_queued(false));
	describe_timed(&other);
	other.countable = true;
	make_call(&other, CUDA_SUCCESS);
	assert_false(pair.queued);
	launching.last_gated.stream = &streams[1];
	assert_true(is_queued(false));
	/* Behind calls that are no operations it is not, behind one without a gate it is. */
	call_describe(&other, API_DRIVER(0), CU_STREAM_LEGACY);
	other.record.flags = CALL_API_ONLY;
	make_call(&other, CUDA_SUCCESS);
	assert_false(is_queued(false));
	describe_timed(&other);
	other.asynchronous = false;
	make_call(&other, CUDA_SUCCESS);
	assert_false(pair.gated);
	assert_true(is_queued(false));
	atomic_store(&kernels[0].sample_below, 0);
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	atomic_store(&kernels[0].sample_below, SAMPLE_ALL);
	assert_true(is_queued(false));
}

static void a_refused_wait_turns_gates_off_and_leaves_the_pair(void **state)
{
	uint32_t before = word();
	struct call call;

	(void)state;
	asked.wait_result = CUDA_ERROR_NOT_SUPPORTED;
	describe_timed(&call);
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(asked.waits, 1);
	assert_int_equal(asked.failures, 1);
	assert_null(atomic_load(&the_context.gates));
	assert_false(pair.gated);
	assert_ptr_equal(last_record()->pair, &pair);
	/* Open, as the driver may have queued the wait. */
	assert_int_equal(word(), before + 1);
	assert_null(atomic_load(&launching.gate->closed));
}

static void after_three_forced_gates_there_are_no_more(void **state)
{
	struct call call;

	(void)state;
	for (unsigned i = 1; i <= 3; i++) {
		assert_ptr_equal(atomic_load(&the_context.gates), &words);
		describe_timed(&call);
		call_begin(&call, NULL);
		assert_true(call.gated);
		gate_open_all();
		call_end(&call, CUDA_SUCCESS);
		assert_int_equal(atomic_load(&the_context.gates_late), i);
		assert_null(last_record()->pair);
		assert_int_equal(last_record()->untimed, UNTIMED_GATE_FORCED);
		assert_ptr_equal(pool.spare, &pair);
	}
	assert_null(atomic_load(&the_context.gates));
	assert_int_equal(asked.failures, 0);
}

/* A device that is idle, and comes to each gate at once. */
static CUresult query_stream(CUstream stream)
{
	assert_ptr_equal(stream, STREAM);
	return CUDA_SUCCESS;
}

static CUresult arrive(CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,
		       unsigned flags)
{
	struct gate_word *of = &words.of[launching.gate - gates];
	uint32_t value = operations->writeValue.value;

	(void)stream;
	(void)flags;
	assert_int_equal(count, 2);
	asked.waits++;
	atomic_store(&of->arrived[value % GATE_ARRIVALS], value);
	return CUDA_SUCCESS;
}

static CUresult query_event(CUevent event)
{
	assert_ptr_equal(event, pair.start);
	return atomic_load(&launching.gate->closed) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static CUresult exchange_mode(CUstreamCaptureMode *mode)
{
	(void)mode;
	return CUDA_SUCCESS;
}

static void the_first_call_with_a_pair_tries_the_gates(void **state)
{
	uint32_t before = word();
	struct call call;

	(void)state;
	driver.cuStreamQuery_ptsz = query_stream;
	driver.cuStreamBatchMemOp_v2 = arrive;
	driver.cuEventQuery = query_event;
	driver.cuThreadExchangeStreamCaptureMode = exchange_mode;
	atomic_store(&the_context.gates, NULL);
	atomic_store(&the_context.gates_untried, &words);
	/* Not where a stream may not be held. */
	capture_begins();
	describe_timed(&call);
	make_call(&call, CUDA_SUCCESS);
	capture_ended(CUDA_SUCCESS);
	assert_int_equal(asked.waits, 0);
	/* One that is not gated itself does. */
	describe_timed(&call);
	call.asynchronous = false;
	call_begin(&call, NULL);
	assert_ptr_equal(atomic_load(&the_context.gates), &words);
	assert_int_equal(asked.waits, 2);
	assert_false(call.gated);
	/* What it took is this call's alone. */
	assert_true(atomic_load(&launching.took_cold_path));
	call_end(&call, CUDA_SUCCESS);
	assert_int_equal(word(), before);
	describe_timed(&call);
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(asked.waits, 1);
	assert_true(pair.gated);
}

static void a_pair_that_is_not_recorded_is_used_again(void **state)
{
	uint32_t before = word();
	struct call call;

	(void)state;
	for (unsigned event = 1; event <= 2; event++) {
		asked.events = asked.failures = 0;
		asked.event_that_fails = event;
		describe_timed(&call);
		make_call(&call, CUDA_SUCCESS);
		assert_int_equal(asked.events, event);
		assert_int_equal(asked.failures, 1);
		assert_null(last_record()->pair);
		assert_int_equal(last_record()->untimed, UNTIMED_RECORD_FAILED);
		assert_ptr_equal(pool.spare, &pair);
		assert_int_equal(word(), before + event);
		assert_null(atomic_load(&launching.gate->closed));
		assert_ptr_equal(atomic_load(&the_context.gates), &words);
	}
}

static void a_copy_of_the_hosts_time_is_marked(void **state)
{
	struct call call;

	(void)state;
	describe_timed(&call);
	call.host = &call;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, 0);
	describe_timed(&call);
	call.host = &call;
	call.synchronous = true;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_HOST_INCLUDED);
	assert_int_equal(asked.waits, 0);
	describe_timed(&call);
	call.synchronous = true;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, 0);
	asked.is_pageable = true;
	describe_timed(&call);
	call.host = &call;
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(last_record()->flags, CALL_HOST_INCLUDED);
}

static void a_thread_has_a_pool_for_each_context(void **state)
{
	static struct event_pool other;
	struct call call;

	(void)state;
	describe_timed(&call);
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(asked.pools, 0);
	other.context = &other_context;
	other.next = launching.pools;
	launching.pools = launching.last_pool = &other;
	describe_timed(&call);
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(asked.pools, 0);
	assert_ptr_equal(launching.last_pool, &pool);
	assert_ptr_equal(last_record()->pair, &pair);
	launching.pools = launching.last_pool = NULL;
	asked.has_no_pool = true;
	describe_timed(&call);
	make_call(&call, CUDA_SUCCESS);
	assert_int_equal(asked.pools, 1);
	assert_null(last_record()->pair);
	assert_int_equal(last_record()->untimed, UNTIMED_NO_EVENT);
}

/* A call with the thread's random number; the number that it is drawn by. */
static uint32_t draw(uint32_t random)
{
	struct call call;

	launching.random = random;
	describe_launch(&call, KERNEL, STREAM);
	call.countable = false;
	make_call(&call, CUDA_SUCCESS);
	return thread_next_random(random);
}

static void a_pool_that_gets_empty_thins_by_a_known_chance(void **state)
{
	/* One of 16 is left, and the kernel has had its certain ones: 1 in 15, and a sixteenth of
	 * it as that is the last of a quarter. */
	const uint32_t chance = UINT32_MAX / 15 / 16;

	(void)state;
	pool.spare = NULL;
	pool.thins = true;
	pool.pairs = 16;
	event_pool_put(&pool, &pair);
	pool.known_put = atomic_load(&pool.put);
	pool.taken_by[100] = 1;
	assert_true(draw(1u << 26) > chance);
	assert_null(last_record()->pair);
	assert_int_equal(last_record()->untimed, UNTIMED_SAMPLED_OUT);
	assert_int_equal(launching.random, thread_next_random(1u << 26));
	assert_true(draw(1) < chance);
	assert_ptr_equal(last_record()->pair, &pair);
	assert_int_equal(pair.sampled_below, chance);
	/* Its launches may be count-only from now on. */
	assert_int_equal(last_record()->operation->sample_below, SAMPLE_ALL / 16);
	/* What the user wants all of is not thinned. */
	last_record()->operation->sample_below = SAMPLE_ALL;
	event_pool_put(&pool, &pair);
	pool.thins = false;
	draw(1u << 26);
	assert_ptr_equal(last_record()->pair, &pair);
	assert_int_equal(pair.sampled_below, SAMPLE_ALL);
}

#define GATED(test) cmocka_unit_test_setup_teardown(test, start_gated, end_gated)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GATED(a_gated_call_waits_for_a_word_that_its_return_writes),
		GATED(which_calls_are_gated),
		GATED(the_legacy_stream_is_gated_while_no_stream_blocks),
		GATED(a_kernels_first_launch_in_a_context_is_not_gated),
		GATED(an_operation_is_queued_if_the_device_has_not_come_to_its_gate),
		GATED(directly_behind_another_gated_call_it_is_not_queued),
		GATED(a_refused_wait_turns_gates_off_and_leaves_the_pair),
		GATED(after_three_forced_gates_there_are_no_more),
		GATED(the_first_call_with_a_pair_tries_the_gates),
		GATED(a_pair_that_is_not_recorded_is_used_again),
		GATED(a_copy_of_the_hosts_time_is_marked),
		GATED(a_thread_has_a_pool_for_each_context),
		GATED(a_pool_that_gets_empty_thins_by_a_known_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
