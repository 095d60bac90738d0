/* SPDX-License-Identifier: MIT */
/*
 * A runtime symbol's wrapper around the real runtime call: the driver call inside gives the
 * operation, this one the name and the host time of the API row.
 */
#ifndef KTIME_PRELOAD_LAUNCH_RUNTIME_CALL_H
#define KTIME_PRELOAD_LAUNCH_RUNTIME_CALL_H

#include "preload/launch/call.h"
#include "preload/launch/thread.h"

struct runtime_call {
	uint32_t outer;
	uint64_t started;
};
void runtime_call_begin(struct runtime_call *call, uint32_t which);
void runtime_call_end(struct runtime_call *call, uint32_t which, int result);

/*
 * Whether a launch goes on to the real runtime with nothing around it: the driver's wrapper inside
 * will most likely only count it, and is left the symbol for the name of its row. A thread's first
 * is watched: a program may make no other, and its row would have no time.
 */
static inline bool runtime_call_passes_on(uint32_t which)
{
	struct thread *thread = thread_self;

	if (!thread || atomic_load_explicit(&call_watch_reasons, memory_order_relaxed) > 0 ||
	    (thread->calls + 1) % WATCHED_CALLS == 0 || thread->depth > 0 ||
	    thread->kernels.used == 0)
		return false;
	thread->passed_symbol = which + 1;
	return true;
}

/* Such a launch has failed: where it came to no driver call, it leaves its row from here. */
void runtime_call_failed(uint32_t which) LAUNCH_SELDOM;

#endif
