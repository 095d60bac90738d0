/* SPDX-License-Identifier: MIT */
/*
 * Starting CUPTI while the program runs. Once started it costs something at every launch, also
 * where it does not record, and for good. So with a budget of the user's a run begins with events
 * alone, and CUPTI is started only after the launches have shown for a while that this fits into
 * it. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_LATE_START_H
#define KTIME_PRELOAD_RECORDING_LATE_START_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/cupti.h"
#include "preload/recording/launch_costs.h"
#include "report/session/session.h"

/* As cupti_start(). */
typedef int (*cupti_starter)(const struct cupti_settings *settings, char *reason, size_t size);

/* CUPTI is to be started by `start` with these settings, which are copied, within a budget: a
 * fraction of the time. Times are of CLOCK_REALTIME, nanoseconds. */
void late_start_plan(struct session *session, const struct cupti_settings *settings,
		     cupti_starter start, double budget, uint64_t now);
/* Whether it is still to be started. */
bool late_start_is_planned(void);
/* Takes the launches of the last `elapsed` nanoseconds; starts CUPTI once it may be, and returns
 * true then. */
bool late_start_update(const struct launch_costs *costs, uint64_t elapsed, uint64_t now);
/* Says in the report why CUPTI was not started, if it was not. */
void late_start_finish(void);

#endif
