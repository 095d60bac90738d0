/* SPDX-License-Identifier: MIT */
/*
 * Count-only calls: launches, copies and memsets that get no event pair, where nothing else needs a
 * call record of them. They are counted inside the wrapper, and by a thread in few cache lines: one
 * of its struct thread, the operation's and its count's, besides those that all launches share; and
 * those of the sizes of copies and memsets.
 *
 * What is asked before the real call changes nothing that matters unless the call is count-only, so
 * that call_begin() can begin anew with one that is not.
 */
#ifndef KTIME_PRELOAD_LAUNCH_COUNT_ONLY_H
#define KTIME_PRELOAD_LAUNCH_COUNT_ONLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/launch_section.h"
#include "preload/base/mode.h"
#include "preload/launch/call.h"
#include "preload/launch/runtime_call.h"
#include "preload/launch/thread.h"

/* Whether the random draw chooses the operation's call for an event pair. The number is taken only
 * if it does not: call_begin() makes the same draw. */
static inline bool count_only_draw(struct thread *thread, const struct operation *operation)
{
	uint32_t below, random;

	if (__builtin_expect(!mode_events, 0))
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
	generation = atomic_load_explicit(&operation_generation, memory_order_acquire);
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
	int state = count_only_state();

	if (!call->countable)
		return false;
	if (__builtin_expect(state == 0, 1))
		return count_only_try(call, false);
	return state == COUNT_ONLY_OUTSIDE && count_only_try(call, true);
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
