/* SPDX-License-Identifier: MIT */
/* Streams that have ended, and those whose work has not when the program ends. For the collector
 * thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_STREAM_ENDS_H
#define KTIME_PRELOAD_COLLECTOR_STREAM_ENDS_H

#include <stdbool.h>
#include <stdint.h>

/* Waiting for work that is in flight when the program ends and has no event pair: an event is
 * recorded behind it. */

/* Records an event in every stream that waits for activity records. Does nothing while a stream
 * captures. */
void end_marks_set(void);
/* Whether the device has reached all of the events; frees those that it has. */
bool end_marks_reached(void);

/* Frees ended streams when nothing refers to them any more. To be called once per period, after the
 * rings were drained; `now` is CLOCK_MONOTONIC in nanoseconds. */
void reclaim_streams(uint64_t now);

#endif
