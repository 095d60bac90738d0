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
#include "preload/handles/stream.h"

/* Robust statistics of repeated measurements of one quantity, a few of which may be far off; in the
 * unit of the values. */
struct measured {
	double least;  /* the lower quartile */
	double middle; /* the mean of the middle half */
	double error;  /* its standard error, from the quartiles */
};

/* Computes them from at least four values; sorts the values. */
struct measured measured_of(double *values, unsigned count);

/*
 * Measures the cost of event pairs, once, while the device is idle: at the end of the run (`ending`
 * is NULL), or before the only context that is left is destroyed, as the program may make no other.
 * Takes about 5 ms, 7 ms more if operations were queued, 50 ms at most. Call calibration_settle()
 * once CUPTI's records have been read.
 */
void calibration_finish(const struct context *ending, bool were_queued);
void calibration_settle(void);

/* ktime's own stream by CUPTI's numbers. Its records may come until the end of the run. */
struct own_stream {
	bool known;
	uint32_t context, stream;
};
extern struct own_stream calibration_stream;

/* Whether a record is of that stream, else it is the program's. */
static inline bool calibration_made(const struct activity *activity)
{
	return calibration_stream.known && calibration_stream.context == activity->context &&
	       calibration_stream.stream == activity->stream;
}

/* Takes a record of ktime's own stream. */
void calibration_take(const struct activity *activity);
/* Adds a line to the profile for each device that is of another model than the one on which this
 * run measured the overheads. To be called at the end. */
void calibration_note(void);

/* What an event pair costs, in nanoseconds: the host's time, with a gate (a launch takes 3.3 us
 * alone, 5.6 us with a pair, 6.6 us with a gated pair), and the device's time if work is queued
 * (H200, driver 580, medians). */
#define EVENT_PAIR_HOST_NS   3300u
#define EVENT_PAIR_GPU_NS    3500u
/*
 * Added to EVENT_PAIR_HOST_NS for each other thread that launches at the same time, as all of them
 * wait for one lock. 16 threads in 16 streams took 0.4 % longer without event pairs and 2.4 % with
 * 820 pairs a second, which is 24 us a pair (H200, driver 580). Not measured for fewer threads: the
 * cost is assumed to be proportional to their number.
 */
#define EVENT_PAIR_THREAD_NS 1150u

#endif
