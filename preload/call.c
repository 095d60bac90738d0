/* SPDX-License-Identifier: MIT */
#include "preload/call.h"

#include <errno.h>
#include <stdlib.h>

#include "cupti/collection.h"
#include "preload/clock.h"
#include "preload/collecting.h"
#include "preload/collector.h"
#include "preload/control.h"
#include "preload/graph.h"
#include "preload/thread.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/*
 * Pairs that a thread makes for itself at its first launch into a context, at 0.8 us each; the
 * collector adds. They have to last until it does.
 */
#define FIRST_PAIRS	    512
/* ktime's own time is read off the clock in one of so many calls. */
/* Calls between two looks at whether the device is behind. */
#define SHARED_STARTS	    8
/* A pause of the host's that ends the sharing, in ticks: some 10 us. */
#define SHARING_PAUSE	    25000
#define COST_SAMPLE	    64
/* Ticks, some 5 us. */
#define COST_MOST	    12500
/* Of calls that are only counted, one in so many is watched like the others. */
#define WATCHED_CALLS	    32

_Atomic int live_captures;
_Atomic int call_watch_reasons = 1; /* until control_start */

/* A default stream's key is its context's handle, whose low bits are free, with its number. */
static uintptr_t stream_key(CUstream handle, CUcontext *current)
{
	*current = NULL;
	if (handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD)
		return (uintptr_t)handle;
	if (driver.cuCtxGetCurrent(current) != CUDA_SUCCESS || !*current)
		return 0;
	return (uintptr_t)*current | (uintptr_t)handle;
}

/* First sight of a stream in this thread, right after a call in it succeeded or was created. */
static struct stream *see_stream(struct thread *thread, CUstream handle)
{
	uint32_t generation = atomic_load_explicit(&stream_generation, memory_order_acquire);
	CUcontext current;
	uintptr_t key = stream_key(handle, &current);
	struct stream *stream = key ? stream_lookup(handle, current) : NULL;

	if (!stream)
		return NULL;
	if (control_stream_ids && !stream->cupti_known &&
	    atomic_load_explicit(&live_captures, memory_order_relaxed) == 0)
		stream->cupti_known =
			(stream->context->cupti_context ||
			 collection_context_id(stream->context->handle,
					       &stream->context->cupti_context) == 0) &&
			collection_stream_id(stream->context->handle, stream->handle,
					     handle == CU_STREAM_PER_THREAD,
					     &stream->cupti_stream) == 0;
	pointer_map_add(&thread->streams, key, stream, generation);
	return stream;
}

/*
 * A stream's object without asking the driver about the handle: from this thread's map, from its
 * creation, or, for the default streams, from the current context. NULL: not known to be a stream.
 */
static struct stream *find_stream(struct thread *thread, CUstream handle)
{
	uint32_t generation = atomic_load_explicit(&stream_generation, memory_order_acquire);
	CUcontext current;
	uintptr_t key = stream_key(handle, &current);
	struct stream *stream;

	if (unlikely(!key))
		return NULL;
	stream = pointer_map_find(&thread->streams, key, generation);
	if (unlikely(!stream) && (current || stream_known(handle)))
		stream = see_stream(thread, handle);
	return stream;
}

static struct lane *make_lane(struct thread *thread, struct context *context)
{
	struct lane *lane = aligned_alloc(64, sizeof(*lane));
	CUcontext popped;

	if (!lane)
		return NULL;
	*lane = (struct lane){.context = context};
	if (driver.cuCtxPushCurrent_v2(context->handle) == CUDA_SUCCESS) {
		for (unsigned i = 0; i < (control_sharing ? LANE_PAIRS : FIRST_PAIRS); i++) {
			struct event_pair *pair = event_pair_create(lane);

			if (pair)
				lane_put(lane, pair);
		}
		driver.cuCtxPopCurrent_v2(&popped);
	}
	lane->next = thread->lanes;
	thread->lanes = lane;
	collector_add_lane(lane);
	return lane;
}

