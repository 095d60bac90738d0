/* SPDX-License-Identifier: MIT */
/*
 * Reading filled buffers side by side, in the order in which their records' work began: each thread
 * has buffers of its own, and what ran at the same time or before is told from that order.
 */
#ifndef KTIME_CUPTI_MERGE_H
#define KTIME_CUPTI_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "cupti/library.h"

/*
 * Hands every wanted record of the buffers that were queued up to number `last` to `consume`, and
 * gives the buffers back; a buffer's own records keep their order. `before` (or NULL) is called
 * before each buffer's worth, with `first` before any. Returns how many records. Collector thread
 * only.
 */
size_t merge_read(const struct cupti_functions *cupti, uint64_t last, void (*before)(bool first),
		  void (*consume)(const struct activity *activity, void *argument), void *argument);

/*
 * Waits until a reading that begins from here on is over, bounded; `wake` asks for one. Not where
 * the collector has left. Any thread.
 */
void merge_wait(void (*wake)(void));
/* The same for the reading that is under way, if one is. */
void merge_wait_for_end(void (*wake)(void));
/* The collector reads no more. */
void merge_leave(void);
/* Whether the names in records that are read from here on are still there; they are, unless said
 * otherwise. Any thread. */
void merge_trust_names(bool trusted);

/* In a forked child: what the parent was reading is not read on. */
void merge_reset(void);

#endif
