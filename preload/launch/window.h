/* SPDX-License-Identifier: MIT */
/*
 * The profiling window: from cudaProfilerStart if profiling starts off, to cudaProfilerStop or the
 * end of --timeout; with --delay, --duration and --every it opens and closes by the clock. A call
 * belongs to the window if it is made while it is open; a record without a known call, if its work
 * started then.
 */
#ifndef KTIME_PRELOAD_LAUNCH_WINDOW_H
#define KTIME_PRELOAD_LAUNCH_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/atomics.h"
#include "preload/base/launch_state.h"
#include "preload/base/plan.h"

static inline bool window_is_open(void)
{
	return load_relaxed(&launch_state.window_open);
}

/* The plan of the profiling window: when it opens and closes, in seconds; 0: no such limit. */
struct window_plan {
	bool from_start;
	double delay, duration, every, timeout;
};

/* To be called once, before the first call and after plan_choose(). */
void window_start(const struct window_plan *times);
/* Whether --every and --duration make each window last until the next one opens, so that everything
 * is profiled. */
bool window_stays_open(void);
/* The program opens or closes the window; no effect after the timeout. Any thread; takes a lock. */
void window_set(bool on);
/*
 * Opens or closes the window by the user's command `ktime on` or `ktime off`; the plan no longer
 * applies. The window closes after `open_ns` nanoseconds if that is not 0. 0, or -EALREADY after
 * the timeout. For the collector thread.
 */
int window_command(bool on, uint64_t open_ns);
/* The window opens without CUPTI, whose deferred start has failed: launches in it may be only
 * counted. For the collector thread; takes a lock. */
void window_lacks_cupti(void);
/* Whether window_update() would open the window now. For the collector thread. */
bool window_is_due(void);
/* Opens and closes the window by the plan; at the timeout for good, with a warning in the report.
 * For the collector thread, once per period. */
void window_update(void);
/* Whether the window was open at a time of CLOCK_REALTIME, in nanoseconds. Any thread; takes a
 * lock. */
bool window_was_open(uint64_t realtime);
/* Whether the window opened or closed between two such times. Any thread; takes a lock if the
 * window has ever opened or closed. */
bool window_changed_between(uint64_t start, uint64_t end);

#endif
