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

struct launch_costs {
	uint64_t launches;
	/* Nanoseconds of the program's time: while CUPTI does not record; what it adds to record
	 * copies and memsets, which it always does (pause.h); and to record all else. */
	double standing, copies, recording;
};

/* Of the launches that were counted since the last call. `late`: CUPTI is started, or is to be
 * started, after the program has made its graphs. */
struct launch_costs launch_costs_take(bool late);

#endif
