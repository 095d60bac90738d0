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
	/* Nanoseconds of the program's time: while CUPTI does not record, of these in calls that it
	 * waited for; what it adds to record copies and memsets, which it always does (pause.h);
	 * and to record all else. */
	double standing, calls, copies, recording;
};

/* Takes a graph's launch that was made while CUPTI was on and recorded no kernels. */
void launch_costs_see_call(const struct in_flight *call);
/* Of the launches that were counted since the last call, `elapsed` ns ago. `late`: CUPTI is
 * started, or is to be started, after the program has made its graphs. Then nothing is known of
 * what CUPTI will add to calls, so the standing part is what it may be at most. */
struct launch_costs launch_costs_take(bool late, uint64_t elapsed);

#endif
