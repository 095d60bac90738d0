/* SPDX-License-Identifier: MIT */
/*
 * Rate limit for calls that contend for the driver's and CUPTI's locks. Where many threads launch,
 * the collector may wait long for such a lock, and reads no call records meanwhile. So these calls
 * get at most a twentieth of the collector's time, and it reads what has come in between two of
 * them.
 */
#ifndef KTIME_PRELOAD_BASE_RATE_LIMIT_H
#define KTIME_PRELOAD_BASE_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* After a call, the next one waits for at least this many times the duration of that call. Chosen.
 */
#define RATE_LIMIT_REST 20u

struct rate_limit {
	uint64_t next; /* CLOCK_MONOTONIC in nanoseconds, as all times here */
};

static inline bool rate_limit_due(const struct rate_limit *rate_limit, uint64_t now)
{
	return now >= rate_limit->next;
}

/* To be called after a call that took from `start` to `end`; the next one is due `period` after its
 * start at the earliest. */
static inline void rate_limit_note(struct rate_limit *rate_limit, uint64_t start, uint64_t end,
				   uint64_t period)
{
	uint64_t rested = end + RATE_LIMIT_REST * (end - start);

	rate_limit->next = start + period > rested ? start + period : rested;
}

#endif
