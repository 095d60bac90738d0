/* SPDX-License-Identifier: MIT */
/*
 * ktime's overhead, for the profile's counters: the host time of the hooks, which is measured; what
 * CUPTI and events add to the host's and the device's time, which is assumed from measurements; and
 * by how much all of that makes the run longer. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_COST_H
#define KTIME_PRELOAD_COLLECTOR_COST_H

#include <stdint.h>

#include "cupti/activity.h"
#include "preload/collector/concurrency.h"
#include "preload/events/in_flight.h"
#include "report/session/session.h"

void cost_start(void);
/* Adds an operation that CUPTI has recorded; `call` is NULL if it is not known. */
void cost_of_record(struct session *session, const struct activity *activity,
		    const struct in_flight *call, const struct concurrency *before);
/* Adds an event pair that was recorded. */
void cost_of_pair(struct session *session);
/* Updates the counters; `threads` is how many of the program's threads launch at the same time, or
 * 0 where that is as it was. */
void cost_update(struct session *session, unsigned threads);
/* How many threads are in hooks at the same time, as far as is known: at least 1. */
unsigned cost_threads(void);

#endif
