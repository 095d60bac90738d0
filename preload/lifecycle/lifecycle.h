/* SPDX-License-Identifier: MIT */
/*
 * The life of ktime in a process: nothing until the driver is initialised, then a session, CUPTI
 * and the collector thread; at the end one report.
 */
#ifndef KTIME_PRELOAD_LIFECYCLE_LIFECYCLE_H
#define KTIME_PRELOAD_LIFECYCLE_LIFECYCLE_H

#include "preload/base/lifecycle_state.h"

/* At the end of a process whose calls were not seen: one line, unless ktime leaves it alone. */
void lifecycle_say_blind(void);
/* At the end of a process that did not use CUDA: nvprof's line, if the ktime command started it. */
void lifecycle_say_unused(void);
/* Makes the report, once; a later call returns at once. Waits for the collector, at most some
 * seconds, in other threads' calls too. */
void lifecycle_finish(void);
/* Before the program sandboxes itself: what is opened and removed at the end is so now, and what is
 * started is. Once; later calls and those of a process without CUDA return at once. */
void lifecycle_prepare_for_sandbox(void);
/* For a signal's handler: from here on wrapped calls park, until the reporter ends the process. */
void lifecycle_end_by_signal(void);

#endif
