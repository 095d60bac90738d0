/* SPDX-License-Identifier: MIT */
/*
 * Samples: spans on their way into the rows of the session, by both clocks. The collector thread
 * alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_CALLS_H
#define KTIME_PRELOAD_COLLECTOR_CALLS_H

#include "preload/collector/match.h"
#include "preload/launch/call_record.h"
#include "preload/launch/thread.h"
#include "preload/events/event_queue.h"

/* 0 or -ENOMEM. */
int samples_start(void);
/* A call that a wrapper saw. */
void samples_span(const struct thread *thread, const struct span *span);
/* The calls of a thread that were only counted since the last look. */
void samples_counts(struct thread *thread);
/* The end of an event pair: for timing_poll and timing_give_up. */
void samples_timed(struct timed *timed, enum timing_end end);

/* What records.c matches activity records with. */
extern struct matcher *samples_matcher;
/* A call was matched with the record of this correlation id, which is no longer awaited. */
void samples_matched(const struct expected *expected, uint32_t correlation);
/* The matched call's time by its record, or `expected` gave no time that can be told to be its. */
void samples_recorded(const struct expected *expected, uint64_t nanoseconds, bool overlapped,
		      bool starved);
/* Records were dropped: which calls they were of is not known, so none is matched across the gap.
 */
void samples_lost_records(void);
/* Calls whose records are still to come. */
size_t samples_expected(void);

/* At the end: gives up what was not matched and settles the biases. */
void samples_finish(void);

#endif
