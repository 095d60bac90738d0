/* SPDX-License-Identifier: MIT */
/* Where ktime is in the life of the process. lifecycle/ changes it, all others ask. */
#ifndef KTIME_PRELOAD_BASE_LIFECYCLE_STATE_H
#define KTIME_PRELOAD_BASE_LIFECYCLE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/base/launch_section.h"

enum lifecycle_state {
	LIFECYCLE_IDLE,	    /* the driver has not been initialised */
	LIFECYCLE_STARTING, /* one thread starts ktime; calls of the others pass through */
	LIFECYCLE_RUNNING,
	LIFECYCLE_ENDING, /* by a signal: the report is being made, wrapped calls park */
	LIFECYCLE_CLOSED, /* the report is made: calls pass through */
	LIFECYCLE_FORKED, /* a child of fork: the same, and whatever was locked stays locked */
};
extern LAUNCH_STATE _Atomic int lifecycle_state;

static inline bool lifecycle_running(void)
{
	/* Acquire: what lifecycle_start() set is visible. */
	return atomic_load_explicit(&lifecycle_state, memory_order_acquire) == LIFECYCLE_RUNNING;
}

/* Whether there is a report to be made, or being made, or made. */
static inline bool lifecycle_reports(void)
{
	int state = atomic_load_explicit(&lifecycle_state, memory_order_acquire);

	return state == LIFECYCLE_RUNNING || state == LIFECYCLE_ENDING || state == LIFECYCLE_CLOSED;
}

/* Whether a signal is about to end the process. */
static inline bool lifecycle_ending(void)
{
	return atomic_load_explicit(&lifecycle_state, memory_order_relaxed) == LIFECYCLE_ENDING;
}

static inline bool lifecycle_forked(void)
{
	return atomic_load_explicit(&lifecycle_state, memory_order_relaxed) == LIFECYCLE_FORKED;
}

/*
 * Defined by lifecycle/, and declared here because a thread's first call needs them and nothing
 * below lifecycle/ includes it. Any thread without locks.
 */
/* After the driver's initialisation, or at the first call if that went unseen. */
void lifecycle_start(void);
/*
 * At a thread's first GPU work. Registers what runs at exit: from here on that comes before the
 * driver's own teardown, which a handler registered any earlier would not.
 */
void lifecycle_work_seen(void);

#endif
