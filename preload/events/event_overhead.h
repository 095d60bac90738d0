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

/* Before any of the others: the session whose header holds them. */
void event_overhead_start(struct session *session);
/*
 * A pair's time less the record's. Pairs that the device waited for the host in hold that gap too:
 * they count only where there are hardly any others.
 */
void event_overhead_add(enum bias_kind kind, bool starved, uint64_t nanoseconds);
/*
 * Adds to what was found on other machines half of what an empty pair measures more on this one,
 * or takes half off of what it measures less, nanoseconds. Once; of no effect where that is the
 * same, or nothing like it (0: it could not be measured).
 */
void event_overhead_calibrate(uint64_t empty_pair);
/* Nanoseconds: the median so far, else what was found on other machines. */
uint64_t event_overhead_of(enum bias_kind kind);
/* Brings the biases in the session's header up to date. */
void event_overhead_store(void);

/* Nanoseconds that a pair of events takes of the host, and, of work that is queued, of the device
 * (medians on an H200, driver 580). */
#define EVENT_PAIR_HOST_NS 1600u
#define EVENT_PAIR_GPU_NS  3500u

#endif
