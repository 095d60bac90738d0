/* SPDX-License-Identifier: MIT */
/* For the tests of calls.c: who is asked and told, and a launch for it to take. */
#ifndef KTIME_TESTS_UNIT_CALLS_NEIGHBOURS_H
#define KTIME_TESTS_UNIT_CALLS_NEIGHBOURS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_run.h"
#include "preload/base/settings.h"
#include "preload/collector/calls.h"
#include "preload/collector/cost.h"
#include "preload/recording/rows.h"
#include "preload/collector/trace.h"
#include "preload/events/calibration.h"
#include "preload/events/event_pool.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"

/* What calls.c is answered, and what it has told the functions below. */
static struct {
	bool matches, included, trace, queue_full, thin;
	unsigned costs, recording_calls, ranges, untimed_in_ranges;
	double range_weight;
	uint64_t range_ns;
	unsigned traced_calls, traced_events, traced_matches;
	uint32_t correlation;
	struct in_flight *queued; /* the last */
} around;

bool mode_driver_records, mode_runtime_records;
LAUNCH_STATE bool mode_events = true;
_Atomic bool mode_cupti;
uint64_t mode_cupti_since;
struct options settings;
static struct operation *operations;
static struct event_pool pool;
static struct operation fixed = {.kind = ROW_MEMCPY, .name = "[CUDA memcpy PtoP]"};

_Atomic uint64_t operation_lost_calls;
_Atomic int context_first_device = 2;

struct operation *operation_first(void)
{
	return operations;
}

struct operation *operation_fixed(enum fixed_operation which)
{
	(void)which;
	return &fixed;
}

bool settings_want_calls(enum row_kind kind)
{
	(void)kind;
	return true;
}

/* Of the threads that launch. */
static struct thread thread = {.kernel_id = 77, .last_call = 5};

struct thread *thread_first(void)
{
	return &thread;
}

bool event_pools_thin(void)
{
	return around.thin;
}

bool event_queue_add(struct in_flight *operation)
{
	if (around.queue_full)
		return false;
	operation->awaits_events = true;
	around.queued = operation;
	return true;
}

void calibration_note(void)
{
}

void cost_of_pair(void)
{
	around.costs++;
}

struct range_place ranges_at(uint32_t thread, uint64_t ticks)
{
	assert_int_equal(thread, 77);
	assert_true(ticks > 0);
	return (struct range_place){.range = 0x40, .included = around.included};
}

void ranges_add(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		double weight, enum clock_source clock)
{
	(void)place;
	if (clock != CLOCK_EVENTS)
		return;
	assert_non_null(row);
	around.ranges++;
	around.range_weight = weight;
	around.range_ns = nanoseconds;
}

void ranges_add_untimed(const struct range_place *place, const struct row *row)
{
	(void)place;
	assert_non_null(row);
	around.untimed_in_ranges++;
}

bool recording_matches(void)
{
	return around.matches;
}

void window_check_passed(const struct in_flight *call)
{
	assert_non_null(call);
}

void recording_call(const struct in_flight *call)
{
	assert_non_null(call);
	around.recording_calls++;
}

bool trace_wanted(void)
{
	return around.trace;
}

void trace_call(const struct call_record *call, uint32_t thread, uint32_t correlation)
{
	assert_non_null(call);
	assert_int_equal(thread, 77);
	around.correlation = correlation;
	around.traced_calls++;
}

void trace_timed(const struct in_flight *operation)
{
	assert_true(operation->has_events);
	around.traced_events++;
}

void trace_matched(const struct in_flight *call, uint32_t correlation)
{
	assert_non_null(call);
	around.correlation = correlation;
	around.traced_matches++;
}

static struct context context = {.device = 2, .cupti_context = 3};
static struct stream stream;
static struct operation kernel, copy;
static struct event_pair pair;
static const struct session_header *header;

static int start(void **state)
{
	(void)state;
	around = (typeof(around)){.matches = true, .included = true};
	settings.trace = TRACE_GPU;
	settings.devices = UINT64_MAX;
	pool.put = 0;
	mode_cupti = false;
	mode_cupti_since = 0;
	mode_events = true;
	kernel = (struct operation){.kind = ROW_KERNEL, .name = "k", .sample_below = SAMPLE_ALL};
	copy = (struct operation){.kind = ROW_MEMCPY,
				  .name = "[CUDA memcpy HtoD]",
				  .overhead = OVERHEAD_COPY,
				  .sample_below = SAMPLE_ALL,
				  .index = 1,
				  .next = &kernel};
	operations = &copy;
	stream = (struct stream){.context = &context, .cupti_stream = 9, .cupti_known = true};
	pair = (struct event_pair){.sampled_below = SAMPLE_ALL, .pool = &pool};
	memset(thread.operation_calls, 0, sizeof(thread.operation_calls));
	memset(thread.operation_calls_seen, 0, sizeof(thread.operation_calls_seen));
	memset(thread.operation_rows, 0, sizeof(thread.operation_rows));
	memset(thread.api_calls, 0, sizeof(thread.api_calls));
	memset(thread.api_calls_seen, 0, sizeof(thread.api_calls_seen));
	memset(thread.sizes, 0, sizeof(thread.sizes));
	memset(thread.sizes_seen, 0, sizeof(thread.sizes_seen));
	if (make_run(0))
		return -1;
	run.scale = (struct clock_scale){.ns_per_tick = 1};
	header = run.header;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	if (stream.records)
		match_forget(stream.records, true);
	stream.records = NULL;
	session_close(run.session);
	return 0;
}

static uint64_t count(enum session_counter counter)
{
	return header->counters[counter];
}

static struct row *row_of(const struct operation *operation, int device)
{
	return session_row(run.session, operation->kind, operation->name, device);
}

static uint64_t last_started = 1000000;

/* A launch, 1000 ticks after the last one; `rest` has what differs. */
static void take(struct call_record rest)
{
	rest.started = last_started += 1000;
	rest.duration = 50;
	rest.stream = &stream;
	rest.api = API_NONE;
	if (!rest.operation)
		rest.operation = &kernel;
	calls_take(&thread, &rest);
}

#endif
