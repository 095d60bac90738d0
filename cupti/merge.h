/* SPDX-License-Identifier: MIT */
/*
 * Reads filled buffers side by side, merged by the start of their records. Each thread may have
 * buffers of its own, and the collector needs the order to tell what ran at the same time or
 * before.
 */
#ifndef KTIME_CUPTI_MERGE_H
#define KTIME_CUPTI_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "cupti/library.h"

/*
 * Calls `consume` for every record that ktime wants in the buffers queued up to number `last`, and
 * releases the buffers; a buffer's records keep their order, and so do those of a thread's buffers.
 * `before` (may be NULL) is called
 * before each buffer's records, with `first` the first time. Returns the number of records. For the
 * collector thread only.
 */
size_t merge_read(const struct cupti_functions *cupti, uint64_t last, void (*before)(bool first),
		  void (*consume)(const struct activity *activity, void *argument), void *argument);

/* Waits, for a bounded time, until a reading that begins from now on has ended; `wake` wakes the
 * collector. Returns at once if the collector has left. Any thread. */
void merge_wait(void (*wake)(void));
/* Waits, for a bounded time, for the reading in progress, if there is one. */
void merge_wait_for_end(void (*wake)(void));
/* To be called when the collector will read no more. */
void merge_leave(void);
/* Whether the names in records that are read from now on are still valid, as they are at first. Any
 * thread. */
void merge_trust_names(bool trusted);

/* For a forked child: forgets what the parent was reading. */
void merge_reset(void);

#endif
