/* SPDX-License-Identifier: MIT */
/* What the timeline is told of call records and activity records. For the collector thread only. */
#ifndef KTIME_PRELOAD_TIMELINE_FEED_H
#define KTIME_PRELOAD_TIMELINE_FEED_H

#include "cupti/activity.h"
#include "preload/events/in_flight.h"
#include "preload/launch/call_record.h"
#include "preload/launch/thread.h"

/* Takes a call record of a thread; the calls of one thread in order. Returns its number
 * (host_calls.h), or 0. */
uint32_t feed_call(struct thread *thread, const struct call_record *record,
		   const struct clock_scale *scale);
/* Takes an operation by its record, with its row and its call (NULL: not known). */
void feed_operation(const struct activity *activity, const struct row *row,
		    const struct in_flight *call);

#endif
