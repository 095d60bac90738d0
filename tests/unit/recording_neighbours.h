/* SPDX-License-Identifier: MIT */
/* For test_recorded_launches.c alone: a clock, CUPTI, and who takes the records of windows. */
#ifndef KTIME_TESTS_UNIT_RECORDING_NEIGHBOURS_H
#define KTIME_TESTS_UNIT_RECORDING_NEIGHBOURS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/settings.h"
#include "preload/handles/graph.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/late_start.h"
#include "preload/recording/recording.h"
#include "preload/recording/sums.h"
#include "preload/recording/rows.h"
#include "tests/unit/made_run.h"
#include "tests/unit/own_process.h"

#define MS     1000000ull
#define PERIOD (5 * MS)

struct options settings;
_Atomic bool mode_cupti = true;
static uint64_t now = 1000000 * MS;
static bool cupti_is_active, realtime = true, ranges_chosen, started_now, paused;
static bool can_pause = true;
_Atomic bool instantiation_ever;
_Atomic unsigned instantiation_count;
static unsigned pauses, following, watched, starts, plans, finishes, closed, random_closed, updates;
_Atomic uint64_t graph_updates_unread;
_Atomic bool operation_names_reused;
static uint64_t ended_since, cost_elapsed;
static bool ended_off, costs_late;
static struct launch_costs costs;

/* In place of the kernel's. */
int clock_read(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
	return 0;
}

bool cupti_active(void)
{
	return cupti_is_active;
}

_Atomic int64_t cupti_clock_behind;

bool cupti_clock_is_realtime(void)
{
	return realtime;
}

void launch_costs_see_call(const struct in_flight *call)
{
	assert_non_null(call);
}

struct launch_costs launch_costs_take(bool late, uint64_t elapsed)
{
	struct launch_costs taken = costs;

	(void)elapsed;
	costs_late = late;
	costs = (struct launch_costs){0};
	return taken;
}

void late_start_plan(const struct cupti_settings *how, cupti_starter start, double part,
		     uint64_t at)
{
	assert_non_null(how);
	assert_null(start);
	assert_true(part > 0.0199 && part < 0.0201);
	assert_int_equal(at, now);
	plans++;
}

bool late_start_update(const struct launch_costs *of, uint64_t elapsed, uint64_t at)
{
	assert_non_null(of);
	assert_int_equal(at, now);
	cost_elapsed = elapsed;
	return started_now;
}

void late_start_finish(void)
{
	finishes++;
}

bool settings_cupti_waits(void)
{
	return true;
}

void deferred_start_plan(const struct cupti_settings *how, cupti_starter start)
{
	(void)how, (void)start;
	fail();
}

bool pause_is_safe(void)
{
	return true;
}

bool pause_kernels(enum pause_reason reason, bool to)
{
	assert_int_equal(reason, PAUSE_BETWEEN_WINDOWS);
	pauses++;
	if (can_pause)
		paused = to;
	return can_pause;
}

bool pause_is_refused(void)
{
	return false;
}

bool pause_was_shared(void)
{
	return false;
}

void instantiation_watch(void (*wake)(void))
{
	assert_null(wake);
	watched++;
}

static bool told_off, told_windows;

void instantiation_tell(bool off, bool windows)
{
	told_off = off;
	told_windows = windows;
}

void instantiation_stays_on(void)
{
}

void graph_follow_updates(void)
{
	following++;
}

bool ranges_are_chosen(void)
{
	return ranges_chosen;
}

static unsigned nodes_added, settled;
static uint64_t added_ns;

void launches_add(struct operation *operation, const struct activity *activity)
{
	assert_true(operation && activity);
	nodes_added++;
}

static unsigned windows_opened, windows_closed;

void versions_window_opens(void)
{
	windows_opened++;
}

void versions_window_was_closed(void)
{
	windows_closed++;
}

void launches_settle(void)
{
	settled++;
}

void launches_end(bool turned_off, uint64_t since, uint64_t until)
{
	(void)until;
	ended_off = turned_off;
	ended_since = since;
}

uint64_t launches_begin(void)
{
	return 0;
}

uint64_t launches_seen(void)
{
	return 0;
}

void sums_start(void)
{
	starts++;
}

static unsigned late_begins;

void sums_begin_late(void)
{
	late_begins++;
}

void sums_add(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	assert_non_null(operation);
	assert_int_equal(device, 1);
	added_ns += nanoseconds;
}

void sums_close_window(bool random)
{
	closed++;
	random_closed += random;
}

bool sums_lack_a_graph(void)
{
	return false;
}

bool sums_are_fresh(void)
{
	return false;
}

void sums_update_rows(void)
{
	updates++;
}

static struct operation kernel = {.kind = ROW_KERNEL};
static bool no_rows;

struct row *rows_of(struct operation *operation, int device)
{
	return no_rows ? NULL : session_row(run.session, operation->kind, "row", device);
}

static uint64_t count(enum session_counter counter)
{
	return run.header->counters[counter];
}

static const struct cupti_settings late;

/* Runs for a time in periods of 5 ms. */
static void run_for(uint64_t nanoseconds)
{
	for (uint64_t end = now + nanoseconds; now < end;) {
		now += PERIOD;
		recording_update(now, PERIOD);
	}
}

/* With a budget of 2 %. */
static void prepare(bool is_late)
{
	options_defaults(&settings);
	settings.budget = 2;
	cupti_is_active = !is_late;
	if (make_run(0))
		_exit(1);
	recording_start(NULL, is_late ? &late : NULL, NULL);
}

#define TEST(name, is_late) TEST_IN_CHILD(name, prepare(is_late))

#endif
