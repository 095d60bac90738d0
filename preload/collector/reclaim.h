/* SPDX-License-Identifier: MIT */
/* Frees ended streams when nothing refers to them any more. */
#ifndef KTIME_PRELOAD_COLLECTOR_RECLAIM_H
#define KTIME_PRELOAD_COLLECTOR_RECLAIM_H

#include <stdint.h>

/* To be called once per period of the collector, after it has drained the rings; for the collector
 * only. `now` is CLOCK_MONOTONIC in nanoseconds. */
void reclaim_streams(uint64_t now);

#endif
