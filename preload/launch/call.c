/* SPDX-License-Identifier: MIT */
#include "preload/launch/call.h"

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/launch/window.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/launch/describe.h"
#include "preload/launch/cold_path.h"
#include "preload/launch/event_record.h"
#include "preload/events/event_pool.h"
#include "preload/base/launch_section.h"
#include "preload/launch/thread.h"

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* ktime's own time is read off the clock in one of so many calls. */
#define COST_SAMPLE	    64

/* The first of its section: one line has room for all of it. */
_Atomic int live_captures __attribute__((aligned(64)));
_Atomic int call_watch_reasons = 1; /* until control_start */

/*
 * A stream's object without asking the driver about the handle: from this thread's map, from its
 * creation, or, for the default streams, from the current context. NULL: not known to be a stream.
 */
static struct stream *find_stream(struct thread *thread, CUstream handle)
{
	uint32_t generation = atomic_load_explicit(&stream_generation, memory_order_acquire);
	CUcontext current;
	uintptr_t key = first_sight_key(handle, &current);
	struct stream *stream;

	if (unlikely(!key))
		return NULL;
	stream = pointer_map_find(&thread->streams, key, generation);
	if (unlikely(!stream && (current || stream_known(handle))))
		stream = first_sight_stream(thread, handle);
	return stream;
}

/* The operation of a kernel or graph that this thread has seen before, else NULL. */
static inline struct operation *known_operation(struct thread *thread, const struct call *call)
{
	uint32_t generation = atomic_load_explicit(&operation_generation, memory_order_acquire);

	if (unlikely(!call->function))
		return pointer_map_find(&thread->graphs, (uintptr_t)call->graph, generation);
	/* Programs launch one kernel many times over. */
	if (call->function == thread->last_function && generation == thread->last_generation)
		return thread->last_operation;
	return pointer_map_find(&thread->kernels, (uintptr_t)call->function, generation);
}

/* What the next call may be compared with. */
static inline void note_operation(struct thread *thread, const struct call *call)
{
	thread->last_operation = call->operation;
	thread->last_stream = call->stream;
	thread->last_function = call->function;
}

static inline uint32_t next_random(struct thread *thread)
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

	if (!control_events)
		return UNTIMED_EVENTS_OFF;
	if (unlikely(call->dependent || (operation && atomic_load_explicit(&operation->followed,
									   memory_order_relaxed))))
		return UNTIMED_CHAINED;
	/* It may load its module between the two events, and CUPTI times it anyway. */
	if (unlikely(!operation) && collection_active())
		return UNTIMED_FIRST_LAUNCH;
	/* A kernel not seen before has no sampling yet. */
	if (likely(operation) &&
	    likely(!(call->decided ? !call->counted : is_sampled(thread, operation))))
		return UNTIMED_SAMPLED_OUT;
	/* Most calls come no further, and need not look at the stream. */
	if (unlikely(!call->known->context->wanted))
		return UNTIMED_EVENTS_OFF;
	if (unlikely(atomic_load_explicit(&call->known->context->ended, memory_order_acquire)))
		return UNTIMED_CONTEXT_LOST;
	return UNTIMED_COUNT;
}

/*
 * Whether a call is to be counted and no more: without CUPTI a launch that gets no event pair needs
 * neither its stream nor a span. Some are watched all the same, for the host's time of the API
 * rows.
 */
