/* SPDX-License-Identifier: MIT */
/* Taking in call records from the threads' rings, count-only calls, and CUPTI's activity records.
 * For the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_DRAIN_H
#define KTIME_PRELOAD_COLLECTOR_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Takes all call records. */
void drain_rings(void);
/* Whether a call that began before `ticks` (clock_ticks()) is still in progress. */
bool drain_call_before(uint64_t ticks);
/* Takes all count-only calls. */
void drain_counts(void);

enum flush {
	FLUSH_IF_DUE,
	FLUSH_NOW,
	FLUSH_FORCED, /* also hands out records of unfinished work, which never get their times */
};
/* Takes all activity records that have arrived, after a flush of CUPTI. */
void drain_records(enum flush flush);

#endif
