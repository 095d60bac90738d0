/* SPDX-License-Identifier: MIT */
/* Puts the records of a graph launch's nodes together, by their correlation id, while calls are not
 * matched with records (recording.h). For the collector thread only. */
#ifndef KTIME_PRELOAD_RECORDING_LAUNCHES_H
#define KTIME_PRELOAD_RECORDING_LAUNCHES_H

#include <stdbool.h>

#include "cupti/activity.h"
#include "preload/handles/operation.h"

/* `node` is called for each node of a launch that is complete, and then `graph` with the launch's
 * operation, which lasted from its first node's start to its last one's end. */
void launches_start(void (*node)(struct operation *operation, uint32_t device,
				 uint64_t nanoseconds),
		    void (*graph)(struct operation *operation, uint32_t device,
				  uint64_t nanoseconds));
/* Takes a node's record. */
void launches_add(struct operation *operation, const struct activity *activity);
/* Ends the launches whose nodes have all been recorded, as far as can be told. */
void launches_settle(void);
/*
 * Ends all launches after the recording of kernels was turned off, or at the end of the run. In the
 * first case each stream's last launch is left out, and so are those that began before kernels were
 * turned on, at `since` on the records' clock (0: that clock is not known), and those without
 * kernels that began after they were turned off, at `until` (UINT64_MAX: not known).
 */
void launches_end(bool turned_off, uint64_t since, uint64_t until);
/* Of how many launches kernels have been recorded so far, including those that still lack records.
 */
uint64_t launches_seen(void);
/* The same when a window opens, before the recording is turned on: what has come since the last one
 * was ended is forgotten, as it is of that. */
uint64_t launches_begin(void);

#endif
