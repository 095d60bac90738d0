/* SPDX-License-Identifier: MIT */
/*
 * Work that is still in flight when the program ends and that no event pair was put around: an
 * event is recorded behind it, so that its end can be waited for. The collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_END_MARKS_H
#define KTIME_PRELOAD_COLLECTOR_END_MARKS_H

#include <stdbool.h>

/* Records an event in every stream that awaits activity records. Nothing while a stream captures.
 */
void end_marks_set(void);
/* Whether the device has reached all of them; those that it has are let go of. */
bool end_marks_reached(void);

#endif
