/* SPDX-License-Identifier: MIT */
/*
 * The records of a trace, one for each operation and API call, while one is asked for. The
 * collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_TRACE_H
#define KTIME_PRELOAD_COLLECTOR_TRACE_H

#include "cupti/activity.h"
#include "preload/handles/operation.h"
#include "preload/launch/call_record.h"
#include "preload/events/in_flight.h"

/* Whether a trace is kept; asked before any of the others. */
bool trace_wanted(void);
/* An operation by its activity record. */
void trace_operation(const struct operation *operation, const struct activity *activity);
/* An operation that events alone timed. */
void trace_timed(const struct in_flight *operation);
/* A wrapped call, and the same one once its operation's correlation id is known (0: never). */
void trace_call(const struct call_record *call, uint32_t thread, uint32_t correlation);
void trace_matched(const struct in_flight *call, uint32_t correlation);
/* A call that CUPTI recorded. */
void trace_api_record(const char *name, enum row_kind kind, const struct activity *activity);

#endif
