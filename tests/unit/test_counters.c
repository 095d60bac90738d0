/* SPDX-License-Identifier: MIT */
/* What the collector sums up over the threads and contexts, each of them once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/library.h"
#include "preload/base/background_thread.h"
#include "preload/base/settings.h"
#include "preload/collector/calls.h"
#include "preload/collector/cost.h"
#include "preload/recording/rows.h"
#include "preload/collector/trace.h"
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"
#include "preload/handles/graph.h"
#include "preload/handles/stream.h"
#include "preload/launch/thread.h"
#include "preload/memory/allocations.h"
#include "preload/metrics/metrics.h"
#include "preload/timeline/timeline.h"
#include "tests/unit/made_run.h"

_Atomic bool mode_cupti;

static struct thread threads[2] = {{.next = &threads[1]}};
static struct context contexts[2] = {{.next = &contexts[1]}};
static unsigned measured;

struct thread *thread_first(void)
{
	return &threads[0];
}

struct context *context_first(void)
{
	return &contexts[0];
}

_Atomic uint32_t threads_entered = 17;
_Atomic uint64_t driver_failures = 19;

bool cupti_active(void)
{
	return mode_is_cupti();
}

uint64_t library_errors(void)
{
	return 23;
}

static struct graph_contents twice = {.allocations = 2}, once = {.allocations = 1};
static struct row rows[3] = {{.calls = 10, .calls_outside = 4}, {.calls = 5}, {.calls = 100}};
static struct operation older = {.rows = {[SESSION_DEVICES - 1] = &rows[2]}, .contents = &once},
			newer = {.rows = {[0] = &rows[0], [7] = &rows[1]},
				 .contents = &twice,
				 .allocating = &older};
static bool allocates;

struct operation *graph_allocating_first(void)
{
	return allocates ? &newer : NULL;
}

static unsigned takings;

void rows_take_lost(void)
{
	takings++;
}

void metrics_update(void)
{
}

static unsigned memory_updates;

void memory_profile_update(void)
{
	memory_updates++;
}

static bool traced;

bool trace_wants_memory(void)
{
	return traced;
}

/* After the sums, which it is of the same moment as or later. */
void held_trace_update(bool wanted)
{
	assert_int_equal(wanted, traced);
	traced = !traced;
}

/* The kernel is asked for what memory ktime takes, unless the program has sandboxed itself. */
bool sandbox_calls_begin(void)
{
	measured++;
	return false;
}

void sandbox_calls_end(void)
{
}

void buffers_range(const void **start, size_t *size)
{
	*start = NULL;
	*size = 0;
}

const void *holdings_range(size_t *size)
{
	*size = 0;
	return NULL;
}

size_t matcher_memory(void)
{
	return 1000;
}

size_t in_flight_memory(void)
{
	return 200;
}

size_t timeline_memory(void)
{
	return 30;
}

struct event_pool *event_pool_first(void)
{
	return NULL;
}

static uint64_t offset;

uint64_t clock_realtime_offset(void)
{
	return offset;
}

/* As far as it ever was from where it was at the start, either way. */
static void a_wall_clock_that_is_set_is_noticed(void **state)
{
	const struct {
		uint64_t offset, start, moved;
	} steps[] = {{0, 0, 0},
		     {5000000, 5000000, 0},
		     {5000300, 5000000, 300},
		     {5000100, 5000000, 300},
		     {4000000, 5000000, 1000000},
		     {5000000, 5000000, 1000000},
		     {6000001, 5000000, 1000001}};

	(void)state;
	assert_int_equal(make_run(0), 0);
	run.scale = (struct clock_scale){.ns_per_tick = 1};
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		offset = steps[i].offset;
		counters_update();
		assert_int_equal(run.header->clock_offset, steps[i].start);
		assert_int_equal(run.header->clock_moved, steps[i].moved);
	}
	session_close(run.session);
}

