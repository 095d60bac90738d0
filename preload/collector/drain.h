/* SPDX-License-Identifier: MIT */
/*
 * What the collector takes in: spans from the threads' rings, counts, and CUPTI's records. The
 * collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_DRAIN_H
#define KTIME_PRELOAD_COLLECTOR_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

void drain_rings(void);
/* Whether a call that began before, by clock_ticks(), is still under way. */
bool drain_call_before(uint64_t ticks);
/* The calls that threads only counted. */
void drain_counts(void);

enum flush {
	FLUSH_IF_DUE,
	FLUSH_NOW,
	FLUSH_FORCED, /* hands out records of unfinished work too, which never get their times */
};
void drain_records(enum flush flush);

#endif
