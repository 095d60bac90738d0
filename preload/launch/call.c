/* SPDX-License-Identifier: MIT */
#include "preload/launch/call.h"

#include "preload/base/clock.h"
#include "preload/base/launch_state.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/own_part.h"
#include "preload/base/plan.h"
#include "preload/driver/driver.h"
#include "preload/events/gates.h"
#include "preload/handles/graph_nodes.h"
#include "preload/handles/stream.h"
#include "preload/launch/cold_path.h"
#include "preload/launch/runtime_call.h"
#include "preload/launch/thread.h"
#include "preload/launch/window.h"
#include "preload/memory/holdings.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* ktime's overhead is measured in one of this many calls, as that takes 20 ns more. Over a thousand
 * launches of a thread this sample gives the sum within a tenth. */
#define OVERHEAD_SAMPLE	    64

/*
 * The stream of a handle, without asking the driver about a handle that may be invalid: known to
 * this thread, from its creation, or a default stream of the current context. NULL if the handle is
 * not known.
 */
static struct stream *find_stream(struct thread *thread, CUstream handle)
{
	uint32_t generation = load_acquire(&launch_state.stream_generation);
	CUcontext current;
	uintptr_t key = stream_key(handle, &current);
	struct stream *stream;

	if (unlikely(!key))
		return NULL;
	stream = pointer_map_find(&thread->streams, key, generation);
	if (unlikely(!stream && (current || stream_known(handle))))
		stream = cold_path_stream(thread, handle);
	return stream;
}

/* The operation of a kernel or graph that this thread has launched before, else NULL. */
static inline struct operation *known_operation(struct thread *thread, const struct call *call)
{
	uint32_t generation = load_acquire(&launch_state.operation_generation);

	if (unlikely(!call->function))
		return pointer_map_find(&thread->graphs, (uintptr_t)call->graph, generation);
	/* Fast path: programs often launch one kernel many times in a row. */
	if (call->function == thread->last_function && generation == thread->kernels.generation)
		return thread->last_operation;
	return pointer_map_find(&thread->kernels, (uintptr_t)call->function, generation);
}

/* Remembers the call's operation for known_operation() and for dependent launches. */
static inline void remember_operation(struct thread *thread, const struct call *call)
{
	thread->last_operation = call->record.operation;
	thread->last_stream = call->stream;
	thread->last_function = call->function;
	thread->last_row = API_NONE;
}

static inline bool is_sampled(struct thread *thread, const struct operation *operation)
{
	uint32_t below = load_relaxed(&operation->sample_below);

	return below == SAMPLE_ALL || (below > 0 && thread_random(thread) < below);
}

/* Why this call gets no event pair; UNTIMED_COUNT if it gets one. */
static enum untimed_reason reason_against(struct thread *thread, const struct call *call)
{
	const struct operation *operation = call->record.operation;

	if (!launch_state.events)
		return UNTIMED_EVENTS_OFF;
	if (unlikely(call->dependent || (operation && load_relaxed(&operation->followed))))
		return UNTIMED_DEPENDENT;
	/* A first launch may load its module between the two events; CUPTI times it anyway. */
	if (unlikely(!operation) && plan_is_cupti())
		return UNTIMED_FIRST_LAUNCH;
	/* A kernel's first launch gets a pair if there is no CUPTI: it has no sampling threshold
	 * yet. */
	if (likely(operation) && likely(!is_sampled(thread, operation)))
		return UNTIMED_SAMPLED_OUT;
	/* Few calls come here, so most do not touch the stream's cache line. */
	if (unlikely(!call->record.stream->context->reported))
		return UNTIMED_EVENTS_OFF;
	if (unlikely(load_acquire(&call->record.stream->context->ended)))
		return UNTIMED_CONTEXT_LOST;
	return UNTIMED_COUNT;
}

/* The threshold that the call's random number was compared with, moments ago. */
static inline uint32_t chance_of(const struct operation *operation)
{
	return operation ? load_relaxed(&operation->sample_below) : SAMPLE_ALL;
}

