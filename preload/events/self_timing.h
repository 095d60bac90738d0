/* SPDX-License-Identifier: MIT */
/*
 * What calibration.c runs on the device: a kernel that reads the device's clock when it begins and
 * when it ends, and a copy into the device's memory. For the collector thread alone, with the
 * context current; a function that returns false met a call that the driver does not have or
 * refused.
 */
#ifndef KTIME_PRELOAD_EVENTS_SELF_TIMING_H
#define KTIME_PRELOAD_EVENTS_SELF_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver.h"
#include "preload/events/measured.h"

/* How many kernels' readings are kept. */
#define SELF_TIMING_READINGS 21u

/* What a kernel wrote, by the device's clock in nanoseconds, and the least step of that. */
struct reading {
	uint64_t begin, end, step, unused;
};

/* Loads the kernel into the current context, and makes the memory for its readings. */
bool self_timing_prepare(void);
/* Launches the kernel, to run for so long. Its reading is kept by its number. */
bool self_timing_launch(CUstream stream, unsigned number, uint64_t nanoseconds);
/* Copies as many bytes as take a copy engine, to the device. */
bool self_timing_copy(CUstream stream);
/* Has the stream wait for a word that has its value, if the driver can. */
void self_timing_wait(CUstream stream);
/* What event pairs around kernels hold beyond what the kernels themselves read; `number`: the first
 * one's reading. False if the driver does not know a pair's time. */
bool self_timing_beyond(CUevent (*pairs)[2], unsigned count, unsigned number,
			struct measured *measured);
/* What the last kernel of that number wrote; to be read once that has ended. */
const struct reading *self_timing_reading(unsigned number);

#endif
