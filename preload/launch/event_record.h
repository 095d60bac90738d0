/* SPDX-License-Identifier: MIT */
/* Recording the two events around a call, on the calling thread, within its wrapper. */
#ifndef KTIME_PRELOAD_LAUNCH_EVENT_RECORD_H
#define KTIME_PRELOAD_LAUNCH_EVENT_RECORD_H

#include "preload/base/launch_section.h"
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"
#include "preload/launch/call.h"
#include "preload/launch/thread.h"

/* Takes a pair and records its start event into the call's stream. If that fails the call goes on
 * without a pair, with the reason in `untimed`. */
void event_record_start(struct thread *thread, struct call *call);
/* Gives back the pair of a call whose event could not be recorded. */
void event_record_failed(struct thread *thread, struct call *call) LAUNCH_COLD;

/* Opens the gate of a call. Throws its pair away if the reporter has opened it before. */
void event_record_open(struct thread *thread, struct call *call);

/* Records the pair's end event; if that fails the call goes on without a pair. */
static inline void event_record_end(struct thread *thread, struct call *call)
{
	if (__builtin_expect(driver.cuEventRecord(call->record.pair->end,
						  call->record.stream->handle) != CUDA_SUCCESS,
			     0))
		event_record_failed(thread, call);
	if (call->gated)
		event_record_open(thread, call);
}

#endif
