/* SPDX-License-Identifier: MIT */
/*
 * The launch path: one call of a wrapped driver function, from the wrapper's entry to its return.
 *
 * call_begin() and call_end() bracket the real call. Once a thread has met its streams and kernels
 * they take no lock, allocate nothing and make no system call.
 */
#ifndef KTIME_PRELOAD_LAUNCH_CALL_H
#define KTIME_PRELOAD_LAUNCH_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/atomics.h"
#include "preload/base/launch_state.h"
#include "preload/base/plan.h"
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/launch/runtime_call.h"
#include "preload/launch/thread.h"

/* What else is in progress on the thread when a wrapped call begins. */
enum call_inside {
	CALL_INSIDE_NOTHING,
	/* Another wrapped call, or one that was left by a longjmp: recorded like any other. */
	CALL_INSIDE_CALL,
	/* A part of ktime that may hold a lock (own_part.h): counted and not recorded. */
	CALL_INSIDE_KTIME,
	/* A driver function, which makes this call itself: part of the outer call, not counted. */
	CALL_INSIDE_DRIVER,
};

/* A call that allocates or frees memory in the order of a stream. */
enum pool_call {
	POOL_CALL_NONE,
	POOL_CALL_ALLOCATES, /* `host` is where the address goes, record.bytes the size */
	POOL_CALL_FREES,     /* `host` is freed */
	POOL_CALL_FREEING,   /* `host` is freed, and memory/ was told so before the real call */
};

struct call {
	/* What the collector gets; call_describe() and the functions of describe.h fill in its
	 * first members. */
	struct call_record record;

	/* The rest of the description: the program's handles, to be used only until the call
	 * returns. */
	CUstream default_stream; /* what stream NULL means: 0x1 or 0x2 */
	CUstream stream;
	CUfunction function; /* NULL: record.operation or `graph` tells what is launched */
	CUgraphExec graph;
	const void *host; /* the host address of a copy, or NULL */
	union {
		uint64_t marks; /* clears those below at once */
		struct {
			bool synchronous;  /* waits for the copy: an event pair would include host
					      work */
			bool asynchronous; /* its function returns before its operation ends */
			bool countable;	   /* may be count-only: its wrapper asks */
			bool dependent;	   /* a programmatic dependent launch */
			bool gated;	   /* set by call_begin(): its stream waits for the thread's
					      gate */
			uint8_t pool;	   /* enum pool_call */
			uint8_t inside;	   /* enum call_inside: set by call_begin() */
			bool counted;	   /* is count-only: set by call_begin_or_count() */
		};
	};

	/* Set by call_begin(). `thread` is NULL if the call is not recorded; the other two are then
	 * not set. */
	struct thread *thread;
	/* Where the record goes; NULL if the ring was full. The thread publishes no other record
	 * before call_end(). */
	struct call_record *slot;
	uint64_t entered; /* ticks */

	/* If the call is made while another one is in progress: the outer call's counter, to be
	 * restored at the end, in case the outer call is count-only. */
	uint32_t counter_before;
	uint16_t row_before;
};
_Static_assert(offsetof(struct call, counted) < offsetof(struct call, marks) + 8,
	       "marks must cover all of them");

/* Begins the description of a call: its API row, and what stream NULL means. */
static inline void call_describe(struct call *call, uint16_t api, CUstream default_stream)
{
	call->record.api = api;
	call->record.flags = 0;
	call->record.operation = NULL;
	call->record.bytes = 0;
	call->default_stream = default_stream;
	call->stream = NULL;
	call->function = NULL;
	call->graph = NULL;
	call->host = NULL;
	call->marks = 0;
}

/* To be called before and after the real call, on the calling thread, unless the call is count-only
 * (below). `caller`: the return address of the wrapper. Both keep errno. */
void call_begin(struct call *call, const void *caller);
void call_end(struct call *call, CUresult result);
/* After the real call of a count-only call, which has failed: every failure leaves a call record.
 * Keeps errno. */
void call_failed(struct thread *thread, CUresult result) LAUNCH_COLD;

/* For all calls but launches, in place of call_begin() and call_end(): decides too whether a copy
 * or memset is count-only. */
void call_begin_or_count(struct call *call, const void *caller);
void call_end_or_count(struct call *call, CUresult result);

/* One call of a function of host_calls.def, from the wrapper's entry to its return. It leaves a
 * call record without operation and stream. Keeps errno, takes no lock. */
struct timed_call {
	struct thread *thread; /* NULL: the call is not timed */
	uint64_t started;      /* ticks */
};

/* To be called before and after the real call, on its thread. The call is not timed if the thread
 * has started no GPU work yet, or if it is made inside another wrapped call. */
void host_call_begin(struct timed_call *call);
void host_call_end(const struct timed_call *call, uint16_t api, CUresult result);

/*
 * Count-only calls: launches, copies and memsets that get no event pair and no call record; the
 * wrapper only increments a counter. That touches few cache lines: one of struct thread, the
 * operation's, the counter's, and those that all launches share; for copies and memsets also the
 * sums of their sizes.
 *
 * The checks before the real call leave no lasting change unless they find the call to be
 * count-only, so call_begin() can start afresh with a call that is not.
 */

