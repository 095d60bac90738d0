/* SPDX-License-Identifier: MIT */
/*
 * A trace of a part of the run, for a user who asks for it from outside: ktime window --trace. Its
 * records lie in the profile until they are copied, at most TRACE_WINDOW_BYTES of them, the newest;
 * whatever the recording's budget is, everything is recorded meanwhile. For the collector thread
 * only.
 */
#ifndef KTIME_PRELOAD_RECORDING_TRACE_WINDOW_H
#define KTIME_PRELOAD_RECORDING_TRACE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

#define TRACE_WINDOW_BYTES (64u << 20)

/*
 * Begins one, without the records of an earlier one. `what`: bits of enum trace_set. It ends by
 * itself some seconds after `duration` nanoseconds, should nobody end it. 0, -EEXIST: the whole run
 * is traced, -EOPNOTSUPP: CUPTI does not record.
 */
int trace_window_open(unsigned what, uint64_t duration);
/* It takes no more records and keeps those that it has: they are being copied. */
void trace_window_stop(void);
/* Ends it, and forgets its records. 0, or -ENODATA: there is none, or none any more. */
int trace_window_close(void);
/* Once per period: ends it when its time is over. */
void trace_window_update(void);
bool trace_window_is_open(void);
/* Whether records of a kind belong into the trace; those of a whole run's all do. */
bool trace_window_takes(enum row_kind kind);

#endif
