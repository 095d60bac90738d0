/* SPDX-License-Identifier: MIT */
/*
 * The budget: which share of the calls of each operation gets an event pair. The collector thread
 * alone; launching threads read the thresholds.
 */
#ifndef KTIME_PRELOAD_EVENTS_SAMPLING_H
#define KTIME_PRELOAD_EVENTS_SAMPLING_H

#include <stdint.h>

#include "report/session/session.h"

/* Before the first call. Times here are CLOCK_MONOTONIC's, in nanoseconds. */
void sampling_start(uint64_t now);
/* Once in a period of the collector's; sets the thresholds anew every so often. */
void sampling_update(struct session *session, uint64_t now);

#endif
