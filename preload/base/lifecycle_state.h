/* SPDX-License-Identifier: MIT */
/* The stage that ktime has reached in this process. Only lifecycle/ changes it. */
#ifndef KTIME_PRELOAD_BASE_LIFECYCLE_STATE_H
#define KTIME_PRELOAD_BASE_LIFECYCLE_STATE_H

#include <stdbool.h>

#include "preload/base/atomics.h"
#include "preload/base/launch_state.h"

enum lifecycle_state {
	LIFECYCLE_IDLE,	       /* the program has not initialised the driver */
	LIFECYCLE_INITIALISED, /* it has, by cuInit, its only call yet: ktime has no threads */
	LIFECYCLE_STARTING,    /* one thread starts ktime; other threads' calls pass through */
	LIFECYCLE_RUNNING,
	LIFECYCLE_ENDING, /* by a signal: the report is being written, wrapped calls block */
	LIFECYCLE_CLOSED, /* the report is being written or is done: calls pass through */
	LIFECYCLE_FORKED, /* a child of fork: calls pass through; locks may be held for ever */
};

static inline bool lifecycle_running(void)
{
	/* Acquire: what lifecycle_start() wrote before is visible. */
	return load_acquire(&launch_state.lifecycle) == LIFECYCLE_RUNNING;
}

/* Whether ktime has started in this process: its report will be, is being or has been written. */
static inline bool lifecycle_reports(void)
{
	int state = load_acquire(&launch_state.lifecycle);

	return state == LIFECYCLE_RUNNING || state == LIFECYCLE_ENDING || state == LIFECYCLE_CLOSED;
}

/* Whether a signal is about to end the process. */
static inline bool lifecycle_ending(void)
{
	return load_relaxed(&launch_state.lifecycle) == LIFECYCLE_ENDING;
}

static inline bool lifecycle_forked(void)
{
	return load_relaxed(&launch_state.lifecycle) == LIFECYCLE_FORKED;
}

/* Defined by lifecycle/, and declared here because calls and the reporter need them and no folder
 * below lifecycle/ may include it. Any thread, without locks held. */
/*
 * After each cuInit of the program's. ktime starts with the call after the first one: until then
 * the program may want to have one thread alone, as for unshare(CLONE_NEWUSER).
 */
void lifecycle_initialised(void);
/* Starts ktime, unless it has been started: in the call after cuInit, or in the first wrapped call
 * if cuInit was not hooked. */
void lifecycle_start(void);
/* Before a call that comes first after cuInit. */
static inline void lifecycle_start_if_initialised(void)
{
	if (load_relaxed(&launch_state.lifecycle) == LIFECYCLE_INITIALISED)
		lifecycle_start();
}
/*
 * Called at each thread's first GPU work. Registers ktime's exit handler the first time: exit
 * handlers run in reverse order, so one registered after the driver's initialisation runs before
 * the driver's own teardown, while events can still be read.
 */
void lifecycle_work_seen(void);
/* To be called when the program starts GPU work after its report was begun: adds one line to the
 * report that says so, the first time. */
void lifecycle_late_work(void);
/* To be called when a signal did not end the process, though its report was made: wrapped calls
 * pass through from now on. */
void lifecycle_survived(void);

#endif
