/* SPDX-License-Identifier: MIT */
/*
 * Starting CUPTI when the profiling window opens for the first time, for programs that run with
 * --start off: until then it is not even initialised. All that it records from then on is matched,
 * as if it had been there from the start. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_DEFERRED_START_H
#define KTIME_PRELOAD_RECORDING_DEFERRED_START_H

#include <stdbool.h>

#include "cupti/cupti.h"
#include "preload/recording/late_start.h"
#include "report/session/session.h"

/* CUPTI is to be started by `start` with these settings, which are copied, once
 * deferred_start_now() is called. */
void deferred_start_plan(struct session *session, const struct cupti_settings *settings,
			 cupti_starter start);
/* Whether it is still to be started. */
bool deferred_start_is_planned(void);
/*
 * Starts it if that is planned. Whether a call that was made meanwhile has left a record is not
 * known: none waits for one. `collect` takes these calls, and as many of such records as there are,
 * while the window is closed. A warning in the report says why it could not be started. Takes 4 to
 * 330 ms (H200, CUPTI 13.0); the window opens afterwards.
 */
void deferred_start_now(void (*collect)(void));

#endif
