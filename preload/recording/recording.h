/* SPDX-License-Identifier: MIT */
/*
 * Turning CUPTI's recording of kernels off and on while the program runs, in the plan's states that
 * ask for it (plan.h); the recording of copies and memsets stays on (cupti.h). A recording window
 * is a time in which kernels are recorded. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_RECORDING_H
#define KTIME_PRELOAD_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "cupti/cupti.h"
#include "preload/base/pauses.h"
#include "preload/events/in_flight.h"
#include "report/session/session.h"

/*
 * Starting CUPTI while the program runs. Once started, CUPTI slows every launch until the process
 * ends, even while it records nothing. So if the user has given a budget (--budget), a run begins
 * with CUDA events alone, and CUPTI is started only after the launches have shown for some seconds
 * that its cost fits into the budget. For the collector thread only.
 */

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

/* Adds the launch of a graph that was made between recording windows: CUPTI was started and
 * recorded no kernels. */
void launch_costs_see_call(const struct in_flight *call);
/* Returns what CUPTI costs the launches that were counted since the last call, which was `elapsed`
 * ns ago, or would cost them. `starts_within_budget`: as in struct plan; the program has made its
 * graphs before CUPTI is started; then `calls` is not bounded by the device's idle time, as a start
 * that costs too much cannot be undone. */
struct launch_costs launch_costs_take(bool starts_within_budget, uint64_t elapsed);

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

/*
 * When recording windows open and how long they stay open, so that their cost stays within their
 * part of the budget. All times are in nanoseconds. `work` is in nanoseconds too: what recording
 * every launch since the start of the run would have cost. A window opens after a random amount of
 * work, not of time, so that a launch is recorded with the same probability in phases with many
 * launches and in phases with few. For the collector thread only.
 */

/* `budget`: the fraction of the run's time that windows may cost; `random`: seed of the random
 * numbers. */
void window_times_start(uint64_t now, double budget, uint64_t random);
/* To be called when a window was closed, which has cost `spent`: plans when the next one opens. */
void window_times_plan(uint64_t now, double work, double spent);
/* To be called once per period, before window_times_are_due(). Adds the time since the last call to
 * the time that pays for windows, unless the program has not launched anything for a while. */
void window_times_pass(uint64_t now, double work);
/* Whether the next window opens. */
bool window_times_are_due(uint64_t now, double work);
/* Whether a window that has been open for `open` nanoseconds, and has cost `spent`, is to be
 * closed. After its time is over it stays open for one more launch, as the last recorded launch of
 * a window is left out of the estimates. */
bool window_times_are_over(uint64_t open, double work, double spent);
/* Chooses how long the next window is, after one that has cost `spent`. */
void window_times_adapt(double spent);

/*
 * Waiting for a recording window's records: its launches may still be queued when it is closed. For
 * the collector thread only; times are of CLOCK_REALTIME, in nanoseconds.
 */

/* A recording window opens; `seen`: what launches_seen() returns at that time. */
void window_records_begin(uint64_t seen);
/* A graph with kernels was launched in the window, at a time for which CUPTI surely records it. */
void window_records_expect(void);
/* The window was closed at `now`: from now on its records are waited for. */
void window_records_await(uint64_t now);
/* Whether the window's records have all come, or are waited for no longer; `seen`: launches_seen()
 * now. False at the first call that finds every launch seen: records of the last graph launch's
 * other nodes may come a little later. */
bool window_records_have_come(uint64_t now, uint64_t seen);

/*
 * To be called before all other functions. `wake` wakes the collector and may be called on any
 * thread. `later`: the settings with which `start` is to start CUPTI later; NULL: CUPTI has been
 * started already or is not used.
 */
void recording_start(void (*wake)(void), const struct cupti_settings *later, cupti_starter start);
/* Takes a call record, if the plan does not match call records with CUPTI's records. */
void recording_call(const struct in_flight *call);
/* Takes CUPTI's record of an operation that has a row; only if the plan does not match call records
 * with CUPTI's records. */
void recording_take(const struct seen *seen);
/* Take each node of a graph's launch that is complete (sums.h), and then the launch's operation,
 * which lasted from its first node's start to its last one's end. */
