/* SPDX-License-Identifier: MIT */
/*
 * The bias of an event pair: what it measures beyond the operation, nearly constant per kind. Taken
 * as the median over the pairs that CUPTI's record could be compared with. The collector thread
 * alone.
 */
#ifndef KTIME_PRELOAD_BIAS_H
#define KTIME_PRELOAD_BIAS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session.h"

/*
 * A pair's time less the record's. Pairs that the device waited for the host in hold that gap too:
 * they count only where there are hardly any others.
 */
void bias_add(enum bias_kind kind, bool starved, uint64_t nanoseconds);
/*
 * Scales what was found on other machines by what an empty pair measures on this one, nanoseconds,
 * where that is shorter. A longer one may be the device's wait for the second event: on some H200s
 * it was 2.2 to 2.9 us instead of 1.3, and a kernel's whole pair less than the bias scaled by that.
 */
void bias_calibrate(uint64_t empty_pair);
/* Nanoseconds: the median so far, else what was found on other machines. */
uint64_t bias_of(enum bias_kind kind);
/* Brings the biases in the session's header up to date. */
void bias_store(void);

#endif
