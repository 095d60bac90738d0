/* SPDX-License-Identifier: MIT */
/* What the timeline is told of call records and activity records. For the collector thread only. */
#ifndef KTIME_PRELOAD_TIMELINE_FEED_H
#define KTIME_PRELOAD_TIMELINE_FEED_H

#include "cupti/activity.h"
#include "preload/events/in_flight.h"
#include "preload/launch/thread.h"

/* To be called first. */
void feed_start(struct session *session);
/* Takes a call record of a thread; the calls of one thread in order. */
void feed_call(struct thread *thread, const struct call_record *record,
	       const struct clock_scale *scale);
/* Takes an operation by its record, with its row and its call (NULL: not known). `clock_trusted`:
 * the record's times can be compared with the call's. */
void feed_operation(const struct activity *activity, const struct row *row,
		    const struct in_flight *call, bool clock_trusted);

#endif