void recording_node(struct operation *operation, uint32_t device, uint64_t nanoseconds);
void recording_graph(struct operation *graph, uint32_t device, uint64_t nanoseconds);
/* Turns the recording of kernels off and on. To be called once per period of the collector; times
 * are of CLOCK_REALTIME. Returns after how many nanoseconds at most it should be called again. */
uint64_t recording_update(uint64_t now, uint64_t period);
/* The recording window that is open, or the last one. */
const struct kernel_window *recording_window(void);
/* Brings the rows' totals up to date with their calls. recording_update() does so some times a
 * second; to be called before another process copies the profile. */
void recording_update_rows(void);
/* Whether CUPTI should be flushed now, as records of a recording window are waited for. After true
 * it is false for a while. */
bool recording_wants_flush(uint64_t now);
/* To be called at the end, when all calls are counted. */
void recording_finish(void);

/*
 * Whether CUPTI records all that is launched in a recording window. Whether it does so after its
 * recording was turned off and on again is known only of the versions and programs that were tried.
 * So in the first windows it is tested: launches that must have left a record are counted, and
 * compared with the records, once these must have come.
 *
 *   launches	of one thread into one stream, that began and ended while kernels were recorded
 *   once	the device has come past them, as the event pair of a later call in that stream
 *		tells, and a record of the next window has come from the same thread
 *
 * One launch in each window may lack its record: the last one before the recording is turned
 * off. Times are of CLOCK_REALTIME, in nanoseconds.
 */

struct graph_contents;

/* Sums over the recording windows in which records were missing; `graphs`: of kernels that are
 * nodes of graphs, else of kernels launched by themselves. */
struct window_check {
	bool graphs;
	unsigned windows;
	uint64_t kernels, records;
};

/* The recording of kernels has just been turned on for a window, or is about to be turned off.
 * `records_now`: a time shortly before, on the records' clock. */
void window_check_open(uint64_t now, uint64_t records_now);
void window_check_close(uint64_t now);
/* A call of the program's; `contents`: of the graph that it launches, or NULL. */
void window_check_call(const struct in_flight *call, const struct graph_contents *contents);
/* The device has come to the end of a call. */
void window_check_passed(const struct in_flight *call);
/* The record of a kernel, whether it has times or not. */
void window_check_record(const struct activity *activity);
/* To be called once the last recording window's records have come, as far as they ever will.
 * Returns the sums if too many of the first windows lacked records, else NULL. */
const struct window_check *window_check_result(void);

/*
 * The trace window: a trace of a part of the run, which a user asks for while the program runs
 * (ktime window --trace). Its newest records, up to TRACE_WINDOW_BYTES, lie in the profile until
 * they are copied. While it is open everything is recorded, whatever the budget. For the collector
 * thread only.
 */

#define TRACE_WINDOW_BYTES (64u << 20)

/*
 * Opens the trace window, and drops the records of an earlier one. `what`: bits of enum trace_set.
 * If nobody closes it, it closes some seconds after `duration` nanoseconds. 0, -EEXIST: the whole
 * run is traced, -EOPNOTSUPP: CUPTI does not record.
 */
int trace_window_open(unsigned what, uint64_t duration);
/* Adds no more records, and keeps those that are there: they are going to be copied. */
void trace_window_stop(void);
/* Closes the trace window and drops its records. 0, or -ENODATA: none is open, or none any more. */
int trace_window_close(void);
/* Closes the trace window when its time is over. To be called once per period. */
void trace_window_update(void);
bool trace_window_is_open(void);
/* Whether records of a kind belong to the trace; in a trace of the whole run all do. */
bool trace_window_takes(enum row_kind kind);

/* Commands of other processes, which come by a page of the profile: ktime on, off, window and
 * snapshot. For the collector thread. */

/* To be called once, first. `collect` takes what has finished into the rows. */
void commands_start(void (*collect)(void));
/* To be called with true before the collector writes to the profile and with false after: while it
 * is false, other processes may copy the profile. */
void commands_writing(bool writing);
/* Carries out what was asked for since the last call, and what the window's plan says. Once per
 * period. */
void commands_update(void);

#endif
