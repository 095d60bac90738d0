/* SPDX-License-Identifier: MIT */
/*
 * Pace for what waits for locks of the driver's and CUPTI's. Many launching threads hardly leave
 * them to another one, and while the collector waits nothing is read. No more than a part of the
 * time goes there, so that what has come in meanwhile is read before the next wait.
 */
#ifndef KTIME_PRELOAD_BASE_RATE_LIMIT_H
#define KTIME_PRELOAD_BASE_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* How much longer than it took, to the next time. */
#define PACE_REST 20u

struct pace {
	uint64_t next; /* CLOCK_MONOTONIC, nanoseconds, as all times here */
};

static inline bool pace_due(const struct pace *pace, uint64_t now)
{
	return now >= pace->next;
}

/* It took from `start` to `end`; the next comes `period` after this one at the earliest. */
static inline void pace_note(struct pace *pace, uint64_t start, uint64_t end, uint64_t period)
{
	uint64_t rested = end + PACE_REST * (end - start);

	pace->next = start + period > rested ? start + period : rested;
}

#endif
