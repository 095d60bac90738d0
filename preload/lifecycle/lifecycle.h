/* SPDX-License-Identifier: MIT */
/*
 * The life of ktime in a process: nothing until the driver is initialised, then a session, CUPTI
 * and the collector thread; at the end one report.
 */
#ifndef KTIME_PRELOAD_LIFECYCLE_LIFECYCLE_H
#define KTIME_PRELOAD_LIFECYCLE_LIFECYCLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/base/launch_section.h"
#include "report/options/options.h"
#include "report/session/session.h"

enum control_state {
	CONTROL_IDLE,	  /* the driver has not been initialised */
	CONTROL_STARTING, /* one thread is at it; the others pass through */
	CONTROL_RUNNING,
	CONTROL_CLOSED, /* the report is made: all passes through */
	CONTROL_FORKED, /* a child of fork: the same, and whatever was locked is so for good */
};
extern LAUNCH_STATE _Atomic int control_state;

/* Read-only from CONTROL_RUNNING on. */
extern struct options control_options;
extern LAUNCH_STATE bool control_events; /* event pairs are injected */
/* Calls that get no event pair need no span either: events are the only clock, one device. */
extern bool control_counting;
/* One event serves as the end of a call and the start of the next, where the device is behind. */
extern LAUNCH_STATE bool control_sharing;
extern LAUNCH_STATE bool control_stream_ids; /* CUPTI's stream numbers are asked for */
extern bool control_runtime_calls; /* CUPTI gives the API rows of the calls that are not wrapped */
extern bool control_driver_calls;  /* CUPTI gives those of the driver's calls, all of them */

/* Whether calls of a kind, runtime or driver, get rows. */
bool control_wants_calls(enum row_kind kind);

/* Whether the work of a device gets rows. */
static inline bool control_wants_device(int device)
{
	return control_options.trace & TRACE_GPU &&
	       (device < 0 || device >= SESSION_DEVICES || control_options.devices >> device & 1);
}

static inline bool control_running(void)
{
	/* Acquire: what control_start() set is visible. */
	return atomic_load_explicit(&control_state, memory_order_acquire) == CONTROL_RUNNING;
}

/* Whether there is a report to be made, or being made, or made. */
static inline bool control_reports(void)
{
	int state = atomic_load_explicit(&control_state, memory_order_acquire);

	return state == CONTROL_RUNNING || state == CONTROL_CLOSED;
}

static inline bool control_forked(void)
{
	return atomic_load_explicit(&control_state, memory_order_relaxed) == CONTROL_FORKED;
}

/* After the driver's initialisation, or at the first call where that went unseen. Any thread. */
void control_start(void);
/*
 * At a thread's first GPU work. Registers what runs at exit: from here on that comes before the
 * driver's own teardown, which a handler registered any earlier would not.
 */
void control_work_seen(void);
/* At the end of a process whose calls were not seen: one line, unless ktime leaves it alone. */
void control_say_blind(void);
/* Makes the report, once; a later call returns at once. Waits for the collector, at most some
 * seconds, in other threads' calls too. */
void control_finish(void);

#endif