/* The largest chance with which a call of a frequent operation is drawn, unless its pool leaves
 * less. Chosen. */
#define COUNTING_CHANCE (SAMPLE_ALL / 16)

/* Takes a pair from a pool that thins (gives fewer calls a pair as it empties); NULL if the random
 * draw decides against it. */
static LAUNCH_COLD __attribute__((noinline)) struct event_pair *
take_thinned(struct thread *thread, struct event_pool *pool, struct call_record *record)
{
	const struct operation *last = thread->last_operation;
	struct operation *operation = record->operation;
	uint32_t chance = chance_of(operation), random;
	uint32_t most = operation ? event_pool_chance(pool, operation->index) : SAMPLE_ALL;
	struct event_pair *pair;

	if (chance > most) {
		/* The random number of is_sampled()'s draw, if there was one. */
		random = chance == SAMPLE_ALL ? thread_random(thread) : thread->random;
		if (random >= most) {
			record->untimed = UNTIMED_SAMPLED_OUT;
			return NULL;
		}
		/* The next launches may be count-only until the collector comes, so that a late one
		 * finds no full ring. */
		if (chance == SAMPLE_ALL && most < COUNTING_CHANCE)
			store_relaxed(&operation->sample_below, COUNTING_CHANCE);
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
				? load_relaxed(&thread->operation_calls[operation->index])
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

static LAUNCH_COLD void event_record_failed(struct thread *thread, struct call *call)
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
	generation = load_acquire(&launch_state.operation_generation);
	if (pointer_map_find(&thread->launched, launched_key(call), generation))
		return true;
	pointer_map_add(&thread->launched, launched_key(call), call->record.operation, generation);
	return false;
}

/* Whether a gate may be put into the stream: not while any stream captures, not if the stream has
 * work anyway, and not into the legacy default stream if blocking streams would wait for it. */
static inline bool may_hold(const struct stream *stream, uint64_t now)
{
	return !capture_is_live() &&
	       (stream->handle != CU_STREAM_LEGACY ||
		!load_relaxed(&stream->context->blocking_streams)) &&
	       now >= load_relaxed(&stream->busy_until);
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
	       load_acquire(&record->stream->context->gates) &&
	       record->operation != operation_fixed(OPERATION_COPY_PTOP) &&
	       is_loaded(thread, call) && may_hold(record->stream, call->entered);
}

static inline __attribute__((always_inline)) void close_gate(struct thread *thread,
							     struct call *call)
{
	struct context *context = call->record.stream->context;
	struct gate_words *words = load_acquire(&context->gates);
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

/* Tests the gates of a context that was not tested yet, before the real call: any call with a pair
 * does that. */
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
	       calls == (call->countable && plan_of_launch() == 0);
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

/* Handles a gate that the reporter has opened: the end event may have been queued after that, so
 * the pair is thrown away. */
static LAUNCH_COLD __attribute__((noinline)) void open_late(struct thread *thread,
							    struct call *call)
{
	context_gates_late(call->record.stream->context);
	if (call->record.pair)
		give_back(thread, call, UNTIMED_GATE_FORCED);
}

/* Opens the gate of a call. The pair is right however long it was closed, unless the reporter
 * opened it: then it is thrown away. */
static LAUNCH_PATH __attribute__((noinline)) void event_record_open(struct thread *thread,
								    struct call *call)
{
	bool queued = is_queued(thread, call), in_time = gate_open(thread->gate);

	call->gated = false;
	if (call->record.pair)
		call->record.pair->queued = queued;
	if (__builtin_expect(!in_time, 0))
		open_late(thread, call);
}

/* Takes a pair and records its start event into the call's stream. If that fails the call goes on
 * without a pair, with the reason in `untimed`. */
static LAUNCH_PATH __attribute__((noinline)) void event_record_start(struct thread *thread,
								     struct call *call)
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
	else if (__builtin_expect(load_relaxed(&record->stream->context->gates_untried) != NULL, 0))
		try_gates(thread, call);
	if (driver.cuEventRecord(record->pair->start, record->stream->handle) != CUDA_SUCCESS) {
		event_record_failed(thread, call);
		if (call->gated)
			event_record_open(thread, call);
	}
}

/* Records the pair's end event; if that fails the call goes on without a pair. */
static inline void event_record_end(struct thread *thread, struct call *call)
{
	if (unlikely(driver.cuEventRecord(call->record.pair->end, call->record.stream->handle) !=
		     CUDA_SUCCESS))
		event_record_failed(thread, call);
	if (call->gated)
		event_record_open(thread, call);
}

/* Notes what a pool call has allocated; if it was captured, the graph allocates at each launch. */
static void end_pool_allocation(const struct call *call, CUresult result, bool captured,
				const struct operation *before)
{
	allocation_ends(
		captured ? CUDA_ERROR_UNKNOWN : result,
		&(struct allocation){
			.kind = ALLOCATION_POOL,
			.space = SPACE_POINTER,
			.key = result == CUDA_SUCCESS ? *(const CUdeviceptr *)call->host : 0,
			.bytes = call->record.bytes,
			.origin.operation = before,
		});
	if (captured)
		allocation_captured();
}

static void end_pool_call(const struct call *call, CUresult result, const struct operation *before)
{
	/* Only a call that has succeeded has a stream that the driver may be asked about. */
	bool captured = (call->pool == POOL_CALL_ALLOCATES || call->pool == POOL_CALL_FREES) &&
			result == CUDA_SUCCESS && capture_is_live() && capture_is_in(call->stream);

	if (call->pool == POOL_CALL_ALLOCATES)
		end_pool_allocation(call, result, captured, before);
	else if (call->pool == POOL_CALL_FREEING)
		allocation_freed(result, (uintptr_t)call->host);
	else if (call->pool == POOL_CALL_FREES && result == CUDA_SUCCESS && !captured) {
		allocation_freeing(SPACE_POINTER, (uintptr_t)call->host);
		allocation_freed(result, (uintptr_t)call->host);
	}
}

/* Begins an API-only call. Out of line, like finish_without_activity(), so that the launch path
 * need not save the registers that they use. */
static LAUNCH_COLD __attribute__((noinline)) void begin_without_operation(struct call *call)
{
	if (call->pool != POOL_CALL_FREES || capture_is_live())
		return;
	allocation_freeing(SPACE_POINTER, (uintptr_t)call->host);
	call->pool = POOL_CALL_FREEING;
}

static inline void start_record(struct call *call)
{
	struct call_record *record = &call->record;

	call->entered = record->started = clock_ticks();
	record->stream = NULL;
	record->pair = NULL;
	record->untimed = UNTIMED_NO_EVENT;
}

static inline void begin_record(struct thread *thread, struct call *call)
{
	struct call_record *record = &call->record;
	enum untimed_reason against;

	start_record(call);
	store_release(&thread->in_call, call->entered);
	runtime_call_publish_earlier(thread);
	if (unlikely(!window_is_open()))
		record->flags |= CALL_OUTSIDE_WINDOW;
	call->slot = ring_slot(&thread->ring);
	ring_prefetch(call->slot);
	if (unlikely(record->flags & CALL_API_ONLY)) {
		begin_without_operation(call);
		return;
	}
	if (likely(!record->operation) && (call->function || call->graph))
		record->operation = known_operation(thread, call);
	record->stream = find_stream(thread, call->stream);
	if (unlikely(!record->stream))
		return;
	if (unlikely(capture_is_live()) && capture_is_in(record->stream->handle))
		record->flags |= CALL_CAPTURED;
	if (unlikely(record->flags & (CALL_CAPTURED | CALL_OUTSIDE_WINDOW))) {
		thread->last_gated.stream = NULL;
		return;
	}
	if (unlikely(call->dependent) && thread->last_operation &&
	    thread->last_stream == call->stream)
		store_relaxed(&thread->last_operation->followed, true);
	against = reason_against(thread, call);
	if (likely(against != UNTIMED_COUNT)) {
		record->untimed = against;
	} else if (unlikely(!call->slot)) {
		record->untimed =
			UNTIMED_RING_FULL; /* unless there is room when the call returns */
	} else {
		event_record_start(thread, call);
		record->started = clock_ticks();
	}
	if (!call->gated)
		thread->last_gated.stream = NULL;
}

static inline uint32_t token_of(const void *call)
{
	return (uint32_t)(uintptr_t)call;
}

/* A call that leaves a call record. Keeps the program's errno. */
static LAUNCH_PATH __attribute__((noinline)) void begin_recorded(struct call *call,
								 struct thread *thread)
{
	int saved_errno = *thread->error;

	begin_record(thread, call);
	*thread->error = saved_errno;
}

/* Begins the call of a thread that ktime does not know yet, or while a signal ends the program. */
static LAUNCH_COLD __attribute__((noinline)) void begin_otherwise(struct call *call)
{
	struct thread *thread = thread_self;

	if (lifecycle_ending() && !(thread && thread->in_progress))
		cold_path_park();
	thread = thread || own_part_is_around() ? NULL : cold_path_thread();
	call->thread = thread;
	if (!thread)
		return;
	thread->in_progress = token_of(call);
	begin_recorded(call, thread);
}

/*
 * A call while another one is in progress, as far as its thread says. It is the program's unless
 * the driver made it, and leaves a record of its own; whether the other one ever returns does not
 * matter. It gets no event pair: the other one may have closed the thread's gate.
 */
static LAUNCH_COLD __attribute__((noinline)) void
begin_inside(struct thread *thread, struct call *call, const void *caller)
{
	int saved_errno = *thread->error;
	struct call_record *record = &call->record;

	call->inside = driver_contains(caller) ? CALL_INSIDE_DRIVER
		       : own_part_is_around()  ? CALL_INSIDE_KTIME
					       : CALL_INSIDE_CALL;
	if (call->inside == CALL_INSIDE_DRIVER)
		return;
	start_record(call);
	call->slot = NULL;
	if (!window_is_open())
		record->flags |= CALL_OUTSIDE_WINDOW;
	if (!record->operation && (call->function || call->graph))
		record->operation = cold_path_known_operation(thread, call->function, call->graph);
	if (call->inside == CALL_INSIDE_KTIME)
		return;
	call->counter_before = thread->last_counter;
	call->row_before = thread->last_row;
	thread->in_progress = token_of(call) | 1;
	store_release(&thread->in_call, call->entered);
	runtime_call_publish_earlier(thread);
	if (record->flags & CALL_API_ONLY)
		begin_without_operation(call);
	else
		record->stream = cold_path_known_stream(thread, call->stream);
	if (record->stream && capture_is_live() && capture_is_in(record->stream->handle))
		record->flags |= CALL_CAPTURED;
	thread->last_gated.stream = NULL;
	record->started = clock_ticks();
	*thread->error = saved_errno;
}

/*
 * Until the thread's next turn 0 to 63 calls may be count-only, about 31 on average. Random, as in
 * a loop of two calls each 32nd would always be the same one, and the other one's row have no
 * times. Inline, as a call here would make call_begin() save registers.
 */
static inline void begin_turn(struct thread *thread)
{
	uint16_t calls;

	thread->turn = thread_next_random(thread->turn);
	calls = thread->turn % (2 * RECORDED_CALLS);
	/* Goes on from 0 as if it had begun above. */
	thread->last_gated.calls_to_count += calls + 1;
	thread->calls_to_count = calls;
}

/* For a call that could have been count-only but is recorded. */
static inline void take_turn(struct thread *thread, struct call *call)
{
	if (likely(thread->calls_to_count > 0)) {
		thread->calls_to_count--;
		return;
	}
	begin_turn(thread);
	call->record.flags |= CALL_STANDS_FOR_MORE;
}

LAUNCH_PATH void call_begin(struct call *call, const void *caller)
{
	struct thread *thread = thread_self;

	if (unlikely(!thread || !lifecycle_running())) {
		begin_otherwise(call);
		return;
	}
	call->thread = thread;
	if (unlikely(thread->in_progress)) {
		begin_inside(thread, call, caller);
		return;
	}
	thread->in_progress = token_of(call);
	if (unlikely(plan_of_launch() == 0) && call->countable)
		take_turn(thread, call);
	begin_recorded(call, thread);
}

static void lose_operation(const struct call_record *record)
{
	struct operation *operation = record->operation;
	unsigned device = record->stream ? (unsigned)record->stream->context->device : 0;

	/* As in rows_of(). */
	device = device < SESSION_DEVICES ? device : 0;
	add_relaxed(record->flags & CALL_OUTSIDE_WINDOW ? &operation->lost_outside[device]
							: &operation->lost[device],
		    1);
	/* Release: whoever sees it sees the operation's. */
	add_release(&operation_lost_calls, 1);
}

/* The ring is full: counts the call, and its operation as dropped. */
static LAUNCH_COLD void finish_without_room(struct thread *thread, const struct call *call)
{
	const struct call_record *record = &call->record;

	if (record->operation && !(record->flags & (CALL_FAILED | CALL_API_ONLY | CALL_CAPTURED)))
		lose_operation(record);
	if (record->flags & CALL_OUTSIDE_WINDOW)
		return;
	if (!runtime_call_is_around())
		thread_count(&thread->api_calls[runtime_call_row(record->api)]);
}

/* After an operation was captured: its node belongs to the ranges that are open. */
static LAUNCH_COLD __attribute__((noinline)) void note_captured(const struct call_record *record)
{
	uintptr_t around = own_part_begin();

	graph_node_captured(record->stream->handle);
	own_part_end(around);
}

/* Finds the stream and operation of a call that has succeeded, if they are not known yet: only now
 * are the handles known to be valid. */
static inline void identify(struct thread *thread, struct call *call)
{
	struct call_record *record = &call->record;

	if (unlikely(!record->stream)) {
		record->stream = cold_path_stream(thread, call->stream);
		if (record->stream && capture_is_live() && capture_is_in(record->stream->handle)) {
			record->flags |= CALL_CAPTURED;
			note_captured(record);
		}
	}
	if (unlikely(!record->operation)) {
		record->operation = cold_path_operation(thread, call->function, call->graph);
		/* Event pairs are made now, as the next launches may come from many threads at
		 * once. */
		if (record->untimed == UNTIMED_FIRST_LAUNCH && !(record->flags & CALL_CAPTURED))
			cold_path_pool(thread, record->stream->context);
		record->flags |= CALL_FIRST;
	}
	remember_operation(thread, call);
}

static LAUNCH_COLD __attribute__((noinline)) void
finish_without_activity(struct thread *thread, struct call *call, CUresult result)
{
	struct call_record *record = &call->record;
	uintptr_t around;

	if (result == CUDA_SUCCESS && !(record->flags & CALL_API_ONLY)) {
		if (record->flags & CALL_CAPTURED)
			note_captured(record);
		identify(thread, call);
		if (!(record->flags & CALL_NO_ACTIVITY))
			return;
		/* An empty copy or memset does no work on the device. */
		if (record->bytes == 0 && record->operation->kind != ROW_OTHER &&
		    record->operation->kind != ROW_MOVEMENT)
			record->flags |= CALL_API_ONLY;
		return;
	}
	around = own_part_begin();
	if (result != CUDA_SUCCESS)
		call->record.flags |= CALL_FAILED;
	end_pool_call(call, result, thread->last_operation);
	own_part_end(around);
}

/* For a driver call inside a runtime call: whether the runtime call's wrapper will publish the
 * record. */
static LAUNCH_PATH __attribute__((noinline)) bool
is_left_to_runtime_call(struct thread *thread, struct call *call, struct call_record *slot)
{
	struct call_record *record = &call->record;

	if (runtime_call_is_around() && !runtime_call_was_left(call)) {
		runtime_call_take(record, slot);
		return true;
	}
	record->api = runtime_call_row(record->api);
	/* The record covers only the driver call, so the runtime call is counted without a
	 * duration. */
	if (record->api >= API_RUNTIME(0) &&
	    !(record->flags & (CALL_FAILED | CALL_OUTSIDE_WINDOW))) {
		thread_count(&thread->api_calls[record->api]);
		record->api = API_NONE;
	}
	return false;
}

static LAUNCH_PATH void finish_call(struct thread *thread, struct call *call, CUresult result,
				    uint64_t ended)
{
	struct call_record *record = &call->record, *slot;
	uint64_t duration = ended - record->started;

	if (likely(result == CUDA_SUCCESS &&
		   !(record->flags & (CALL_API_ONLY | CALL_NO_ACTIVITY | CALL_CAPTURED))))
		identify(thread, call);
	else
		finish_without_activity(thread, call, result);
	slot = call->slot;
	if (unlikely(!slot))
		slot = ring_slot(&thread->ring);
	if (unlikely(!slot)) {
		finish_without_room(thread, call);
		return;
	}
	record->duration = duration < UINT32_MAX ? (uint32_t)duration : UINT32_MAX;
	if (unlikely(runtime_call.role != RUNTIME_CALL_NONE) &&
	    is_left_to_runtime_call(thread, call, slot))
		return;
	*slot = *record;
	ring_publish(&thread->ring);
}

/* A thread's first calls and cold paths cost more than others, so each counts as itself; other
 * sampled calls stand for OVERHEAD_SAMPLE calls. */
static __attribute__((noinline)) void add_overhead(struct thread *thread, const struct call *call,
						   uint64_t ended)
{
	uint64_t ticks = call->record.started - call->entered + clock_ticks() - ended;
	bool sampled = thread->overhead_taken >= OVERHEAD_SAMPLE;

	thread_add_overhead(thread, ticks,
			    sampled && !load_relaxed(&thread->took_cold_path) ? OVERHEAD_SAMPLE
									      : 1);
	thread->overhead_taken += !sampled;
	thread->overhead_left = sampled ? OVERHEAD_SAMPLE - 1 : 0;
}

/* Goes on with a call after other calls were made inside of it: they have published records, also
 * in the slot that this call had. */
static LAUNCH_COLD __attribute__((noinline)) void resume(struct thread *thread, struct call *call)
{
	runtime_call_publish_earlier(thread);
	call->slot = NULL;
	thread->in_progress = token_of(call);
}

static inline void end_record(struct thread *thread, struct call *call, CUresult result)
{
	struct call_record *record = &call->record;
	uint64_t ended = clock_ticks();

	if (record->pair) {
		event_record_end(thread, call);
		/* The driver may have called the program's malloc. */
		if (unlikely(thread->in_progress != token_of(call)))
			resume(thread, call);
	}
	finish_call(thread, call, result, ended);
	if (unlikely(runtime_call_is_around())) {
		/* The runtime call goes on; its wrapper adds the overhead. */
		runtime_call.overhead += record->started - call->entered + clock_ticks() - ended;
		return;
	}
	store_release(&thread->in_call, 0);
	/* In two instructions, which a test of the count before takes five for. */
	if (unlikely(__builtin_sub_overflow(thread->overhead_left, 1, &thread->overhead_left)))
		add_overhead(thread, call, ended);
}

static LAUNCH_PATH __attribute__((noinline)) void end_recorded(struct call *call, CUresult result,
							       struct thread *thread)
{
	int saved_errno = *thread->error;

	end_record(thread, call, result);
	*thread->error = saved_errno;
	/* Last: until now a call that the program's malloc makes found this one in progress. */
	thread->in_progress = 0;
}

/* Ends a call inside a part of ktime (own_part.h): it only counts, as the thread's data may be in
 * the middle of a change. */
static void end_counted(struct thread *thread, struct call *call, CUresult result)
{
	struct call_record *record = &call->record;

	if (result != CUDA_SUCCESS)
		record->flags |= CALL_FAILED;
	if (!record->operation && (call->function || call->graph))
		record->operation = operation_fixed(call->function ? OPERATION_UNKNOWN_KERNEL
								   : OPERATION_UNKNOWN_GRAPH);
	finish_without_room(thread, call);
}

/* A call that was made while another one was in progress, or was interrupted by such calls. */
static LAUNCH_COLD __attribute__((noinline)) void end_inside(struct thread *thread,
							     struct call *call, CUresult result)
{
	int saved_errno = *thread->error;

	switch (call->inside) {
	case CALL_INSIDE_DRIVER:
		return;
	case CALL_INSIDE_KTIME:
		end_counted(thread, call, result);
		*thread->error = saved_errno;
		return;
	case CALL_INSIDE_CALL:
		thread->in_progress = token_of(call) | 1;
		end_recorded(call, result, thread);
		thread->last_counter = call->counter_before;
		thread->last_row = call->row_before;
		thread->last_function = NULL;
		return;
	default:
		resume(thread, call);
		end_recorded(call, result, thread);
	}
}

/* A call that is not recorded. */
static LAUNCH_COLD __attribute__((noinline)) void end_otherwise(const struct call *call,
								CUresult result)
{
	if (result == CUDA_SUCCESS && !(call->record.flags & CALL_API_ONLY) &&
	    load_relaxed(&launch_state.lifecycle) == LIFECYCLE_CLOSED)
		lifecycle_late_work();
}

void call_failed(struct thread *thread, CUresult result)
{
	int saved_errno = *thread->error;
	struct call call;

	call_describe(&call, thread->last_row & ~COUNTED_OUTSIDE, CU_STREAM_LEGACY);
	if (thread->last_row & COUNTED_OUTSIDE)
		call.record.flags |= CALL_OUTSIDE_WINDOW;
	start_record(&call);
	call.slot = NULL;
	/* How long it took is not known. */
	finish_call(thread, &call, result, call.record.started);
	*thread->error = saved_errno;
}

LAUNCH_PATH void call_end(struct call *call, CUresult result)
{
	struct thread *thread = call->thread;

	if (unlikely(!thread))
		end_otherwise(call, result);
	else if (likely(thread->in_progress == token_of(call)))
		end_recorded(call, result, thread);
	else
		end_inside(thread, call, result);
}

/* Whether another call is in progress. One that lies below on the stack was left. */
static bool is_inside(const struct thread *thread, const struct timed_call *call)
{
	return thread->in_progress && (thread->in_progress == COUNT_ONLY_CALL ||
				       (int32_t)(token_of(call) - thread->in_progress) < 0);
}

void host_call_begin(struct timed_call *call)
{
	struct thread *thread = thread_self;

	call->thread = NULL;
	if (!thread || is_inside(thread, call) || runtime_call_is_around() || !lifecycle_running())
		return;
	thread->in_progress = token_of(call);
	call->thread = thread;
	call->started = clock_ticks();
}

void host_call_end(const struct timed_call *call, uint16_t api, CUresult result)
{
	struct thread *thread = call->thread;
	struct call_record *slot;
	uint64_t duration;

	if (!thread)
		return;
	duration = clock_ticks() - call->started;
	/* A call that is still noted in in_progress was left by a longjmp: this is the outermost.
	 */
	thread->in_progress = 0;
	slot = ring_slot(&thread->ring);
	if (!slot)
		return;
	*slot = (struct call_record){
		.started = call->started,
		.duration = duration < UINT32_MAX ? (uint32_t)duration : UINT32_MAX,
		.api = api,
		.flags = (uint8_t)(CALL_API_ONLY | (result ? CALL_FAILED : 0)),
	};
	ring_publish(&thread->ring);
}

LAUNCH_PATH void call_begin_or_count(struct call *call, const void *caller)
{
	call->counted = count_only_begin(call);
	if (!call->counted)
		call_begin(call, caller);
}

LAUNCH_PATH void call_end_or_count(struct call *call, CUresult result)
{
	if (call->counted)
		count_only_end(call, result);
	else
		call_end(call, result);
}
