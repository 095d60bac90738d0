/* SPDX-License-Identifier: MIT */
/*
 * Each change of what the devices hold, from the call that makes it until the collector writes it
 * to a trace. Memory is fixed. Whoever calls holds the lock of the allocations.
 */
#ifndef KTIME_PRELOAD_MEMORY_HELD_CHANGES_H
#define KTIME_PRELOAD_MEMORY_HELD_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/clock.h"
#include "report/session/session.h"

/* Changes in a period of the collector, 5 ms: an allocation takes the driver a microsecond and
 * more. Chosen. */
#define HELD_CHANGES_MOST 8192u

/* From the time `ticks` on the program holds `held` bytes of the device's memory. */
struct held_change {
	uint64_t ticks, held;
	int32_t device;
};

/* Whether changes are noted. Those that were not taken are forgotten. */
void held_changes_want(bool wanted);
bool held_changes_wanted(void);
/* Notes one of this moment, if they are wanted. */
void held_changes_add(int device, uint64_t held);
/* Takes all that were noted; valid without the lock, until the next call. `*left_out` is how many
 * more there were. */
const struct held_change *held_changes_take(size_t *count, uint64_t *left_out);

/* What the devices hold, as records of a trace. For the collector thread only. */

/* To be called once a period: writes what changed since the last call if the trace wants it. */
void held_trace_update(struct session *session, const struct clock_scale *scale, bool wanted);

#endif