static struct event_pair *take_pair(struct thread *thread, struct context *context)
{
	struct lane *lane = thread->last_lane;

	if (unlikely(!lane || lane->context != context)) {
		for (lane = thread->lanes; lane && lane->context != context; lane = lane->next)
			;
		if (!lane)
			lane = make_lane(thread, context);
		if (!lane)
			return NULL;
		thread->last_lane = lane;
	}
	return lane_take(lane);
}

static bool is_capturing(CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	/* An error is CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: the legacy stream, while a blocking one
	 * captures. A record there would break that capture. */
	return driver.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* The operation of a kernel or graph that this thread has seen before, else NULL. */
static inline struct operation *known_operation(struct thread *thread, const struct call *call)
{
	uint32_t generation = atomic_load_explicit(&operation_generation, memory_order_acquire);

	/* Programs launch one kernel many times over. */
	if (call->function && call->function == thread->last_function &&
	    generation == thread->last_generation)
		return thread->last_operation;
	if (call->function)
		return pointer_map_find(&thread->kernels, (uintptr_t)call->function, generation);
	return pointer_map_find(&thread->graphs, (uintptr_t)call->graph, generation);
}

/* What the next call may be compared with. */
static inline void note_operation(struct thread *thread, const struct call *call)
{
	thread->last_operation = call->operation;
	thread->last_stream = call->stream;
	thread->last_function = call->function;
}

/* First sight of a kernel or graph in this thread, right after its launch succeeded. */
static struct operation *see_operation(struct thread *thread, const struct call *call)
{
	uint32_t generation = atomic_load_explicit(&operation_generation, memory_order_acquire);
	struct operation *operation;

	if (call->function) {
		operation = operation_of_kernel(call->function);
		pointer_map_add(&thread->kernels, (uintptr_t)call->function, operation, generation);
	} else {
		operation = graph_operation(call->graph);
		pointer_map_add(&thread->graphs, (uintptr_t)call->graph, operation, generation);
	}
	return operation;
}

static bool is_pageable(const void *host)
{
	/* cuda.h: a host address that CUDA does not know has no memory type. */
	CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
	CUmemorytype type = 0;
	void *data = &type;

	return driver.cuPointerGetAttributes(1, &attribute, &data, (CUdeviceptr)(uintptr_t)host) !=
		       CUDA_SUCCESS ||
	       type == 0;
}

static uint32_t next_random(struct thread *thread)
{
	uint32_t x = thread->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return thread->random = x;
}

void call_break_chain(void)
{
	if (thread_self)
		thread_self->chain = NULL;
}

static inline bool is_sampled(struct thread *thread, const struct operation *operation)
{
	uint32_t below = atomic_load_explicit(&operation->sample_below, memory_order_relaxed);

	return below == SAMPLE_ALL || (below > 0 && next_random(thread) < below);
}

/* Why no event pair goes around this call; UNTIMED_COUNT: one should. */
static enum untimed_reason reason_against(struct thread *thread, const struct call *call)
{
	const struct operation *operation = call->operation;

	if (!control_events || !control_wants_device(call->known->context->device))
		return UNTIMED_EVENTS_OFF;
	if (unlikely(call->dependent || (operation && atomic_load_explicit(&operation->followed,
									   memory_order_relaxed))))
		return UNTIMED_CHAINED;
	/* It may load its module between the two events, and CUPTI times it anyway. */
	if (unlikely(!operation) && control_stream_ids)
		return UNTIMED_FIRST_LAUNCH;
	/* A kernel not seen before has no sampling yet. */
	if (operation && !(call->decided ? !call->counted : is_sampled(thread, operation)))
		return UNTIMED_SAMPLED_OUT;
	if (unlikely(atomic_load_explicit(&call->known->context->ended, memory_order_acquire)))
		return UNTIMED_CONTEXT_LOST;
	return UNTIMED_COUNT;
}

/*
 * Whether the end of the last call can be the start of this one: the same stream with nothing in
 * between, and a device that is behind. The driver is asked about that once in so many calls; a
 * host that paused may have let the device catch up.
 */
static bool shares_start(struct thread *thread, const struct call *call)
{
	struct event_pair *chain = thread->chain;

	if (!chain || thread->last_stream != call->stream ||
	    chain->lane->context != call->known->context || call->host ||
	    call->entered - thread->chain_ended > SHARING_PAUSE) {
		thread->chain_left = 0;
		return false;
	}
	if (thread->chain_left == 0) {
		thread->chain_behind = driver.cuEventQuery(chain->end) == CUDA_ERROR_NOT_READY;
		thread->chain_left = SHARED_STARTS;
	}
	thread->chain_left--;
	return thread->chain_behind;
}

static void inject_start(struct thread *thread, struct call *call)
{
	int saved_errno = errno;
	CUresult result;

	call->pair = take_pair(thread, call->known->context);
	if (!call->pair) {
		call->untimed = UNTIMED_NO_EVENT;
	} else if (control_sharing && shares_start(thread, call)) {
		call->pair->previous = thread->chain;
	} else {
		call->pair->previous = NULL;
		if (call->host && (call->synchronous || is_pageable(call->host)))
			call->flags |= SPAN_HOST_INCLUDED;
		result = driver.cuEventRecord(call->pair->start, call->known->handle);
		if (unlikely(result != CUDA_SUCCESS)) {
			driver_failed("cuEventRecord", result);
			thread->last_lane->spare = call->pair;
			call->pair = NULL;
			call->untimed = UNTIMED_RECORD_FAILED;
		}
	}
	errno = saved_errno;
}

/* A thread's first call, or ktime's own first: everything that takes a lock or allocates. */
static __attribute__((noinline, cold)) struct thread *first_call(void)
{
	int saved_errno = errno;
	struct thread *thread = NULL;

	if (atomic_load_explicit(&control_state, memory_order_relaxed) == CONTROL_IDLE)
		control_start();
	if (control_running()) {
		control_work_seen();
		thread = thread_enter();
	}
	errno = saved_errno;
	return thread;
}

/*
 * Whether a call is to be counted and no more: without CUPTI a launch that gets no event pair needs
 * neither its stream nor a span. Some are watched all the same, for the host's time of the API
 * rows.
 */
static inline bool count_only(struct thread *thread, struct call *call)
{
	struct operation *operation;

	if (!call->countable || ++thread->calls % WATCHED_CALLS == 0)
		return false;
	operation = known_operation(thread, call);
	call->operation = operation;
	if (unlikely(!operation || operation->index >= COUNTED_OPERATIONS))
		return false;
	call->decided = true;
	call->counted = !control_events || !is_sampled(thread, operation);
	if (call->counted) {
		thread->chain = NULL;
		note_operation(thread, call);
	}
	return call->counted;
}

/* A call that leaves a span, with an event pair around it or without. */
static __attribute__((noinline)) void watch_call(struct thread *thread, struct call *call)
{
	enum untimed_reason against;

	call->entered = call->started = clock_ticks();
	call->flags = 0;
	call->untimed = UNTIMED_NO_EVENT;
	call->known = NULL;
	call->pair = NULL;
	atomic_store_explicit(&thread->in_call, call->entered, memory_order_release);
	if (call->call_only)
		call_break_chain();
	if (thread->deferred) {
		/* A second driver call in one runtime call; the first one stands as it is. */
		thread->deferred = NULL;
		ring_publish(&thread->ring);
	}
	if (unlikely(!collecting()))
		call->flags |= SPAN_PAUSED;
	if (call->call_only) {
		call->flags |= SPAN_CALL_ONLY;
		return;
	}
	if (!call->operation && (call->function || call->graph))
		call->operation = known_operation(thread, call);
	call->known = find_stream(thread, call->stream);
	if (unlikely(!call->known || call->flags & SPAN_PAUSED))
		return;
	if (unlikely(atomic_load_explicit(&live_captures, memory_order_relaxed) > 0) &&
	    is_capturing(call->known->handle)) {
		call->flags |= SPAN_CAPTURED;
		call->untimed = UNTIMED_CAPTURED;
		return;
	}
	if (unlikely(call->dependent) && thread->last_operation &&
	    thread->last_stream == call->stream)
		atomic_store_explicit(&thread->last_operation->followed, true,
				      memory_order_relaxed);
	against = reason_against(thread, call);
	call->untimed = against;
	if (against == UNTIMED_COUNT && ring_slot(&thread->ring)) {
		inject_start(thread, call);
		call->started = clock_ticks();
	}
}

static __attribute__((noinline)) void begin_watched(struct call *call)
{
	struct thread *thread = thread_self;

	if (unlikely(!thread || !control_running()))
		thread = thread ? NULL : first_call();
	call->thread = thread;
	if (thread && !thread->depth++)
		watch_call(thread, call);
}

void call_begin(struct call *call)
{
	struct thread *thread = thread_self;

	if (!thread || atomic_load_explicit(&call_watch_reasons, memory_order_relaxed) > 0) {
		begin_watched(call);
		return;
	}
	call->thread = thread;
	/* Deeper than one the driver calls its own entries: part of the call that is watched. */
	if (!thread->depth++ && !count_only(thread, call))
		watch_call(thread, call);
}

static void finish_call(struct thread *thread, struct call *call, CUresult result, uint64_t ended)
{
	struct span *span;
	uint64_t duration = ended - call->started;

	if (unlikely(result != CUDA_SUCCESS)) {
		call->flags |= SPAN_FAILED;
	} else if (!call->call_only) {
		if (unlikely(!call->operation)) {
			call->operation = see_operation(thread, call);
			call->flags |= SPAN_FIRST;
		}
		if (unlikely(!call->known)) {
			call->known = see_stream(thread, call->stream);
			if (call->known &&
			    atomic_load_explicit(&live_captures, memory_order_relaxed) > 0 &&
			    is_capturing(call->known->handle))
				call->flags |= SPAN_CAPTURED;
		}
		/* An empty copy or memset does nothing on the device. */
		if (call->no_record && call->bytes == 0 && call->operation->kind != ROW_OTHER &&
		    call->operation->kind != ROW_MOVEMENT)
			call->flags |= SPAN_CALL_ONLY;
		note_operation(thread, call);
		thread->last_generation =
			atomic_load_explicit(&operation_generation, memory_order_acquire);
	}
	span = ring_slot(&thread->ring);
	if (unlikely(!span)) {
		thread->chain = NULL;
		if (call->pair)
			thread->last_lane->spare = call->pair;
		if (call->operation && !call->flags)
			atomic_fetch_add_explicit(&call->operation->lost, 1, memory_order_relaxed);
		return;
	}
	span->started = call->started;
	span->stream = call->known;
	span->operation = call->operation;
	span->pair = call->pair;
	span->bytes = call->bytes;
	span->duration = duration < UINT32_MAX ? (uint32_t)duration : UINT32_MAX;
	span->flags = call->flags | (call->no_record ? SPAN_NO_RECORD : 0);
	span->untimed = call->untimed;
	if (control_sharing) {
		thread->chain = call->flags ? NULL : call->pair;
		thread->chain_ended = ended;
	}
	if (thread_runtime_call) {
		/* Its wrapper adds the name and the whole time, then publishes. */
		span->api = API_NONE;
		thread->deferred = span;
	} else {
		span->api = call->api;
		ring_publish(&thread->ring);
	}
}

static void add_host_ticks(struct thread *thread, uint64_t ticks)
{
	atomic_store_explicit(&thread->host_ticks,
			      atomic_load_explicit(&thread->host_ticks, memory_order_relaxed) +
				      ticks,
			      memory_order_relaxed);
}

static __attribute__((noinline)) void end_watched(struct thread *thread, struct call *call,
						  CUresult result)
{
	uint64_t ended = clock_ticks();

	if (unlikely(call->counted)) {
		/* It failed, and failures are told one by one. */
		call->entered = call->started = ended;
		call->flags = 0;
		call->known = NULL;
		call->pair = NULL;
	}
	if (call->pair) {
		int saved_errno = errno;
		CUresult recorded = driver.cuEventRecord(call->pair->end, call->known->handle);

		if (unlikely(recorded != CUDA_SUCCESS)) {
			driver_failed("cuEventRecord", recorded);
			thread->last_lane->spare = call->pair;
			call->pair = NULL;
			call->untimed = UNTIMED_RECORD_FAILED;
		}
		errno = saved_errno;
	}
	finish_call(thread, call, result, ended);
	if (unlikely(thread_runtime_call)) {
		/* Its wrapper publishes the span, and the call lasts until then. */
		thread->own_ticks += call->started - call->entered + clock_ticks() - ended;
		return;
	}
	atomic_store_explicit(&thread->in_call, 0, memory_order_release);
	/* The first calls cost more than those after, so each is taken as it is. */
	if (unlikely(++thread->watched <= COST_SAMPLE || thread->watched % COST_SAMPLE == 0)) {
		uint64_t own = call->started - call->entered + clock_ticks() - ended;

		/* A record that takes longer waits for room in the launch queue, as the launch
		 * itself would have. */
		if (thread->watched > COST_SAMPLE)
			own = (own < COST_MOST ? own : COST_MOST) * COST_SAMPLE;
		add_host_ticks(thread, own);
	}
}

static inline void end_counted(struct thread *thread, const struct call *call)
{
	thread_count(&thread->operation_calls[call->operation->index]);
	if (thread_runtime_call)
		thread->counted_call = true;
	else
		thread_count(&thread->api_calls[call->api]);
}

void call_end(struct call *call, CUresult result)
{
	struct thread *thread = call->thread;

	if (unlikely(!thread) || --thread->depth)
		return;
	if (call->counted && likely(result == CUDA_SUCCESS))
		end_counted(thread, call);
	else
		end_watched(thread, call, result);
}

void runtime_call_begin(struct runtime_call *call, uint32_t which)
{
	call->outer = thread_runtime_call;
	call->started = clock_ticks();
	thread_runtime_call = which + 1;
	if (thread_self)
		thread_self->own_ticks = 0;
}

void runtime_call_end(struct runtime_call *call, uint32_t which, int result)
{
	struct thread *thread = thread_self;
	uint64_t duration = clock_ticks() - call->started;
	struct span *span;

	thread_runtime_call = call->outer;
	if (!thread || call->outer)
		return;
	if (thread->counted_call && !thread->deferred) {
		thread->counted_call = false;
		thread_count(&thread->api_calls[API_RUNTIME(which)]);
		return;
	}
	thread->counted_call = false;
	span = thread->deferred;
	if (!span) {
		/* No driver call of ours in it: it failed early, or copied from host to host. */
		span = control_running() ? ring_slot(&thread->ring) : NULL;
		if (!span)
			goto out;
		*span = (struct span){.flags = SPAN_CALL_ONLY | (result ? SPAN_FAILED : 0) |
					       (collecting() ? 0 : SPAN_PAUSED)};
	}
	duration -= thread->own_ticks < duration ? thread->own_ticks : 0;
	span->started = call->started;
	span->duration = duration < UINT32_MAX ? (uint32_t)duration : UINT32_MAX;
	span->api = (uint16_t)API_RUNTIME(which);
	thread->deferred = NULL;
	ring_publish(&thread->ring);
	add_host_ticks(thread, thread->own_ticks);
out:
	atomic_store_explicit(&thread->in_call, 0, memory_order_release);
}
