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
#define RATE_LIMIT_REST 20u

struct rate_limit {
	uint64_t next; /* CLOCK_MONOTONIC, nanoseconds, as all times here */
};

static inline bool rate_limit_due(const struct rate_limit *rate_limit, uint64_t now)
{
	return now >= rate_limit->next;
}

/* It took from `start` to `end`; the next comes `period` after this one at the earliest. */
static inline void rate_limit_note(struct rate_limit *rate_limit, uint64_t start, uint64_t end,
				   uint64_t period)
{
	uint64_t rested = end + RATE_LIMIT_REST * (end - start);

	rate_limit->next = start + period > rested ? start + period : rested;
}

#endif
