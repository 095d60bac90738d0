/* SPDX-License-Identifier: MIT */
/*
 * When CUPTI records. In a process without graphs, always. Tracing each node of a graph can cost
 * more than all of the program, so with --graph auto CUPTI's recording of kernels is turned off and
 * on while the program runs; that of copies and memsets stays on (pause.h):
 *
 *   until the first graph is made	recording; each call is matched with its record
 *   while the nodes fit the budget	recording, but for the moments when a graph is made
 *   from then on			in windows of some milliseconds, by chance
 *
 * With a budget of the user's that holds for everything: the run begins with events alone, and
 * CUPTI is started once its cost fits (late_start.h). Then
 *
 *   while recording fits the budget	recording
 *   from then on			in windows
 *
 * From the first graph on, and after a late start, no call is matched with a record: around a
 * moment when the recording is turned off or on nobody knows which calls left one. For the
 * collector thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_RECORDING_H
#define KTIME_PRELOAD_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/events/in_flight.h"
#include "preload/recording/late_start.h"
#include "report/session/session.h"

/*
 * To be called first. `row_of` gives the row of an operation on a device; `wake` wakes the
 * collector, on any thread. `late`: how CUPTI is to be started, by `start`; NULL: it was, or is not
 * used.
 */
void recording_start(struct session *session,
		     struct row *(*row_of)(struct operation *operation, int device),
		     void (*wake)(void), const struct cupti_settings *late, cupti_starter start);
/* Whether calls are matched with their records. */
bool recording_matches(void);
/* Whether everything is recorded, so that what is not was idle time. */
bool recording_is_complete(void);
/* Takes a call, if calls are not matched. */
void recording_call(const struct in_flight *call);
/* Takes the record of an operation that is reported, if calls are not matched. */
void recording_record(struct operation *operation, const struct activity *activity);
/* Whether the records of kernels launched by themselves tell which kernel it was. */
bool recording_knows_kernels(void);
/* Turns the recording off and on. To be called once per period of the collector; times are of
 * CLOCK_REALTIME. Returns after how many nanoseconds at most it should be called again. */
uint64_t recording_update(uint64_t now, uint64_t period);
/* Brings the rows' totals up to date with their calls, as is done some times a second: before
 * others copy the profile. */
void recording_update_rows(void);
/* Whether the records of a window are waited for, so that CUPTI should be flushed. */
bool recording_wants_flush(uint64_t now);
/* To be called at the end, when all calls are counted. */
void recording_finish(void);

#endif
