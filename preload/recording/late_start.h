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
#include "preload/events/in_flight.h"
#include "report/session/session.h"

/*
 * What CUPTI adds to the program's launches, reckoned from how many there were of what: in all of
 * them from when it was started on, and more in those that it records. For the collector thread
 * only.
 */

/* As cupti_start(). */
typedef int (*cupti_starter)(const struct cupti_settings *settings, char *reason, size_t size);

struct launch_costs {
	uint64_t launches;
	/* Nanoseconds by which the program takes longer: */
	double standing;  /* while CUPTI does not record */
	double calls;	  /* the part of `standing` that is in calls that the program waited for */
	double copies;	  /* by recording copies and memsets, which it always does (cupti.h) */
	double recording; /* by recording all else */
};

/* Takes a graph's launch that was made while CUPTI was on and recorded no kernels. */
void launch_costs_see_call(const struct in_flight *call);
/* Of the launches that were counted since the last call, `elapsed` ns ago. `late`: CUPTI is
 * started, or is to be started, after the program has made its graphs; then `calls` is not bounded
 * by the device's idle time, as a start that costs too much cannot be undone. */
struct launch_costs launch_costs_take(bool late, uint64_t elapsed);

/* CUPTI is to be started by `start` with these settings, which are copied, as the plan's state has
 * it: by deferred_start_now(), or within the budget. Times are of CLOCK_REALTIME, nanoseconds. */
void late_start_plan(const struct cupti_settings *settings, cupti_starter start, uint64_t now);

/*
 * Starts CUPTI, if it waits for that, as the profiling window opens for the first time: with
 * --start off it is not even initialised until then. All that it records from then on is matched,
 * as if it had been there from the start. Whether a call that was made meanwhile has left a record
 * is not known: none waits for one. `collect` takes these calls, and as many of such records as
 * there are, while the window is closed. A warning in the report says why it could not be started.
 * Takes 4 to 330 ms (H200, CUPTI 13.0); the window opens afterwards.
 */
void deferred_start_now(void (*collect)(void));

/* Takes the launches of the last `elapsed` nanoseconds; starts CUPTI once it may be, and returns
 * true then. */
bool late_start_update(const struct launch_costs *costs, uint64_t elapsed, uint64_t now);
/* Says in the report why CUPTI was not started, if it was not. */
void late_start_finish(void);

#endif
