/* SPDX-License-Identifier: MIT */
/*
 * The launch path: one call of a wrapped driver function, from the wrapper's entry to its return.
 *
 * call_begin() and call_end() bracket the real call. Once a thread has met its streams and kernels
 * they take no lock, allocate nothing and make no system call.
 */
#ifndef KTIME_PRELOAD_LAUNCH_CALL_H
#define KTIME_PRELOAD_LAUNCH_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/launch_state.h"
#include "preload/base/plan.h"
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/launch/runtime_call.h"
#include "preload/launch/thread.h"

/* What a call is inside of on its thread. */
enum call_inside {
	CALL_INSIDE_NOTHING,
	/* Another call is in progress, or was left: a call in its own right. */
	CALL_INSIDE_CALL,
	/* A part of ktime that may hold a lock: counted, and no more. */
	CALL_INSIDE_KTIME,
	/* A function of the driver's, which made it: part of that one's call. */
	CALL_INSIDE_DRIVER,
};

/* A call that allocates or frees memory in the order of a stream. */
enum pool_call {
	POOL_CALL_NONE,
	POOL_CALL_ALLOCATES, /* `host` is where the address goes, record.bytes the size */
	POOL_CALL_FREES,     /* `host` is freed */
	POOL_CALL_FREEING,   /* and was noted before the real call */
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

	/* Of a call made while another one was in progress: what that one counts by if it is
	 * count-only. */
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

/* Before and after the real call of all that is not count-only (below), on the calling
 * thread. `caller` is the wrapper's. Both keep errno. */
void call_begin(struct call *call, const void *caller);
void call_end(struct call *call, CUresult result);
/* After the real call of a count-only call, which has failed: every failure leaves a call record.
 * Keeps errno. */
void call_failed(struct thread *thread, CUresult result) LAUNCH_COLD;

/* The whole of it for calls that are not launches, in place of call_begin() and call_end(): copies
 * and memsets may be count-only. */
void call_begin_or_count(struct call *call, const void *caller);
void call_end_or_count(struct call *call, CUresult result);

/* One call of a function of host_calls.def, from the wrapper's entry to its return. It leaves a
 * call record without operation and stream. Keeps errno, takes no lock. */
struct timed_call {
	struct thread *thread; /* NULL: the call is not timed */
	uint64_t started;      /* ticks */
};

/* Before and after the real call, on its thread. A thread that has not made the GPU work, and a
 * call inside another wrapped one, are not timed. */
void host_call_begin(struct timed_call *call);
void host_call_end(const struct timed_call *call, uint16_t api, CUresult result);

/*
 * Count-only calls: launches, copies and memsets that get no event pair, where nothing else needs a
 * call record of them. They are counted inside the wrapper, and by a thread in few cache lines: one
 * of its struct thread, the operation's and its count's, besides those that all launches share; and
 * those of the sizes of copies and memsets.
 *
 * What is asked before the real call changes nothing that matters unless the call is count-only, so
 * that call_begin() can begin anew with one that is not.
 */

/* Whether the random draw chooses the operation's call for an event pair. The number is taken only
 * if it does not: call_begin() makes the same draw. */
static inline bool count_only_draw(struct thread *thread, const struct operation *operation)
{
	uint32_t below, random;

	if (__builtin_expect(!launch_state.events, 0))
		return false;
	below = atomic_load_explicit(&operation->sample_below, memory_order_relaxed);
	if (below == 0)
		return false;
	random = thread_next_random(thread->random);
	if (random < below)
		return true;
	thread->random = random;
	return false;
}

/*
 * Finds the operation of a call, of a launch by its handle, and keeps it as the thread's last one;
 * false if the call needs a call record: it is the thread's first one, or the thread has counted
 * the operation in another API row, or it is beyond the counters, or drawn.
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
		counted = atomic_load_explicit(&thread->operation_rows[operation->index],
					       memory_order_relaxed);
		if (!counted)
			atomic_store_explicit(&thread->operation_rows[operation->index], row + 1,
					      memory_order_relaxed);
		/* Whether it is a thread's first one the maps have told of launches, and
		 * runtime_call_passes_on() of what runtime calls make. */
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
	generation = atomic_load_explicit(&launch_state.operation_generation, memory_order_acquire);
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
 * Before the real call of what may be count-only: whether it is. Then count_only_end() is to be
 * called after it, else call_begin() before it. In the wrapper of a launch `call` is its
 * description alone, which the compiler keeps in registers.
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
