/* SPDX-License-Identifier: MIT */
/*
 * Samples: spans and activity records on their way into the rows of the session. The collector
 * thread alone.
 */
#ifndef KTIME_PRELOAD_SAMPLES_H
#define KTIME_PRELOAD_SAMPLES_H

#include "cupti/activity.h"
#include "preload/clock.h"
#include "preload/span.h"
#include "preload/thread.h"
#include "preload/timing.h"
#include "report/session.h"

int samples_start(struct session *session, const struct clock_scale *scale);
/* A call that a wrapper saw. */
void samples_span(const struct thread *thread, const struct span *span);
/* The end of an event pair: for timing_poll and timing_give_up. */
void samples_timed(struct timed *timed, enum timing_end end);
/* An activity record: for collection_drain. */
void samples_activity(const struct activity *activity, void *unused);
/* Whether activity records come with CLOCK_REALTIME, as they do unless the program changes it. */
void samples_trust_clock(bool trusted);
/* Calls whose records are still to come. */
size_t samples_expected(void);
/* At the end: gives up what was not matched, settles the biases and closes open graph launches. */
void samples_finish(void);

#endif
