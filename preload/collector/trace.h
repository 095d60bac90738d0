/* SPDX-License-Identifier: MIT */
/* Trace records, one for each operation and each API call, if the user asked for a trace. For the
 * collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_TRACE_H
#define KTIME_PRELOAD_COLLECTOR_TRACE_H

#include "preload/base/run.h"
#include "preload/events/in_flight.h"
#include "preload/handles/operation.h"
#include "preload/launch/thread.h"
#include "preload/nvtx/ranges.h"

/* Whether there is a trace. The functions below must not be called otherwise. */
static inline bool trace_wanted(void)
{
	return run.header->trace_on == TRACE_GROWS;
}
/* Whether there is a trace of GPU operations; it also contains the memory allocated on the devices.
 */
bool trace_wants_memory(void);
/* Adds an operation by its activity record, and then the call that launched it, as the record gives
 * the call's correlation id. */
void trace_take(const struct seen *seen);
/* Adds an operation that only events timed. */
void trace_timed(const struct in_flight *operation);
/* Adds a wrapped call: at once if it has no operation in flight, else once the correlation id of
 * the operation's record is known (0: there is no record). */
void trace_call(const struct call_record *call, uint32_t thread, uint32_t correlation);
void trace_matched(const struct in_flight *call, uint32_t correlation);
/* In which NVTX ranges the call of an API record was made. May be called without a trace too. */
struct range_place trace_place_of(const struct activity *activity);
/* Adds a call by CUPTI's API record. */
void trace_api_record(const char *name, enum row_kind kind, const struct activity *activity);

#endif
