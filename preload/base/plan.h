/* SPDX-License-Identifier: MIT */
/*
 * The plan: which clock times the run's operations, when CUPTI records, and whether a launch leaves
 * a call record. All other files ask the plan for these.
 *
 *   state		CUPTI				calls		what leads to which next
 *state
 *
 *   EVENTS	not in use			alone
 *   DEFERRED	not even initialised		alone		the profiling window opens for
 *								the first time: MATCHED
 *   WAITING	not started			alone		what it would cost has fitted
 *								into the user's budget for some
 *								seconds: CONTINUOUS
 *   MATCHED	records everything		each matched	the first graph, where the plan
 *						with a record	adapts: CONTINUOUS
 *   CONTINUOUS	records everything, but while	alone		that costs more than the
 *		a graph is made					budget: WINDOWS
 *   WINDOWS	copies and memsets; kernels in	alone
 *		windows of some milliseconds
 *
 * A deferred start that fails leads to EVENTS, and launches are only counted from then on where
 * they may be. Where the start within a budget fails, or the program ends CUPTI, the state stays
 * and no records come. From the first graph on, and after a start amid the run, no call is matched
 * with a record: around a moment when the recording is turned off or on nobody knows which calls
 * left one. Tracing each node of a graph can cost more than all of the program, so by default what
 * is recorded adapts (recording.c).
 */
#ifndef KTIME_PRELOAD_BASE_PLAN_H
#define KTIME_PRELOAD_BASE_PLAN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/atomics.h"
#include "preload/base/launch_state.h"

enum plan_state {
	PLAN_EVENTS,
	PLAN_DEFERRED,
	PLAN_WAITING,
	PLAN_MATCHED,
	PLAN_CONTINUOUS,
	PLAN_WINDOWS,
};

/*
 * The word that the launch path reads, once a launch: the reasons why a launch, copy or memset
 * needs a call record. Without any it may be count-only, inside the profiling window; with
 * NEEDS_NOTHING_OUTSIDE alone it may be so and is outside.
 */
enum plan_need {
	NEEDS_ITS_RECORD = 1 << 0, /* CUPTI or a trace does, or each call has an event pair */
	NEEDS_KTIME = 1 << 1,	   /* ktime does not run, or no more */
	NEEDS_ITS_DEVICE = 1 << 2, /* the program uses several */
	NEEDS_ITS_RANGE = 1 << 3,  /* the user has chosen ranges */
	NEEDS_ITS_START = 1 << 4,  /* CUPTI is started while the program launches, or was */
	NEEDS_CAPTURE = 1 << 5,	   /* each of the stream captures that are live adds this */
	NEEDS_NOTHING_OUTSIDE = INT_MIN,
};

struct plan {
	/* ktime may start CUPTI and put something of its own on the device: with --start off not
	 * before the profiling window has opened. */
	_Atomic bool begun;
	/* Launches that get no event pair are count-only: in the profiling window as events are the
	 * only clock, outside of it, and wherever that is so, as nothing is said of them but how
	 * many they are. */
	bool counting, counting_outside;
	/* CUPTI's API records fill the API rows: of the runtime functions that ktime does not wrap,
	 * or of all driver functions. */
	bool runtime_records, driver_records;

	/* For the collector thread. */
	enum plan_state state;
	bool starts_within_budget; /* the user has set a budget; CUPTI starts once it fits, or has
				    */
	uint64_t cupti_since;	   /* calls that began later leave records, in clock_ticks() */
};

/* What the launch path reads of it is in launch_state. Written by the functions below alone. */
extern struct plan plan;

static inline int plan_of_launch(void)
{
	return load_relaxed(&launch_state.needs);
}

static inline bool plan_is_cupti(void)
{
	return load_relaxed(&launch_state.cupti);
}

/* Whether each call is matched with its CUPTI record, if there are records: in PLAN_EVENTS there
 * are none. */
static inline bool plan_matches(void)
{
	return plan.state < PLAN_CONTINUOUS && plan.state != PLAN_WAITING;
}

/* Whether CUPTI records every operation, so that the device was idle at any time that no record
 * covers. Of no meaning in PLAN_EVENTS, where there are no records. */
static inline bool plan_is_complete(void)
{
	return plan_matches() || (plan.state == PLAN_CONTINUOUS && !plan.starts_within_budget);
}

/* Whether kernels are recorded in windows, and all calls leave a record all the same. */
static inline bool plan_has_windows(void)
{
	return plan.state == PLAN_WINDOWS && !plan.starts_within_budget;
}

/*
 * Whether CUPTI waits until the launches have shown that its cost fits into the budget: the user
 * has given one, and nothing is asked for that needs CUPTI from the start.
 */
bool plan_waits_for_budget(void);
/* Whether, before the profiling window opens for the first time, CUPTI is not started and ktime
 * puts nothing of its own on the device: with --start off, or until --delay is over. Not with
 * --metrics, which needs CUPTI from the start. */
bool plan_begins_later(void);
/* Whether CUPTI may skip kernels whose records cost too much: no option of the user's needs every
 * record. */
bool plan_may_adapt(void);

/* Sets the first state, once, before the first call is recorded: EVENTS, DEFERRED, WAITING or
 * MATCHED. `version`: CUPTI's, 0 if it could not be loaded. `runtime_records` and `driver_records`:
 * whether CUPTI is asked for records of runtime and of driver functions. */
void plan_choose(enum plan_state state, uint32_t version, bool runtime_records,
		 bool driver_records);
/* To be called when the profiling window opens or closes, with the window's lock held. */
void plan_window(bool open);
/* CUPTI was started while the program launches, of that version. For the collector thread. */
void plan_cupti_started(uint32_t version);
/* A deferred start of CUPTI has failed. `open`: whether the profiling window is open. To be called
 * with that window's lock held, on the collector thread. */
void plan_cupti_refused(bool open);
/* After a deferred start of CUPTI: calls that begin from now on leave records. For the collector
 * thread. */
void plan_calls_leave_records(void);
/* The program has made its first graph, and CUPTI may skip records. For the collector thread. */
void plan_graphs_seen(void);
/* Recording everything costs more than the budget. For the collector thread. */
void plan_over_budget(void);
/* The program has ended CUPTI, or taken it: events are the only clock from now on. */
void plan_cupti_ended(void);

/* Adds or removes a reason why launches need a call record. Any thread. */
void plan_need(enum plan_need need);
void plan_need_no_more(enum plan_need need);
/* To be called when a stream capture has begun, and when it has ended. */
void plan_capture(bool live);

#endif
