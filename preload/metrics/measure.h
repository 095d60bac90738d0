/* SPDX-License-Identifier: MIT */
/* Which launches have their counters read, and what the counters said. */
#ifndef KTIME_PRELOAD_METRICS_MEASURE_H
#define KTIME_PRELOAD_METRICS_MEASURE_H

#include <stdbool.h>

#include "preload/launch/call.h"

/* One launch between measure_begin() and measure_end(). */
struct measure {
	struct measured_kernel *kernel; /* NULL: its counters are not read */
	CUcontext context;
	CUstreamCaptureMode capture_mode;
	uint64_t started; /* CLOCK_MONOTONIC, ns */
};

/* Whether the launch's counters are wanted: the caller then keeps other launches out, and calls
 * measure_begin(). Any thread. */
bool measure_wants(const struct call *call);
/* Before and after the launch, with all other launches kept out. The first may find that they
 * cannot be read now: then the other does nothing. Both keep errno. */
void measure_begin(struct measure *measure, const struct call *call);
void measure_end(struct measure *measure, bool launched);

#endif
