/* SPDX-License-Identifier: MIT */
/*
 * Measures what an event pair holds beyond the operation, on this device and in this run. Into a
 * stream of ktime's own go a kernel that keeps the device busy for a moment and, behind it, series
 * of event pairs: around nothing, around a kernel that reads the device's clock when it begins and
 * when it ends and, if CUPTI records operations, around copies. No pair waits for the host, and
 * each kernel's is behind a wait, so it holds as much as a gated one in an idle stream does.
 *
 * - Around copies by a copy engine a pair holds what two events with nothing between them do.
 * - Around kernels, which memsets and copies within a device are too, it holds more: at least that,
 *   and at most what is left of a pair once the time between the kernel's own readings is taken
 * off, as a kernel has begun before its first instruction and ends after its last. The middle is
 * taken.
 * - If CUPTI records the same kernels and copies, what a pair holds is its time less CUPTI's.
 * - An operation is queued if the device comes to it amid other work of its stream. A pair around
 * what runs as a kernel holds more then, gated or not (H200: 0.66 to 0.8 us), unless the operation
 * directly before has a gated pair. By how much is measured at the end of the run, with ktime's own
 * kernels, each behind eight others.
 *
 * For the collector thread alone.
 */
#ifndef KTIME_PRELOAD_EVENTS_CALIBRATION_H
#define KTIME_PRELOAD_EVENTS_CALIBRATION_H

#include <stdbool.h>

#include "cupti/activity.h"
#include "preload/handles/stream.h"
#include "report/session/session.h"

/*
 * Once per period until it is done: some 0.3 ms of the thread to queue the pairs, and a module to
 * be loaded the first time. `idle`: nothing of the program's is in flight as far as ktime knows;
 * otherwise it does not begin, as loading may wait for the device while it holds the driver's lock.
 */
void calibration_update(bool idle);
/* At the end of the run (NULL), and of a context, which may be the only one, once the device is
 * idle: measures unless that is done, within 50 ms; if operations were queued also pairs around
 * such, which takes 7 ms, unless another context ends than that of ktime's stream, which may go on.
 * Call calibration_settle() once CUPTI's records have been read. */
void calibration_finish(const struct context *ending, bool were_queued);
void calibration_settle(void);
/* Takes a record of ktime's own stream; false: the record is the program's. */
bool calibration_take(const struct activity *activity);
/* To be called when a context has ended. */
void calibration_context_ended(const struct context *context);

#endif
