/* SPDX-License-Identifier: MIT */
/*
 * How much more an event pair holds around a kernel that is queued: that the device comes to amid
 * other work of its stream. Measured with pairs of ktime's own, each behind kernels without one
 * (see calibration.c). For the collector thread alone, with the context of the stream current.
 */
#ifndef KTIME_PRELOAD_EVENTS_QUEUED_OVERHEAD_H
#define KTIME_PRELOAD_EVENTS_QUEUED_OVERHEAD_H

#include <stdbool.h>

#include "preload/driver/driver.h"
#include "preload/events/measured.h"

/* How many of its kernels keep their readings (self_timing.h). */
#define QUEUED_KERNELS 16u

/* Queues them into the stream; false: the driver refused, or the device came to one of those that
 * count before all were queued. */
bool queued_overhead_begin(CUstream stream, unsigned first_reading);
/* The event that is reached last. */
CUevent queued_overhead_last(void);
/* To be called once it is reached, with what pairs around kernels hold that are not queued. */
void queued_overhead_take(const struct measured *not_queued);

#endif
