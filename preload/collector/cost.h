/* SPDX-License-Identifier: MIT */
/*
 * What ktime costs the program, in the session's counters: the host's time of the hooks, which is
 * read off the clock, what CUPTI and events are known to add to it and to the device's, and by how
 * much all of that makes the run longer. The collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_COST_H
#define KTIME_PRELOAD_COLLECTOR_COST_H

#include <stdint.h>

#include "cupti/activity.h"
#include "preload/events/in_flight.h"
#include "preload/collector/concurrency.h"
#include "report/session/session.h"

void cost_start(void);
/* An operation that CUPTI has recorded, and its call; NULL where that is not known. */
void cost_of_record(struct session *session, const struct activity *activity,
		    const struct in_flight *call, const struct concurrency *before);
/* An event pair that was injected. */
void cost_of_pair(struct session *session);
/*
 * Brings the time by which the run is longer up to date; `threads` is how many of the program's
 * were in the hooks of late.
 */
void cost_update(struct session *session, unsigned threads);

#endif
