/* SPDX-License-Identifier: MIT */
/*
 * When ktime collects: not before cudaProfilerStart where it is told to start off, not after
 * cudaProfilerStop, and no more once its time is up. A call is judged when it is made, a record
 * that has no call by when it started.
 */
#ifndef KTIME_PRELOAD_LAUNCH_WINDOW_H
#define KTIME_PRELOAD_LAUNCH_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/launch_section.h"
#include "report/session/session.h"

extern LAUNCH_STATE _Atomic bool window_open;

static inline bool window_is_open(void)
{
	return atomic_load_explicit(&window_open, memory_order_relaxed);
}

/* Once, before the first call; `timeout` in seconds, 0 for none. */
void window_start(bool on, double timeout);
/* The program's own wish; of no effect once the time is up. Any thread; takes a lock. */
void window_set(bool on);
/* Ends it when its time is up, and says so in the report. The collector thread, now and then. */
void window_update(struct session *session);
/* Whether it was on at a moment of CLOCK_REALTIME, in nanoseconds. Any thread; takes a lock. */
bool window_was_open(uint64_t realtime);

#endif
