/* SPDX-License-Identifier: MIT */
/* What fraction of each operation's calls gets an event pair, so that pairs stay within their part
 * of the budget (base/budget.h). For the collector thread only; launching threads read the
 * thresholds. */
#ifndef KTIME_PRELOAD_EVENTS_SAMPLING_H
#define KTIME_PRELOAD_EVENTS_SAMPLING_H

#include <stdint.h>

/* To be called before the first call. `now` is CLOCK_MONOTONIC in nanoseconds. */
void sampling_start(uint64_t now);
/* Sets the thresholds at the end of each sampling window. To be called once per period of the
 * collector. `threads` launch at the same time. */
void sampling_update(uint64_t now, unsigned threads);

#endif
