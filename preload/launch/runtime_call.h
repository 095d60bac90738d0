/* SPDX-License-Identifier: MIT */
/*
 * The runtime call that a thread is in, where a runtime symbol is wrapped: the driver call inside
 * gives the operation, the runtime call the name and the host time of the API row. Only the
 * outermost counts; a runtime call inside of another, or of a driver call, is a part of that.
 */
#ifndef KTIME_PRELOAD_LAUNCH_RUNTIME_CALL_H
#define KTIME_PRELOAD_LAUNCH_RUNTIME_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/launch_section.h"
#include "preload/base/mode.h"
#include "preload/launch/call_record.h"
#include "preload/launch/thread.h"

enum runtime_call_role {
	RUNTIME_CALL_NONE,
	/* Its wrapper has put nothing around it: it lends its name to the driver call inside. */
	RUNTIME_CALL_NAMES,
	/* Its wrapper completes the record of the driver call inside and publishes it. */
	RUNTIME_CALL_TIMES,
};

struct runtime_call {
	uint16_t symbol;	    /* enum runtime_symbol */
	uint8_t role;		    /* enum runtime_call_role */
	bool counted;		    /* the driver call inside was only counted */
	struct call_record *record; /* of the driver call inside, to be completed; may be NULL */
	uint64_t started;	    /* ticks */
	uint64_t overhead;	    /* ticks that ktime took within */
};
extern __thread struct runtime_call runtime_call __attribute__((tls_model("initial-exec")));

/* Around the real runtime call; runtime_call_begin says whether this is the outermost one, which
 * runtime_call_end is told again. */
bool runtime_call_begin(enum runtime_symbol which);
void runtime_call_end(bool outermost, int result);

/*
 * Whether a launch goes on to the real runtime with nothing around it: the driver's wrapper inside
 * will most likely only count it. A thread's first is recorded: a program may make no other, and
 * its row would have no time.
 */
static inline bool runtime_call_passes_on(enum runtime_symbol which)
{
	struct thread *thread = thread_self;

	if (!thread || atomic_load_explicit(&count_only_blocks, memory_order_relaxed) > 0 ||
	    (thread->calls + 1) % RECORDED_CALLS == 0 || thread->depth > 0 ||
	    thread->kernels.used == 0 || runtime_call.role == RUNTIME_CALL_TIMES)
		return false;
	runtime_call.symbol = (uint16_t)which;
	runtime_call.role = RUNTIME_CALL_NAMES;
	return true;
}

/* Such a launch has failed: if it came to no driver call, it leaves its record from here. */
void runtime_call_failed(enum runtime_symbol which) LAUNCH_SELDOM;

/* The rest is for the driver's wrapper inside, on the same thread. */

static inline bool runtime_call_is_around(void)
{
	return runtime_call.role == RUNTIME_CALL_TIMES;
}

/* A second driver call in one runtime call: the first one's record stands as it is. */
static inline void runtime_call_publish_earlier(struct thread *thread)
{
	if (__builtin_expect(runtime_call.record != NULL, 0)) {
		runtime_call.record = NULL;
		ring_publish(&thread->ring);
	}
}

/* Leaves the record in its slot for the runtime call's wrapper. */
static inline void runtime_call_take(const struct call_record *record, struct call_record *slot)
{
	*slot = *record;
	slot->api = API_NONE;
	runtime_call.record = slot;
}

/* Whether the runtime call's wrapper counts the call in its API row. */
static inline bool runtime_call_counts(void)
{
	if (__builtin_expect(!runtime_call_is_around(), 1))
		return false;
	runtime_call.counted = true;
	return true;
}

/* The API row of a driver call: that of the runtime call which lends its name, unless the program
 * made the driver call itself. */
static inline uint16_t runtime_call_row(uint16_t api)
{
	if (__builtin_expect(runtime_call.role != RUNTIME_CALL_NAMES, 1))
		return api;
	runtime_call.role = RUNTIME_CALL_NONE;
	return api >= API_FROM_RUNTIME(0) ? (uint16_t)API_RUNTIME(runtime_call.symbol) : api;
}

#endif
