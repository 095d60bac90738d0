/* SPDX-License-Identifier: MIT */
/* The user's settings, from KTIME_OPTIONS: read once, before ktime runs, and constant afterwards;
 * and the mode, which is how this run times its operations. */
#ifndef KTIME_PRELOAD_BASE_SETTINGS_H
#define KTIME_PRELOAD_BASE_SETTINGS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/launch_state.h"
#include "report/options/options.h"
#include "report/session/session.h"

extern struct options settings;

/* Reads the settings. 0, or -EINVAL with a one-line message; the settings are then the defaults. */
int settings_read(char *message, size_t size);

/* Has the process count its operations, and time none of them. Before anything is timed. */
void settings_count_only(void);

/* Whether the user asked for rows of ROW_RUNTIME_API or ROW_DRIVER_API calls. */
bool settings_want_calls(enum row_kind kind);

/* Whether the user asked for rows of a device's work; always true beyond SESSION_DEVICES. */
static inline bool settings_want_device(int device)
{
	return settings.trace & TRACE_GPU &&
	       (device < 0 || device >= SESSION_DEVICES || settings.devices >> device & 1);
}

/*
 * Whether CUPTI waits until the launches have shown that its cost fits into the budget: the user
 * has given one, and nothing is asked for that needs CUPTI from the start.
 */
bool settings_cupti_waits(void);

/* Whether CUPTI is not to be started before the profiling window opens for the first time, nor
 * anything of ktime's be put on the device: with --start off, or until --delay is over. Counters
 * are read by CUPTI from the start. */
bool settings_begin_later(void);

/* The mode: decided once, when ktime starts and has found out whether CUPTI works. Only
 * launch_state.cupti changes later, if CUPTI is started when the profiling window opens, or the
 * program itself ends it (cuptiFinalize). */

/* Calls that began later leave records, in clock_ticks(); 0 unless CUPTI was started amid calls.
 * For the collector thread only. */
extern uint64_t mode_cupti_since;
/* Launches that get no event pair are count-only, without a call record, as long as the program
 * uses one device: events are the only clock. */
extern bool mode_counting;
/* Launches outside the profiling window are count-only, as long as the program uses one device and
 * CUPTI has not been started: nothing is said of them but how many they are. */
extern bool mode_counting_outside;
/* CUPTI's API records fill the API rows: of the runtime functions that ktime does not wrap, or of
 * all driver functions. */
extern bool mode_runtime_records, mode_driver_records;

static inline bool mode_is_cupti(void)
{
	return atomic_load_explicit(&launch_state.cupti, memory_order_relaxed);
}

/* Whether ktime may start CUPTI and put something of its own on the device: with --start off not
 * before the profiling window has opened. */
extern _Atomic bool mode_begun;

/* Sets the mode, once, before the first call is recorded. `deferred`: CUPTI is started when the
 * profiling window opens. `runtime_records` and `driver_records`: the API records that CUPTI is
 * asked for; they have no effect without it. */
void mode_choose(bool cupti, bool deferred, bool runtime_records, bool driver_records);

/* CUPTI, which was deferred, has been started now, or could not be. On the collector
 * thread, while no call that is taken is inside the profiling window. */
void mode_begin_cupti(bool started);

/* Called when the program has ended CUPTI: events are the only clock from now on. Any thread. */
void mode_end_cupti(void);

/*
 * How many reasons there are against count-only calls, each of which needs a call record of every
 * launch, copy and memset: CUPTI or a trace, a stream capture, a second device, ktime not running.
 * Where launches outside the profiling window may be count-only too, COUNT_ONLY_OUTSIDE is added to
 * it while that is closed. The launch path reads this one number, once a launch: at 0 the launch
 * may be count-only and is in the window, at COUNT_ONLY_OUTSIDE it may be so and is not.
 */
#define COUNT_ONLY_OUTSIDE (INT_MIN / 2)
static inline void count_only_block(int by)
{
	atomic_fetch_add_explicit(&launch_state.count_only_blocks, by, memory_order_relaxed);
}
static inline int count_only_state(void)
{
	return atomic_load_explicit(&launch_state.count_only_blocks, memory_order_relaxed);
}

#endif
