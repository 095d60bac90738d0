/* SPDX-License-Identifier: MIT */
/* Waiting for work that is in flight when the program ends and has no event pair: an event is
 * recorded behind it. For the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_END_MARKS_H
#define KTIME_PRELOAD_COLLECTOR_END_MARKS_H

#include <stdbool.h>

/* Records an event in every stream that waits for activity records. Does nothing while a stream
 * captures. */
void end_marks_set(void);
/* Whether the device has reached all of the events; frees those that it has. */
bool end_marks_reached(void);

#endif