/* Whether the random draw chooses the operation's call for an event pair. If it does, the random
 * generator is not advanced, so that call_begin() repeats the same draw. */
static inline bool count_only_draw(struct thread *thread, const struct operation *operation)
{
	uint32_t below, random;

	if (__builtin_expect(!launch_state.events, 0))
		return false;
	below = load_relaxed(&operation->sample_below);
	if (below == 0)
		return false;
	random = thread_next_random(thread->random);
	if (random < below)
		return true;
	thread->random = random;
	return false;
}

/*
 * Finds the operation of a call (of a launch: by its handle) and stores it as the thread's last
 * one. False if the call needs a call record: it is the thread's first call of the operation, the
 * thread has counted the operation in another API row, the operation has no counter, or the draw
 * chose it.
 */
static inline bool count_only_find(struct thread *thread, struct operation *fixed,
				   CUfunction function, CUgraphExec graph, uint16_t row,
				   uint32_t generation)
{
	struct operation *operation =
		fixed	? fixed
		: graph ? pointer_map_find(&thread->graphs, (uintptr_t)graph, generation)
			: pointer_map_find(&thread->kernels, (uintptr_t)function, generation);
	uint16_t counted;

	if (!operation || operation->index >= COUNTED_OPERATIONS)
		return false;
	if (!(row & COUNTED_OUTSIDE)) {
		counted = load_relaxed(&thread->operation_rows[operation->index]);
		if (!counted)
			store_relaxed(&thread->operation_rows[operation->index], row + 1);
		/* The thread's first call of an operation needs a record. Launches were found by
		 * the thread's maps, so they are not the first, and runtime_call_passes_on() has
		 * checked calls that a runtime function makes. */
		if ((counted != row + 1 && (counted || (fixed && row < API_RUNTIME(0)))) ||
		    count_only_draw(thread, operation))
			return false;
	}
	thread->last_counter = operation->index + (row & COUNTED_OUTSIDE ? COUNTED_OPERATIONS : 0);
	thread->last_operation = operation;
	thread->last_function = function;
	thread->last_row = row;
	return true;
}

/* count_only_begin() inside or outside of the profiling window. */
static inline __attribute__((always_inline)) bool count_only_try(const struct call *call,
								 bool outside)
{
	const uint16_t side = outside ? COUNTED_OUTSIDE : 0;
	struct thread *thread = thread_self;
	uint16_t row = call->record.api;
	uint32_t generation;

	if (!thread || thread->in_progress || (!outside && thread->calls_to_count == 0))
		return false;
	if (row >= API_FROM_RUNTIME(0) && runtime_call.role == RUNTIME_CALL_NAMES)
		row = (uint16_t)API_RUNTIME(runtime_call.symbol);
	else if (runtime_call.role != RUNTIME_CALL_NONE)
		return false;
	generation = load_acquire(&launch_state.operation_generation);
	/* Fast path: programs often launch one kernel many times in a row. */
	if (call->record.operation || call->graph ||
	    __builtin_expect(call->function != thread->last_function ||
				     (row | side) != thread->last_row ||
				     generation != thread->kernels.generation,
			     0)) {
		if (!count_only_find(thread, call->record.operation, call->function, call->graph,
				     row | side, generation))
			return false;
	} else if (!outside && count_only_draw(thread, thread->last_operation)) {
		return false;
	}
	if (!outside)
		thread->calls_to_count--;
	if (row >= API_RUNTIME(0))
		runtime_call.role = RUNTIME_CALL_NONE;
	thread->in_progress = COUNT_ONLY_CALL;
	thread->last_stream = call->stream;
	return true;
}

/*
 * To be called before the real call if the call may be count-only. If it returns true, the call is,
 * and count_only_end() follows the real call; else call call_begin() before the real call. A
 * launch's wrapper fills in only the description in `call`, which the compiler keeps in registers.
 */
static inline __attribute__((always_inline)) bool count_only_begin(const struct call *call)
{
	int state = plan_of_launch();

	if (!call->countable)
		return false;
	if (__builtin_expect(state == 0, 1))
		return count_only_try(call, false);
	return state == NEEDS_NOTHING_OUTSIDE && count_only_try(call, true);
}

/* After the real call. A call that was in flight while the window opened or closed counts as
 * before. Keeps errno. */
static inline __attribute__((always_inline)) void count_only_end(const struct call *call,
								 CUresult result)
{
	struct thread *thread = thread_self;

	thread->in_progress = 0;
	if (__builtin_expect(result != CUDA_SUCCESS, 0)) {
		call_failed(thread, result);
		return;
	}
	thread_count(&thread->operation_calls[thread->last_counter]);
	if (call->record.operation && thread->last_counter < SIZED_OPERATIONS)
		thread_count_bytes(&thread->sizes[thread->last_counter], call->record.bytes);
}

#endif
