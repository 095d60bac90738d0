/* SPDX-License-Identifier: MIT */
#include "preload/launch/event_record.h"

#include "preload/base/mode.h"
#include "preload/events/gates.h"
#include "preload/handles/capture.h"
#include "preload/launch/cold_path.h"
#include "preload/launch/call.h"

/* The threshold that the call's random number was compared with, moments ago. */
static inline uint32_t chance_of(const struct operation *operation)
{
	return operation ? atomic_load_explicit(&operation->sample_below, memory_order_relaxed)
			 : SAMPLE_ALL;
}

/* The largest chance with which a call of a frequent operation is drawn, unless its pool leaves
 * less. Chosen. */
#define COUNTING_CHANCE (SAMPLE_ALL / 16)

/* From a pool that thins: none if the draw is against it. */
static LAUNCH_COLD __attribute__((noinline)) struct event_pair *
take_thinned(struct thread *thread, struct event_pool *pool, struct call_record *record)
{
	const struct operation *last = thread->last_operation;
	struct operation *operation = record->operation;
	uint32_t chance = chance_of(operation), random;
	uint32_t most = operation ? event_pool_chance(pool, operation->index) : SAMPLE_ALL;
	struct event_pair *pair;

	if (chance > most) {
		/* The number that the call was drawn by, if it was. */
		random = chance == SAMPLE_ALL ? thread_random(thread) : thread->random;
		if (random >= most) {
			record->untimed = UNTIMED_SAMPLED_OUT;
			return NULL;
		}
		/* The next launches may be count-only until the collector comes, so that a late one
		 * finds no full ring. */
		if (chance == SAMPLE_ALL && most < COUNTING_CHANCE)
			atomic_store_explicit(&operation->sample_below, COUNTING_CHANCE,
					      memory_order_relaxed);
		chance = most;
	}
	pair = event_pool_take(pool);
	if (!pair)
		return NULL;
	pair->sampled_below = chance;
	pair->follows = last && thread->last_stream == record->stream->handle;
	pair->follows_other = pair->follows &&
			      last->overhead != (operation ? operation->overhead : OVERHEAD_KERNEL);
	pair->counted = operation && operation->index < COUNTED_OPERATIONS
				? atomic_load_explicit(&thread->operation_calls[operation->index],
						       memory_order_relaxed)
				: 0;
	return pair;
}

/* Takes a pair for a call, unless the pool gets empty and the draw is against it. */
static struct event_pair *take_pair(struct thread *thread, struct call_record *record)
{
	struct event_pool *pool = thread->last_pool;
	struct event_pair *pair;

	if (!pool || pool->context != record->stream->context) {
		pool = cold_path_pool(thread, record->stream->context);
		if (!pool)
			return NULL;
	}
	if (pool->thins)
		return take_thinned(thread, pool, record);
	pair = event_pool_take(pool);
	if (pair)
		pair->sampled_below = chance_of(record->operation);
	return pair;
}

static void give_back(struct thread *thread, struct call *call, enum untimed_reason why)
{
	thread->last_pool->spare = call->record.pair;
	call->record.pair = NULL;
	call->record.untimed = (uint8_t)why;
}

void event_record_failed(struct thread *thread, struct call *call)
{
	driver_failed();
	give_back(thread, call, UNTIMED_RECORD_FAILED);
}

/* The key of a kernel or graph in a context, for thread->launched. */
static uintptr_t launched_key(const struct call *call)
{
	uintptr_t handle = call->function ? (uintptr_t)call->function : (uintptr_t)call->graph;

	return handle ^ ((uintptr_t)call->record.stream->context->id << 48);
}

/*
 * Whether the driver has loaded what the call launches: a first launch in a context may wait until
 * the device has finished all work of the context. Where there are several contexts the thread's
 * maps do not tell in which of them it launched a kernel before.
 */
static bool is_loaded(struct thread *thread, const struct call *call)
{
	uint32_t generation;

	if (!call->function && !call->graph)
		return true;
	if (!call->record.operation)
		return false;
	if (!context_first()->next)
		return true;
	generation = atomic_load_explicit(&operation_generation, memory_order_acquire);
	if (pointer_map_find(&thread->launched, launched_key(call), generation))
		return true;
	pointer_map_add(&thread->launched, launched_key(call), call->record.operation, generation);
	return false;
}

/* Whether a gate may be put into the stream. What waits in the legacy stream holds up all blocking
 * streams. */