static inline bool count_only(struct thread *thread, struct call *call)
{
	struct operation *operation;

	if (!call->countable)
		return false;
	if (unlikely(++thread->calls % WATCHED_CALLS == 0)) {
		call->watched = true;
		return false;
	}
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

/* A second driver call in one runtime call; the first one stands as it is. */
static LAUNCH_SELDOM void publish_deferred(struct thread *thread)
{
	thread->deferred = NULL;
	ring_publish(&thread->ring);
}

static inline void begin_span(struct thread *thread, struct call *call)
{
	enum untimed_reason against;

	call->entered = call->started = clock_ticks();
	call->flags = 0;
	call->known = NULL;
	call->pair = NULL;
	atomic_store_explicit(&thread->in_call, call->entered, memory_order_release);
	/* Not together with the flags: two bytes, which the compiler would fetch from afar. */
	call->untimed = UNTIMED_NO_EVENT;
	if (unlikely(call->call_only))
		thread->chain = NULL;
	if (unlikely(thread->deferred))
		publish_deferred(thread);
	if (unlikely(!collecting()))
		call->flags |= SPAN_PAUSED;
	call->span = ring_slot(&thread->ring);
	span_prefetch(call->span);
	if (unlikely(call->call_only)) {
		call->flags |= SPAN_CALL_ONLY;
		return;
	}
	if (likely(!call->operation) && (call->function || call->graph))
		call->operation = known_operation(thread, call);
	call->known = find_stream(thread, call->stream);
	if (unlikely(!call->known || call->flags & SPAN_PAUSED))
		return;
	if (unlikely(atomic_load_explicit(&live_captures, memory_order_relaxed) > 0) &&
	    stream_is_capturing(call->known->handle)) {
		call->flags |= SPAN_CAPTURED;
		call->untimed = UNTIMED_CAPTURED;
		return;
	}
	if (unlikely(call->dependent) && thread->last_operation &&
	    thread->last_stream == call->stream)
		atomic_store_explicit(&thread->last_operation->followed, true,
				      memory_order_relaxed);
	against = reason_against(thread, call);
	if (likely(against != UNTIMED_COUNT)) {
		call->untimed = against;
	} else if (unlikely(!call->span)) {
		call->untimed = UNTIMED_RING_FULL; /* there may be room once the call is over */
	} else {
		inject_start(thread, call);
		call->started = clock_ticks();
	}
}

/* A call that leaves a span, with an event pair around it or without. errno is the program's. */
static LAUNCH_PATH __attribute__((noinline)) void watch_call(struct thread *thread,
							     struct call *call)
{
	int saved_errno = *thread->error;

	begin_span(thread, call);
	*thread->error = saved_errno;
}

static LAUNCH_PATH __attribute__((noinline)) void begin_watched(struct call *call)
{
	struct thread *thread = thread_self;

	if (unlikely(!thread || !control_running()))
		thread = thread ? NULL : first_sight_thread();
	call->thread = thread;
	if (thread && !thread->depth++)
		watch_call(thread, call);
}

LAUNCH_PATH void call_begin(struct call *call)
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

/* The row of a call whose runtime symbol's wrapper has passed it on. */
static uint16_t passed_row(struct thread *thread, const struct call *call)
{
	uint16_t passed = (uint16_t)API_RUNTIME(thread->passed_symbol - 1);

	thread->passed_symbol = 0;
	/* The program's own calls of the driver are not the runtime's. */
	return call->api >= API_FROM_RUNTIME(0) ? passed : call->api;
}

/* A call that finds its ring full: it is counted, its operation as not timed. */
static LAUNCH_SELDOM void finish_without_room(struct thread *thread, const struct call *call)
{
	thread->chain = NULL;
	if (call->flags & SPAN_PAUSED)
		return;
	if (call->operation && !call->flags)
		atomic_fetch_add_explicit(&call->operation->lost, 1, memory_order_relaxed);
	if (thread_runtime_call)
		thread->counted_call = true; /* its wrapper counts it */
	else
		thread_count(&thread->api_calls[thread->passed_symbol ? passed_row(thread, call)
								      : call->api]);
}

static LAUNCH_PATH void finish_call(struct thread *thread, struct call *call, CUresult result,
				    uint64_t ended)
{
	struct span *span;
	uint64_t duration = ended - call->started;

	if (unlikely(result != CUDA_SUCCESS)) {
		call->flags |= SPAN_FAILED;
	} else if (!call->call_only) {
		if (unlikely(!call->known)) {
			call->known = first_sight_stream(thread, call->stream);
			if (call->known &&
			    atomic_load_explicit(&live_captures, memory_order_relaxed) > 0 &&
			    stream_is_capturing(call->known->handle))
				call->flags |= SPAN_CAPTURED;
		}
		if (unlikely(!call->operation)) {
			call->operation =
				first_sight_operation(thread, call->function, call->graph);
			/* Its pairs are made now: the next launches may be many threads'. */
			if (call->untimed == UNTIMED_FIRST_LAUNCH && !call->flags)
				first_sight_lane(thread, call->known->context);
			call->flags |= SPAN_FIRST;
		}
		/* An empty copy or memset does nothing on the device. */
		if (call->no_record && call->bytes == 0 && call->operation->kind != ROW_OTHER &&
		    call->operation->kind != ROW_MOVEMENT)
			call->flags |= SPAN_CALL_ONLY;
		note_operation(thread, call);
		thread->last_generation =
			atomic_load_explicit(&operation_generation, memory_order_acquire);
	}
	span = call->span;
	if (unlikely(!span))
		span = ring_slot(&thread->ring);
	if (unlikely(!span)) {
		finish_without_room(thread, call);
		return;
	}
	span->started = call->started;
	span->stream = call->known;
	span->operation = call->operation;
	span->pair = call->pair;
	span->bytes = call->bytes;
	span->duration = duration < UINT32_MAX ? (uint32_t)duration : UINT32_MAX;
	span->flags = (uint8_t)(call->flags | (call->no_record ? SPAN_NO_RECORD : 0) |
				(call->watched ? SPAN_WATCHED : 0));
	span->untimed = call->untimed;
	if (control_sharing) {
		thread->chain = call->flags ? NULL : call->pair;
		thread->chain_ended = ended;
	}
	if (thread_runtime_call) {
		/* Its wrapper adds the name and the whole time, then publishes. */
		span->api = API_NONE;
		thread->deferred = span;
		return;
	}
	span->api = call->api;
	if (unlikely(thread->passed_symbol)) {
		span->api = passed_row(thread, call);
		/* This was not the whole of the runtime call: it counts and no more. */
		if (!(call->flags & SPAN_FAILED)) {
			thread_count(&thread->api_calls[span->api]);
			span->api = API_NONE;
		}
	}
	ring_publish(&thread->ring);
}

/* The first calls cost more than those after, so each is taken as it is, and every first sight. */
static __attribute__((noinline)) void add_own_time(struct thread *thread, const struct call *call,
						   uint64_t ended)
{
	uint64_t own = call->started - call->entered + clock_ticks() - ended;
	bool sampled = thread->own_taken >= COST_SAMPLE;

	thread_add_host_ticks(thread, own, sampled && !thread->first_sight ? COST_SAMPLE : 1);
	thread->own_taken += !sampled;
	thread->own_left = sampled ? COST_SAMPLE - 1 : 0;
}

static inline void end_span(struct thread *thread, struct call *call, CUresult result)
{
	uint64_t ended = clock_ticks();

	if (unlikely(call->counted)) {
		/* It failed, and failures are told one by one. */
		if (thread->deferred)
			publish_deferred(thread);
		call->entered = call->started = ended;
		call->flags = 0;
		call->known = NULL;
		call->pair = NULL;
		call->span = NULL;
	}
	if (call->pair)
		inject_end(thread, call);
	finish_call(thread, call, result, ended);
	if (unlikely(thread_runtime_call)) {
		/* Its wrapper publishes the span, and the call lasts until then. */
		thread->own_ticks += call->started - call->entered + clock_ticks() - ended;
		return;
	}
	atomic_store_explicit(&thread->in_call, 0, memory_order_release);
	if (unlikely(thread->own_left-- == 0))
		add_own_time(thread, call, ended);
}

static LAUNCH_PATH __attribute__((noinline)) void end_watched(struct thread *thread,
							      struct call *call, CUresult result)
{
	int saved_errno = *thread->error;

	end_span(thread, call, result);
	*thread->error = saved_errno;
}

static inline void end_counted(struct thread *thread, const struct call *call)
{
	uint16_t api = call->api;

	thread_count(&thread->operation_calls[call->operation->index]);
	if (unlikely(thread->passed_symbol | thread_runtime_call)) {
		thread->counted_call = thread_runtime_call;
		if (thread_runtime_call)
			return;
		api = passed_row(thread, call);
	}
	thread_count(&thread->api_calls[api]);
}

LAUNCH_PATH void call_end(struct call *call, CUresult result)
{
	struct thread *thread = call->thread;

	if (unlikely(!thread) || --thread->depth)
		return;
	if (call->counted && likely(result == CUDA_SUCCESS))
		end_counted(thread, call);
	else
		end_watched(thread, call, result);
}