static void ticks_of_all_threads_are_added_up_in_nanoseconds(void **state)
{
	uint64_t *counters;

	(void)state;
	assert_int_equal(make_run(0), 0);
	run.scale =
		(struct clock_scale){.ns_per_tick = 0.25, .monotonic = clock_ns(CLOCK_MONOTONIC)};
	counters = run.header->counters;
	threads[0].host_ticks = 4000;
	threads[1].host_ticks = 800;
	contexts[0].events = 512;
	contexts[1].events = 32;
	counters_update();
	assert_int_equal(takings, 1);
	assert_int_equal(memory_updates, 1);
	assert_true(traced);
	assert_int_equal(counters[COUNTER_host_ns], 1200);
	assert_int_equal(counters[COUNTER_threads], 17);
	assert_int_equal(counters[COUNTER_driver_errors], 19);
	assert_int_equal(counters[COUNTER_events_created], 544);
	assert_int_equal(counters[COUNTER_cupti_errors], 0);
	/* Only what is new. */
	threads[1].host_ticks = 1200;
	mode_cupti = true;
	counters_update();
	assert_int_equal(counters[COUNTER_host_ns], 1300);
	assert_int_equal(counters[COUNTER_events_created], 544);
	assert_int_equal(counters[COUNTER_cupti_errors], 23);
	counters_update();
	assert_int_equal(counters[COUNTER_host_ns], 1300);
	assert_int_equal(counters[COUNTER_cupti_errors], 46);
	session_close(run.session);
}

static void threads_that_launch_within_one_period_launch_at_the_same_time(void **state)
{

	(void)state;
	assert_int_equal(make_run(0), 0);
	run.scale = (struct clock_scale){.ns_per_tick = 1};
	threads[0].has_launched = threads[1].has_launched = true;
	run.scale.monotonic = clock_ns(CLOCK_MONOTONIC) - 10000000000;
	counters_update();
	assert_int_equal(cost_threads, 2);
	threads[1].has_launched = true;
	run.scale.monotonic -= 20000000;
	counters_update();
	assert_int_equal(cost_threads, 1);
	/* Of these it is not known. */
	run.scale.monotonic -= 20000000;
	counters_update();
	assert_int_equal(cost_threads, 1);
	session_close(run.session);
}

static void memory_is_measured_once_a_second(void **state)
{

	(void)state;
	assert_int_equal(make_run(0), 0);
	run.scale = (struct clock_scale){.ns_per_tick = 1};
	measured = 0;
	/* An hour after the start, and so for the first time. */
	run.scale.monotonic = clock_ns(CLOCK_MONOTONIC) - UINT64_C(3600000000000);
	counters_update();
	assert_int_equal(measured, 1);
	assert_int_equal(run.header->counters[COUNTER_memory_bytes], 1230);
	assert_true(run.header->counters[COUNTER_wall_ns] >= 3600000000000);
	assert_true(run.header->counters[COUNTER_wall_ns] < 7200000000000);
	/* No later than that. */
	run.scale.monotonic = clock_ns(CLOCK_MONOTONIC) - run.header->counters[COUNTER_wall_ns];
	counters_update();
	assert_int_equal(measured, 1);
	/* A second and more of the profile's time later. */
	run.scale.monotonic -= UINT64_C(100000000000);
	counters_update();
	assert_int_equal(measured, 2);
	session_close(run.session);
}

static void what_graphs_allocate_is_counted_by_their_launches(void **state)
{
	const uint64_t *counters;

	(void)state;
	assert_int_equal(make_run(0), 0);
	run.scale = (struct clock_scale){.ns_per_tick = 1};
	counters = run.header->counters;
	counters_update();
	assert_int_equal(counters[COUNTER_memory_graphs], 0);
	allocates = true;
	for (int i = 0; i < 2; i++) {
		counters_update();
		assert_int_equal(counters[COUNTER_memory_graphs], 2 * (10 + 4 + 5) + 100);
	}
	allocates = false;
	session_close(run.session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_of_all_threads_are_added_up_in_nanoseconds),
		cmocka_unit_test(threads_that_launch_within_one_period_launch_at_the_same_time),
		cmocka_unit_test(memory_is_measured_once_a_second),
		cmocka_unit_test(what_graphs_allocate_is_counted_by_their_launches),
		cmocka_unit_test(a_wall_clock_that_is_set_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
