/* SPDX-License-Identifier: MIT */
/*
 * When CUPTI's recording of kernels was off: the latest times. What ran in them nobody knows. For
 * the collector thread only; times are of CLOCK_REALTIME, in nanoseconds.
 */
#ifndef KTIME_PRELOAD_BASE_PAUSES_H
#define KTIME_PRELOAD_BASE_PAUSES_H

#include <stdbool.h>
#include <stdint.h>

/* The recording of kernels was turned off or on. */
void pauses_note(bool off, uint64_t now);
/* Whether it was off at any time from `begin` to `end`, or may have been: of the time before the
 * oldest pause that is remembered that is not known. */
bool pauses_touch(uint64_t begin, uint64_t end);

#endif
