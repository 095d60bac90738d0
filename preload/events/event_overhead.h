/* SPDX-License-Identifier: MIT */
/*
 * The event-pair overhead: what the time between two events holds beyond the operation, nearly
 * constant for each kind of operation, as calibration.c has measured it. For the collector thread
 * only.
 */
#ifndef KTIME_PRELOAD_EVENTS_EVENT_OVERHEAD_H
#define KTIME_PRELOAD_EVENTS_EVENT_OVERHEAD_H

#include <stdint.h>

#include "report/session/session.h"

/* To be called first, with the profile in whose header the overheads are stored. */
void event_overhead_start(struct session *session);
/* An overhead and its standard error, in nanoseconds, from `pairs` event pairs. */
void event_overhead_set(enum overhead_kind kind, double nanoseconds, double standard_error,
			unsigned pairs);
/* The same of how much more a pair around what runs as a kernel holds if that was queued. */
void event_overhead_set_queued(double nanoseconds, double standard_error, unsigned pairs);
/* On which device the overheads are measured; they are used for all. */
void event_overhead_measured_on(int device);
/* Adds a line to the profile for each device of another kind. To be called at the end. */
void event_overhead_note(void);

/* What an event pair costs: the host's time with a gate (a launch takes 3.3 us alone, 5.6 with a
 * pair, 6.6 with a gated one), and the device's if work is queued (H200, driver 580, medians). In
 * nanoseconds. */
#define EVENT_PAIR_HOST_NS   3300u
#define EVENT_PAIR_GPU_NS    3500u
/*
 * More for each other thread that launches at the time, as all wait. 16 threads in 16 streams took
 * 0.4 % longer without pairs and 2.4 % with 820 of them a second, 24 us each (H200, driver 580);
 * for fewer threads it was not measured, and is taken to grow with them.
 */
#define EVENT_PAIR_THREAD_NS 1150u

#endif
