/* SPDX-License-Identifier: MIT */
/* What is kept of streams that have ended goes when nothing refers to it any more. */
#ifndef KTIME_PRELOAD_COLLECTOR_RECLAIM_H
#define KTIME_PRELOAD_COLLECTOR_RECLAIM_H

#include <stdint.h>

/* Once in a period of the collector's, after it has drained the rings; the collector alone. The
 * time is CLOCK_MONOTONIC's, in nanoseconds. */
void reclaim_streams(uint64_t now);

#endif