static inline bool may_hold(const struct stream *stream, uint64_t now)
{
	return !capture_is_live() &&
	       (stream->handle != CU_STREAM_LEGACY ||
		!atomic_load_explicit(&stream->context->blocking_streams, memory_order_relaxed)) &&
	       now >= atomic_load_explicit(&stream->busy_until, memory_order_relaxed);
}

/*
 * Whether a call is gated. Its function has to return before its operation ends, or only the
 * reporter would open the gate. A stream that has work to do anyway needs none; the driver is not
 * asked for that, as cuStreamQuery breaks other threads' captures.
 */
static inline __attribute__((always_inline)) bool may_gate(struct thread *thread,
							   const struct call *call)
{
	const struct call_record *record = &call->record;

	return thread->gate && call->asynchronous &&
	       !(record->flags & (CALL_HOST_INCLUDED | CALL_NO_ACTIVITY)) &&
	       atomic_load_explicit(&record->stream->context->gates, memory_order_acquire) &&
	       record->operation != operation_fixed(OPERATION_COPY_PTOP) &&
	       is_loaded(thread, call) && may_hold(record->stream, call->entered);
}

static inline __attribute__((always_inline)) void close_gate(struct thread *thread,
							     struct call *call)
{
	struct context *context = call->record.stream->context;
	struct gate_words *words = atomic_load_explicit(&context->gates, memory_order_acquire);
	uint32_t value;

	if (!words)
		return;
	value = gate_close(thread->gate, words);
	call->gated = gate_wait(call->record.stream->handle, context->gate_address, thread->gate,
				value) == CUDA_SUCCESS;
	call->record.pair->gated = call->gated;
	if (call->gated)
		return;
	gate_open(thread->gate);
	driver_failed();
	context_gates_turn_off(context, GATES_REFUSED);
}

/* Of a context whose gates were not tried yet any call with a pair tries them, in front of what it
 * does. */
static LAUNCH_COLD __attribute__((noinline)) void try_gates(struct thread *thread,
							    struct call *call)
{
	if (thread->gate && may_hold(call->record.stream, call->entered))
		cold_path_try_gates(thread, call->record.stream, call->record.pair->start);
	if (may_gate(thread, call))
		close_gate(thread, call);
}

/* Whether the thread's operation before was gated in the same stream. A call that was only counted
 * since then has left calls_to_count one less, as this call has if it could have been. */
static bool follows_gated(const struct thread *thread, const struct call *call)
{
	const struct last_gated *last = &thread->last_gated;
	uint16_t calls = (uint16_t)(last->calls_to_count - thread->calls_to_count);

	return last->stream == call->record.stream &&
	       calls == (call->countable && count_only_state() == 0);
}

/*
 * An operation that the device came to amid other work of the stream has a longer pair; not so
 * behind another gated pair (calibration.h). To be called before the gate is opened.
 */
static bool is_queued(struct thread *thread, const struct call *call)
{
	bool queued = !gate_has_arrived(thread->gate) && !follows_gated(thread, call);

	thread->last_gated = (struct last_gated){call->record.stream, thread->calls_to_count};
	return queued;
}

/* Then the end event may have been queued later than the gate was opened. */
static LAUNCH_COLD __attribute__((noinline)) void open_late(struct thread *thread,
							    struct call *call)
{
	context_gates_late(call->record.stream->context);
	if (call->record.pair)
		give_back(thread, call, UNTIMED_GATE_FORCED);
}

/* The pair is right however long the gate was closed, unless the reporter opened it. */
LAUNCH_PATH void event_record_open(struct thread *thread, struct call *call)
{
	bool queued = is_queued(thread, call), in_time = gate_open(thread->gate);

	call->gated = false;
	if (call->record.pair)
		call->record.pair->queued = queued;
	if (__builtin_expect(!in_time, 0))
		open_late(thread, call);
}

LAUNCH_PATH void event_record_start(struct thread *thread, struct call *call)
{
	struct call_record *record = &call->record;

	record->pair = take_pair(thread, record);
	if (!record->pair)
		return;
	record->pair->gated = false;
	if (call->host && (call->synchronous || copy_is_pageable(call->host)))
		record->flags |= CALL_HOST_INCLUDED;
	if (may_gate(thread, call))
		close_gate(thread, call);
	else if (__builtin_expect(atomic_load_explicit(&record->stream->context->gates_untried,
						       memory_order_relaxed) != NULL,
				  0))
		try_gates(thread, call);
	if (driver.cuEventRecord(record->pair->start, record->stream->handle) != CUDA_SUCCESS) {
		event_record_failed(thread, call);
		if (call->gated)
			event_record_open(thread, call);
	}
}
