/* SPDX-License-Identifier: MIT */
/*
 * What CUPTI adds to the program's launches, reckoned from how many there were of what: in all of
 * them from when it was started on, and more in those that it records. For the collector thread
 * only.
 */
#ifndef KTIME_PRELOAD_RECORDING_LAUNCH_COSTS_H
#define KTIME_PRELOAD_RECORDING_LAUNCH_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/events/in_flight.h"

struct launch_costs {
	uint64_t launches;
	/* Nanoseconds by which the program takes longer: */
	double standing;  /* while CUPTI does not record */
	double calls;	  /* the part of `standing` that is in calls that the program waited for */
	double copies;	  /* by recording copies and memsets, which it always does (pause.h) */
	double recording; /* by recording all else */
};

/* Takes a graph's launch that was made while CUPTI was on and recorded no kernels. */
void launch_costs_see_call(const struct in_flight *call);
/* Of the launches that were counted since the last call, `elapsed` ns ago. `late`: CUPTI is
 * started, or is to be started, after the program has made its graphs; then `calls` is not bounded
 * by the device's idle time, as a start that costs too much cannot be undone. */
struct launch_costs launch_costs_take(bool late, uint64_t elapsed);

#endif
