/* SPDX-License-Identifier: MIT */
/* The session's rows, found by what the launch path knows. The collector thread alone. */
#ifndef KTIME_PRELOAD_COLLECTOR_ROWS_H
#define KTIME_PRELOAD_COLLECTOR_ROWS_H

#include "preload/base/clock.h"
#include "preload/handles/operation.h"
#include "preload/launch/call_record.h"
#include "report/session/session.h"

/* What the collector's files share; set once, before the first call. */
extern struct session *rows_session;
extern const struct clock_scale *rows_scale;

/* The row of an operation on a device, or NULL where it does not fit: then it is counted. */
struct row *rows_of(struct operation *operation, int device);
/* Whether CUPTI records the call itself, as it does calls that make no operation. */
bool rows_has_activity(const struct call_record *record);
/* Counts a call in the API's rows. */
void rows_count_call(const struct call_record *record);
/* Adds calls that were only counted. */
void rows_add_calls(unsigned api, uint64_t calls);
/* At the end: their time is that of the calls that were watched. */
void rows_finish(void);
/* The name of a call, and whether it is a runtime or a driver row; NULL where it has none.
 */
const char *rows_call_name(unsigned api, enum row_kind *kind);

#endif
