/* SPDX-License-Identifier: MIT */
/*
 * Call records on their way into the rows: counted, and kept in flight until both clocks have said
 * how long the operation took. The collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_CALLS_H
#define KTIME_PRELOAD_COLLECTOR_CALLS_H

#include "preload/collector/match.h"
#include "preload/events/event_queue.h"
#include "preload/launch/call_record.h"
#include "preload/launch/thread.h"

/* 0 or -ENOMEM. */
int calls_start(void);
/* A call that left a record. */
void calls_take(const struct thread *thread, const struct call_record *record);
/* The calls of a thread that were only counted since the last time. */
void calls_take_counts(struct thread *thread);
/* The end of an event pair: for event_queue_poll and event_queue_give_up. */
void calls_timed(struct in_flight *operation, enum event_end end);

/* What records.c matches activity records with. */
extern struct matcher *calls_matcher;
/* A call was matched with the activity record of this correlation id; it no longer awaits one. */
void calls_matched(const struct in_flight *operation, uint32_t correlation);
/*
 * How long a matched operation took by its record, and what else ran. Last: it may be freed. With
 * `timed` false the record says nothing of this call's time.
 */
void calls_recorded(struct in_flight *operation, bool timed, uint64_t nanoseconds, bool overlapped,
		    bool device_idle);
/* Records were dropped: which calls they belong to is not known, so none is matched across the gap.
 */
void calls_lost_records(void);
/* Calls whose records are still to come. */
size_t calls_expected(void);

/* At the end: gives up what was not matched and settles the event-pair overheads. */
void calls_finish(void);

#endif
