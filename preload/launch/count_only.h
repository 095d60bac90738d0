/* SPDX-License-Identifier: MIT */
/*
 * Count-only launches: those that get no event pair, where nothing else needs a call record of
 * them. They are counted inside the wrapper, and by a thread in few cache lines: one of its struct
 * thread, the operation's and its count's, besides those that all launches share.
 *
 * What is asked before the real call changes nothing unless the launch is count-only, so that
 * call_begin() can begin anew with one that is not.
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

/*
 * The operation of a count-only launch by its handle; NULL if it needs a call record: the thread
 * has not launched it before, or has counted its operation in another API row, or it is beyond the
 * counters.
 */
static inline struct operation *count_only_find(struct thread *thread, const struct call *call,
						uint16_t row, uint32_t generation)
{
	struct operation *operation =
		call->graph
			? pointer_map_find(&thread->graphs, (uintptr_t)call->graph, generation)
			: pointer_map_find(&thread->kernels, (uintptr_t)call->function, generation);
	uint16_t counted;

	if (!operation || operation->index >= COUNTED_OPERATIONS)
		return NULL;
	if (!(row & COUNTED_OUTSIDE)) {
		counted = atomic_load_explicit(&thread->operation_rows[operation->index],
					       memory_order_relaxed);
		if (!counted)
			atomic_store_explicit(&thread->operation_rows[operation->index], row + 1,
					      memory_order_relaxed);
		else if (counted != row + 1)
			return NULL;
	}
	thread->last_counter = operation->index + (row & COUNTED_OUTSIDE ? COUNTED_OPERATIONS : 0);
	thread->last_operation = operation;
	thread->last_function = call->function;
	thread->last_row = row;
	return operation;
}

/* Whether the random draw chooses the operation's call for an event pair. The number is taken only
 * if it does not: call_begin() makes the same draw. */
static inline bool count_only_draw(struct thread *thread, const struct operation *operation)
{
	uint32_t below = atomic_load_explicit(&operation->sample_below, memory_order_relaxed);
	uint32_t random;

	if (below == 0)
		return false;
	random = thread_next_random(thread->random);
	if (random < below)
		return true;
	thread->random = random;
	return false;
}

/* count_only_begin() inside or outside of the profiling window. */
static inline __attribute__((always_inline)) bool count_only_try(const struct call *call,
								 bool outside)
{
	const uint16_t side = outside ? COUNTED_OUTSIDE : 0;
	struct thread *thread = thread_self;
	struct operation *operation;
	uint16_t row = call->record.api;
	uint32_t generation;

	if (!thread || thread->in_progress || (!outside && thread->calls_to_count == 0))
		return false;
	if (row >= API_FROM_RUNTIME(0) && runtime_call.role == RUNTIME_CALL_NAMES)
		row = (uint16_t)API_RUNTIME(runtime_call.symbol);
	else if (runtime_call.role != RUNTIME_CALL_NONE)
		return false;
	generation = atomic_load_explicit(&operation_generation, memory_order_acquire);
	operation = thread->last_operation;
	/* Fast path: programs often launch one kernel many times in a row. */
	if (call->graph || __builtin_expect(call->function != thread->last_function ||
						    (row | side) != thread->last_row ||
						    generation != thread->kernels.generation,
					    0)) {
		operation = count_only_find(thread, call, row | side, generation);
		if (!operation)
			return false;
	}
	if (!outside) {
		if (__builtin_expect(mode_events, 1) && count_only_draw(thread, operation))
			return false;
		thread->calls_to_count--;
	}
	if (row >= API_RUNTIME(0))
		runtime_call.role = RUNTIME_CALL_NONE;
	thread->in_progress = COUNT_ONLY_CALL;
	thread->last_stream = call->stream;
	return true;
}

/*
 * Before the real call of a launch, in its wrapper: whether the launch is count-only. Then
 * count_only_end() is to be called after it, else call_begin() before it. `call` is its description
 * alone, which the compiler keeps in registers.
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

/* After the real call. A launch that was in flight while the window opened or closed counts as
 * before. Keeps errno. */
static inline void count_only_end(CUresult result)
{
	struct thread *thread = thread_self;

	thread->in_progress = 0;
	if (__builtin_expect(result == CUDA_SUCCESS, 1))
		thread_count(&thread->operation_calls[thread->last_counter]);
	else
		call_failed(thread, result);
}

#endif
