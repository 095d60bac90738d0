/* SPDX-License-Identifier: MIT */
/* The path of call records into the rows: counts them, and keeps operations in flight until both
 * clocks have said how long they took, or have been given up. For the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_CALLS_H
#define KTIME_PRELOAD_COLLECTOR_CALLS_H

#include "preload/collector/match.h"
#include "preload/events/in_flight.h"
#include "preload/events/event_queue.h"
#include "preload/launch/thread.h"

/* Takes a call record from a thread's ring. */
void calls_take(const struct thread *thread, const struct call_record *record);
/* Takes a thread's count-only calls since the last time. */
void calls_take_counts(struct thread *thread);
/* Takes an operation whose event pair has been read or given up: the callback of event_queue_poll()
 * and event_queue_give_up(). */
void calls_timed(struct in_flight *operation, enum event_end end);

/* Gives a call the time of its activity record. The call may be freed by this. */
void calls_take_record(const struct seen *seen);
/* The matcher has given up a call: no activity record can be assigned to it. */
void calls_unmatched(struct in_flight *operation);
/* Whether calls_unmatched() was ever called. */
extern bool calls_given_up;

/* How many bytes the operations in flight take, with those that are kept for reuse. */
size_t calls_memory(void);

/* To be called at the end: gives up calls without records, and subtracts the event-pair
 * overheads. */
void calls_finish(void);

#endif
