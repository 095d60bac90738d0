/* SPDX-License-Identifier: MIT */
/*
 * The event-pair overhead: what the time between two events holds beyond the operation, nearly
 * constant for each kind of operation. It is the median difference between the event time and
 * CUPTI's time over the calls that have both. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_EVENTS_EVENT_OVERHEAD_H
#define KTIME_PRELOAD_EVENTS_EVENT_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

/* To be called first, with the profile in whose header the overheads are stored. */
void event_overhead_start(struct session *session);
/* Adds a call's event time less CUPTI's time. The event times of calls that found the device idle
 * include the wait for the host; they are used only if there are hardly any others. */
void event_overhead_add(enum overhead_kind kind, bool device_idle, uint64_t nanoseconds);
/*
 * Shifts the built-in overheads by half the difference between this device's event-pair overhead,
 * in nanoseconds, and the reference device's. Has no effect if the two agree, or if `pair_ns` is
 * implausible (0: not measured). To be called once.
 */
void event_overhead_calibrate(uint64_t pair_ns);
/* The overhead in nanoseconds: the median so far, else the built-in one. */
uint64_t event_overhead_of(enum overhead_kind kind);
/* Updates the overheads in the profile's header. */
void event_overhead_store(void);

/* What an event pair costs: the host's time, and the device's if work is queued (H200, driver 580,
 * medians). In nanoseconds. */
#define EVENT_PAIR_HOST_NS 1600u
#define EVENT_PAIR_GPU_NS  3500u

#endif
