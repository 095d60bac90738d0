/* SPDX-License-Identifier: MIT */
/*
 * Starting CUPTI while the program runs. Once started, CUPTI slows every launch until the process
 * ends, even while it records nothing. So if the user has given a budget (--budget), a run begins
 * with CUDA events alone, and CUPTI is started only after the launches have shown for some seconds
 * that its cost fits into the budget. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_LATE_START_H
#define KTIME_PRELOAD_RECORDING_LATE_START_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/cupti.h"
#include "preload/events/in_flight.h"
#include "report/session/session.h"

/*
 * The time that CUPTI adds to the program, estimated from the number of launches of each sort: a
 * standing cost of every launch once CUPTI is started, and a further cost of each launch that it
 * records. For the collector thread only.
 */

/* As cupti_start(). */
typedef int (*cupti_starter)(const struct cupti_settings *settings, char *reason, size_t size);

struct launch_costs {
	uint64_t launches;
	/* Nanoseconds by which the program takes longer: */
	double standing; /* because CUPTI is started, even if it records nothing */
	double calls;	 /* the part of `standing` that delays the program's own thread */
	double copies; /* because CUPTI records copies and memsets, which is never off (cupti.h) */
	double recording; /* because CUPTI records kernels and graph nodes */
};

/* Takes a graph's launch that was made while CUPTI was on and recorded no kernels. */
void launch_costs_see_call(const struct in_flight *call);
/* Of the launches that were counted since the last call, `elapsed` ns ago. `late`: CUPTI is
 * started, or is to be started, after the program has made its graphs; then `calls` is not bounded
 * by the device's idle time, as a start that costs too much cannot be undone. */
struct launch_costs launch_costs_take(bool late, uint64_t elapsed);

/* Prepares a later start of CUPTI by `start` with these settings, which are copied. The plan's
 * state says when: in deferred_start_now() (PLAN_DEFERRED), or once the cost fits into the budget
 * (PLAN_WAITING). Times are of CLOCK_REALTIME, in nanoseconds. */
void late_start_plan(const struct cupti_settings *settings, cupti_starter start, uint64_t now);

/*
 * Starts CUPTI when the profiling window opens for the first time, if the plan has deferred the
 * start until then (--start off). All records from then on are matched with calls, as if CUPTI had
 * run from the start. A call made during the start may or may not have left a record, so it does
 * not wait for one: `collect` takes these calls, and the records that they left, before the window
 * opens. If CUPTI cannot be started, a warning in the report says why. Takes 4 to 330 ms (H200,
 * CUPTI 13.0).
 */
void deferred_start_now(void (*collect)(void));

/* To be called once per period, with the cost of the launches in the last `elapsed` nanoseconds.
 * Starts CUPTI once that cost has fitted into the budget for long enough; returns true if it did.
 */
bool late_start_update(const struct launch_costs *costs, uint64_t elapsed, uint64_t now);
/* Says in the report why CUPTI was not started, if it was not. */
void late_start_finish(void);

#endif
