/* SPDX-License-Identifier: MIT */
/*
 * Which event pairs other streams of the device had calls beside. The device's front end serves one
 * stream at a time, so the end event of a short operation may come some microseconds late then, and
 * nothing that can be measured in the stream tells how late (docs/accuracy.md).
 *
 * For each device the streams that had calls are remembered by slots of time, from when a second
 * stream has one. For the collector thread only; times are CLOCK_REALTIME in nanoseconds.
 */
#ifndef KTIME_PRELOAD_EVENTS_OTHER_STREAMS_H
#define KTIME_PRELOAD_EVENTS_OTHER_STREAMS_H

#include <stdbool.h>

#include "preload/events/in_flight.h"

/* Remembers a call. Of one that stands for more calls it is taken that they were made since the
 * last such call of the stream, if that is 50 us for each at most. */
void other_streams_call(struct stream *stream, uint64_t started, unsigned stands_for);
/* Whether another stream of the device had a call between the begin of this one and the end of its
 * operation, whose pair has been read. What is over 0.1 s ago may be forgotten: false. */
bool other_streams_beside(const struct in_flight *operation);

#endif
