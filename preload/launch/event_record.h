/* SPDX-License-Identifier: MIT */
/* The two event records around a call, made by the thread that calls, within its wrapper. */
#ifndef KTIME_PRELOAD_LAUNCH_EVENT_RECORD_H
#define KTIME_PRELOAD_LAUNCH_EVENT_RECORD_H

#include "preload/launch/call.h"
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"
#include "preload/base/launch_section.h"
#include "preload/launch/thread.h"

/*
 * Takes a pair and records its start into the call's stream, or lets it begin where the last call's
 * ended. Where that fails the call goes without a pair, and `untimed` says why.
 */
void inject_start(struct thread *thread, struct call *call);
/* Gives back the pair of a call whose record has failed. */
void inject_failed(struct thread *thread, struct call *call) LAUNCH_SELDOM;

/* Records the pair's end; where that fails the call goes without. */
static inline void inject_end(struct thread *thread, struct call *call)
{
	if (__builtin_expect(
		    driver.cuEventRecord(call->pair->end, call->known->handle) != CUDA_SUCCESS, 0))
		inject_failed(thread, call);
}

#endif
