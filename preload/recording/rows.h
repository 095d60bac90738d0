/* SPDX-License-Identifier: MIT */
/* The profile's rows by operation and by API row number. For the collector thread only. */
#ifndef KTIME_PRELOAD_RECORDING_ROWS_H
#define KTIME_PRELOAD_RECORDING_ROWS_H

#include "preload/events/in_flight.h"
#include "preload/handles/operation.h"
#include "preload/launch/thread.h"
#include "preload/nvtx/ranges.h"
#include "report/session/session.h"

/* The row of an operation on a device; NULL, and counted as lost, if the table is full. */
struct row *rows_of(struct operation *operation, int device);
/* Takes a record, or a launch of a graph whose nodes have all been recorded (no activity). */
void rows_take(const struct seen *seen);
/* Adds what an event pair measured; whether that left out the time of the row's first launch, which
 * loaded the kernel. */
bool rows_add_event_time(struct row *row, const struct in_flight *operation);
/* Whether any event time was of a queued operation that runs as a kernel (calibration.h). */
extern bool rows_were_queued;
/* Whether CUPTI makes an API record of the call, so that the row counts that instead. */
bool rows_has_activity(const struct call_record *record);
/* Counts a call in its API row, and in the ranges that it was made in. */
void rows_count_call(const struct call_record *record, const struct range_place *place);
/* Counts launches of an operation outside the profiling window. */
void rows_add_outside(struct operation *operation, int device, uint64_t calls);
/* Counts the calls that were dropped because a ring was full, since the last time. */
void rows_take_lost(void);
/* How many dropped calls rows_take_lost() has not counted yet; any thread, without a lock. */
uint64_t rows_lost_untaken(void);
/* Whether the operation was called inside the profiling window, as far as is known by now; also if
 * all these calls were dropped. */
bool rows_were_called(const struct operation *operation);
/* Adds count-only calls. */
void rows_add_calls(unsigned api, uint64_t calls);
/* To be called at the end: estimates the time of count-only calls, and warns of what rows miss. */
void rows_finish(void);
/* Whether an operation has been launched on a device more often than it has records, as far as is
 * known; true also if it was launched on other devices alone. */
bool rows_lack_records(const struct operation *operation, int device);
/* An API row's name, and whether it is a runtime or a driver row; NULL if the number has no row. */
const char *rows_call_name(unsigned api, enum row_kind *kind);

#endif
