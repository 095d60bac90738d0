/* SPDX-License-Identifier: MIT */
/*
 * Included before everything else in some of ktime's sources for build/sim/libktime_virtual.so: the
 * host's clock is the simulated one, so that what the host did when is exact, and can be compared
 * with the simulated CUPTI's times.
 */
#ifndef SIM_CLOCK_VIRTUAL_CLOCK_H
#define SIM_CLOCK_VIRTUAL_CLOCK_H

#define clock_ticks clock_ticks_of_processor
#include "preload/base/clock.h"
#undef clock_ticks

/* Nanoseconds. */
uint64_t clock_ticks(void);
#define clock_ns(clock) ((clock) == CLOCK_REALTIME ? clock_ticks() : clock_ns(clock))

#endif
