/* SPDX-License-Identifier: MIT */
/*
 * --metrics: the counters of some launches of each kernel. Without it nothing here runs: the
 * wrappers call the driver. With it they call launches.c, which may lock, wait for the device and
 * allocate, because the user asked for it.
 */
#ifndef KTIME_PRELOAD_METRICS_METRICS_H
#define KTIME_PRELOAD_METRICS_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/launch/call.h"
#include "preload/launch/thread.h"

/* If the user asked for metrics, makes the wrappers of launches call launches.c. To be called once,
 * after library_load() and before the first launch; `cupti`: why CUPTI could not be loaded, or "".
 */
void metrics_start(const char *cupti);

/* For the collector: whether counters were read in a call. To be called once for each call record
 * of a thread, in their order. */
enum metrics_part {
	METRICS_NONE,
	METRICS_TRIED, /* reading failed: the call's host time and event pair include the attempt */
	METRICS_READ   /* they were read: the launch has no activity record */
};
enum metrics_part metrics_part_of(const struct thread *thread, const struct call_record *record);
/* For the collector: writes what there is of values into the profile; at the end, also those of
 * kernels that had fewer launches than there are passes. */
void metrics_update(void);
void metrics_finish(void);

/* For launches.c: which launches have their counters read. */

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
/* To be called before and after the launch, with all other launches kept out. If measure_begin()
 * finds that the counters cannot be read now, measure_end() does nothing. Both keep errno. */
void measure_begin(struct measure *measure, const struct call *call);
void measure_end(struct measure *measure, bool launched);

/* Functions of launches.c for metrics.c: letting one launch run alone. */

/* Has the wrappers of launches and captures call launches.c; once, before the first launch. */
void launches_take(void);
/* Keeps all launches out until launches_let_in(); false if those in progress did not
 * end within this many nanoseconds. */
bool launches_keep_out(uint64_t nanoseconds);
void launches_let_in(void);

#endif
