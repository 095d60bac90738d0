/* SPDX-License-Identifier: MIT */
/*
 * The bias of an event pair: what it measures beyond the operation, nearly constant per kind. Taken
 * as the median over the pairs that CUPTI's record could be compared with. The collector thread
 * alone.
 */
#ifndef KTIME_PRELOAD_EVENTS_EVENT_OVERHEAD_H
#define KTIME_PRELOAD_EVENTS_EVENT_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

/*
 * A pair's time less the record's. Pairs that the device waited for the host in hold that gap too:
 * they count only where there are hardly any others.
 */
void bias_add(enum bias_kind kind, bool starved, uint64_t nanoseconds);
/*
 * Adds to what was found on other machines half of what an empty pair measures more on this one,
 * or takes half off of what it measures less, nanoseconds. Once; of no effect where that is the
 * same, or nothing like it (0: it could not be measured).
 */
void bias_calibrate(uint64_t empty_pair);
/* Nanoseconds: the median so far, else what was found on other machines. */
uint64_t bias_of(enum bias_kind kind);
/* Brings the biases in the session's header up to date. */
void bias_store(void);

#endif
