/* SPDX-License-Identifier: MIT */
/* The path of call records into the rows: counts them, and keeps operations in flight until both
 * clocks have said how long they took, or have been given up. For the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_CALLS_H
#define KTIME_PRELOAD_COLLECTOR_CALLS_H

#include "preload/collector/match.h"
#include "preload/events/event_queue.h"
#include "preload/launch/thread.h"

/* Takes a call record from a thread's ring. */
void calls_take(const struct thread *thread, const struct call_record *record);
/* Takes a thread's count-only calls since the last time. */
void calls_take_counts(struct thread *thread);
/* Takes an operation whose event pair has been read or given up: the callback of event_queue_poll()
 * and event_queue_give_up(). */
void calls_timed(struct in_flight *operation, enum event_end end);

/* A call has been matched with the activity record of this correlation id, and waits for it no
 * longer. */
void calls_matched(const struct in_flight *operation, uint32_t correlation);
/*
 * Gives a matched operation the time of its record, in nanoseconds, and what else ran on the
 * device. If `timed` is false, the record does not tell the call's time. The operation may be
 * freed.
 */
void calls_recorded(struct in_flight *operation, bool timed, uint64_t nanoseconds, bool overlapped,
		    bool device_idle);
/* The matcher has given up a call: no activity record can be assigned to it. */
void calls_unmatched(struct in_flight *operation);
/* Whether any call was given up, and how many wait for their records. */
extern bool calls_given_up;
extern size_t calls_expected;

/* To be called at the end: gives up calls without records, and subtracts the event-pair
 * overheads. */
void calls_finish(void);

#endif
