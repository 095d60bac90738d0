/* SPDX-License-Identifier: MIT */
/*
 * The wrapped runtime call that a thread is in, such as cudaLaunchKernel. The driver call that it
 * makes, such as cuLaunchKernel, gives the operation; the runtime call gives the API row's name and
 * the host time. A runtime call inside another runtime or driver call is part of the outer one.
 */
#ifndef KTIME_PRELOAD_LAUNCH_RUNTIME_CALL_H
#define KTIME_PRELOAD_LAUNCH_RUNTIME_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/launch_state.h"
#include "preload/base/plan.h"
#include "preload/launch/thread.h"

enum runtime_call_role {
	RUNTIME_CALL_NONE,
	/* A launch that is not timed: it only gives the driver call inside its name. */
	RUNTIME_CALL_NAMES,
	/* A timed call: its wrapper completes the record of the driver call inside and publishes
	 * it. */
	RUNTIME_CALL_TIMES,
};

struct runtime_call {
	uint16_t symbol;	    /* enum runtime_symbol */
	uint8_t role;		    /* enum runtime_call_role */
	struct call_record *record; /* the record of the driver call inside; may be NULL */
	uint64_t started;	    /* ticks at its start */
	uintptr_t frame;	    /* a stack address of its wrapper */
	uint64_t overhead;	    /* ticks that ktime took inside */
};
extern __thread struct runtime_call runtime_call __attribute__((tls_model("initial-exec")));

/* To be called before and after the real runtime call, on its thread, unless the runtime makes it
 * inside of another one. Pass what runtime_call_begin() returns to runtime_call_end(). */
uint64_t runtime_call_begin(enum runtime_symbol which);
void runtime_call_end(uint64_t begun, int result);

/*
 * Whether a launch or copy calls the real runtime function without being timed, because the driver
 * call inside will most likely be count-only. Never a thread's first call of the function: its row
 * would have no time if the program makes no other.
 */
static inline bool runtime_call_passes_on(enum runtime_symbol which)
{
	struct thread *thread = thread_self;
	int state = plan_of_launch();

	if (!thread || (state != 0 && state != NEEDS_NOTHING_OUTSIDE) ||
	    (state == 0 &&
	     (thread->calls_to_count == 0 || !(thread->timed_symbols & (uint32_t)1 << which))) ||
	    thread->in_progress || runtime_call.role == RUNTIME_CALL_TIMES)
		return false;
	runtime_call.symbol = (uint16_t)which;
	runtime_call.role = RUNTIME_CALL_NAMES;
	return true;
}

/* To be called after a runtime call for which runtime_call_passes_on() was true, if it failed or
 * may have made no driver call, as a copy from host to host: leaves a call record if it made none.
 */
void runtime_call_passed(enum runtime_symbol which, int result) LAUNCH_COLD;

/* The functions below are for the wrapper of the driver function that the runtime calls, on the
 * same thread. */

/* Whether a timed runtime call is around this driver call. */
static inline bool runtime_call_is_around(void)
{
	return runtime_call.role == RUNTIME_CALL_TIMES;
}

/* Whether the runtime call was left by a longjmp: the stack frame of this driver call lies above
 * the runtime call's. If so, the runtime call is not around any more. */
static inline bool runtime_call_was_left(const void *frame)
{
	if ((uintptr_t)frame < runtime_call.frame)
		return false;
	runtime_call.role = RUNTIME_CALL_NONE;
	return true;
}

/* At a second driver call in one runtime call: publishes the first one's record as it is. */
static inline void runtime_call_publish_earlier(struct thread *thread)
{
	if (__builtin_expect(runtime_call.record != NULL, 0)) {
		runtime_call.record = NULL;
		ring_publish(&thread->ring);
	}
}

/* Stores the driver call's record in its slot unpublished: the runtime call's wrapper completes and
 * publishes it. */
static inline void runtime_call_take(const struct call_record *record, struct call_record *slot)
{
	*slot = *record;
	slot->api = API_NONE;
	runtime_call.record = slot;
}

/* The API row of a driver call: the runtime call's around it, unless the program called the
 * driver. */
static inline uint16_t runtime_call_row(uint16_t api)
{
	if (__builtin_expect(runtime_call.role != RUNTIME_CALL_NAMES, 1))
		return api;
	runtime_call.role = RUNTIME_CALL_NONE;
	return api >= API_FROM_RUNTIME(0) ? (uint16_t)API_RUNTIME(runtime_call.symbol) : api;
}

#endif
