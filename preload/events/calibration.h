/* SPDX-License-Identifier: MIT */
/*
 * Measures what an event pair holds beyond the operation, on this device and in this run. Into a
 * stream of ktime's own go a kernel that keeps the device busy for a moment and, behind it, series
 * of event pairs: around nothing, around a kernel that reads the device's clock when it begins and
 * when it ends and, if CUPTI records operations, around copies. No pair waits for the host, and
 * each kernel's is behind a wait, so it holds as much as a gated one in an idle stream does.
 *
 * Once a process has launched into some more streams, its graphs take longer for good (H100). So
 * this is done at the end, when the program launches no more.
 *
 * - Around copies by a copy engine a pair holds what two events with nothing between them do.
 * - Around kernels, which memsets and copies within a device are too, it holds more: at least that,
 *   and at most what is left of a pair once the time between the kernel's own readings is taken
 * off, as a kernel has begun before its first instruction and ends after its last. The middle is
 * taken.
 * - If CUPTI records the same kernels and copies, what a pair holds is its time less CUPTI's.
 * - An operation is queued if the device comes to it amid other work of its stream. A pair around
 * what runs as a kernel holds more then, gated or not (H200: 0.66 to 0.8 us), unless the operation
 * directly before has a gated pair. By how much is measured with kernels of ktime's, each behind
 * eight others.
 *
 * For the collector thread alone.
 */
#ifndef KTIME_PRELOAD_EVENTS_CALIBRATION_H
#define KTIME_PRELOAD_EVENTS_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/driver/driver.h"
#include "preload/handles/stream.h"

/* What several measurements of the same say, few of which may be far off. */

/* In the unit of the values. */
struct measured {
	double least;  /* the lower quartile */
	double middle; /* the mean of the middle half */
	double error;  /* its standard error, from the quartiles */
};

/* Of four values or more, which it sorts. */
struct measured measured_of(double *values, unsigned count);

/*
 * What calibration.c runs on the device: a kernel that reads the device's clock when it begins and
 * when it ends, and a copy into the device's memory. For the collector thread alone, with the
 * context current; a function that returns false met a call that the driver does not have or
 * refused.
 */

/* What a kernel wrote, by the device's clock in nanoseconds, and the least step of that. */
struct reading {
	uint64_t begin, end, step, unused;
};

/*
 * How much more an event pair holds around a kernel that is queued: that the device comes to amid
 * other work of its stream. Measured with pairs of ktime's own, each behind kernels without one
 * (see calibration.c). For the collector thread alone, with the context of the stream current.
 */

/*
 * Measures, once, when the device is idle: at the end of the run (NULL), or of the only context
 * that is left, which may be the program's last one. 50 ms at most; some 5 as a rule, and 7 more if
 * operations were queued. Call calibration_settle() once CUPTI's records have been read.
 */
void calibration_finish(const struct context *ending, bool were_queued);
void calibration_settle(void);
/* Takes a record of ktime's own stream; false: the record is the program's. */
bool calibration_take(const struct activity *activity);

#endif
