/* SPDX-License-Identifier: MIT */
/*
 * Whether CUPTI records all that is launched in a window: what it does after kernels were turned
 *off and on is known of the versions that were tried, and of one process and program at a time. So
 *the first windows are a test. Held against the records is only what must have left some, when they
 * must have come:
 *
 *   calls	one thread's into one stream, which began and ended while kernels were recorded
 *   when	the device is known to have come past them, by the event pair of a later call in
 *that stream, and a record of the next window has come from the same thread
 *
 * One launch a window may be missing: the last one before kernels are turned off may have no
 *record. For the collector thread only; times are of CLOCK_REALTIME, in nanoseconds.
 */
#ifndef KTIME_PRELOAD_RECORDING_WINDOW_CHECK_H
#define KTIME_PRELOAD_RECORDING_WINDOW_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/events/in_flight.h"

struct graph_contents;

/* What windows that lack records had; `graphs`: kernels that are nodes, else those launched by
 * themselves. */
struct window_check {
	bool graphs;
	unsigned windows;
	uint64_t kernels, records;
};

/* Kernels have just been turned on for a window, or are about to be turned off. `records_now`: a
 * time shortly before, on the records' clock. */
void window_check_open(uint64_t now, uint64_t records_now);
void window_check_close(uint64_t now);
/* A call of the program's; `contents`: of the graph that it launches, or NULL. */
void window_check_call(const struct in_flight *call, const struct graph_contents *contents);
/* The device has come to the end of a call. */
void window_check_passed(const struct in_flight *call);
/* The record of a kernel, whether it has times or not. */
void window_check_record(const struct activity *activity);
/* The window's records have come, as far as they will. What too many of the first windows lack;
 * NULL if they do not. */
const struct window_check *window_check_settle(void);

#endif
