/* SPDX-License-Identifier: MIT */
#include "tests/unit/taken_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cupti/activity.h"
#include "cupti/cupti.h"
#include "tests/unit/made_run.h"
#include "preload/base/settings.h"
#include "preload/collector/calls.h"
#include "preload/collector/cost.h"
#include "preload/collector/records.h"
#include "preload/recording/rows.h"
#include "preload/collector/trace.h"
#include "preload/events/calibration.h"
#include "preload/launch/window.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"
#include "preload/timeline/timeline.h"

struct surroundings around;
struct in_flight call;
struct operation other_kernel;

bool mode_driver_records, mode_runtime_records;
_Atomic bool mode_cupti = true;
struct options settings;
bool matcher_trusts_clock = true;
static struct operation fixed[FIXED_OPERATION_COUNT], named[4];
static unsigned named_count;
static char stream; /* stands for that of the matcher */

struct operation *operation_fixed(enum fixed_operation which)
{
	static const struct {
		enum row_kind kind;
		const char *name;
	} operations[] = {
#define FIXED(identifier, kind, name) {kind, name},
		FIXED_OPERATIONS(FIXED)
#undef FIXED
	};

	fixed[which].kind = operations[which].kind;
	fixed[which].name = operations[which].name;
	return &fixed[which];
}

struct operation *operation_named(enum row_kind kind, const char *name)
{
	for (unsigned i = 0; i < named_count; i++)
		if (strcmp(named[i].name, name) == 0)
			return &named[i];
	named[named_count] = (struct operation){.kind = kind, .name = name};
	return &named[named_count++];
}

_Atomic uint64_t operation_lost_calls;

struct operation *operation_first(void)
{
	for (unsigned i = 0; i + 1 < named_count; i++)
		named[i].next = &named[i + 1];
	return named_count ? &named[0] : NULL;
}

_Atomic bool operation_names_reused;

bool settings_want_calls(enum row_kind kind)
{
	return kind == ROW_RUNTIME_API || settings.api_trace == API_TRACE_ALL;
}

_Atomic int64_t cupti_clock_behind;

bool window_changed_between(uint64_t start, uint64_t end)
{
	(void)start;
	(void)end;
	return around.window_changes;
}

bool window_was_open(uint64_t realtime)
{
	return realtime >= around.window_from;
}

bool ranges_are_chosen(void)
{
	return around.chosen;
}

void ranges_add(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		double weight, enum clock_source clock)
{
	assert_non_null(place);
	assert_non_null(row);
	assert_true(weight == 1);
	around.in_ranges++;
	around.range_ns = nanoseconds;
	around.range_clock = clock;
}

struct concurrency concurrency_add(const struct activity *activity)
{
	assert_true(activity->valid);
	return around.before;
}

void cost_of_record(const struct activity *activity, const struct in_flight *call,
		    const struct concurrency *before)
{
	assert_non_null(activity);
	assert_ptr_equal(call, around.call);
	assert_int_equal(before->stream_end, around.before.stream_end);
	around.costs++;
}

struct match_stream *matcher_find(uint32_t context, uint32_t number, const struct match_key *key)
{
	assert_int_equal(context, 3);
	assert_int_equal(number, 9);
	assert_true(key->thread == 77 && key->start > 0);
	return around.call ? (struct match_stream *)&stream : NULL;
}

struct in_flight *match_record(struct match_stream *found, const struct match_key *key)
{
	assert_ptr_equal(found, &stream);
	assert_true(key->thread == 77 && key->start > 0);
	if (key->operation)
		assert_int_equal(key->bytes, key->operation->kind == ROW_KERNEL ? 0 : 64);
	around.kernel_by_order = key->kernel;
	return around.call;
}

const struct in_flight *match_next(const struct match_stream *found, const struct match_key *key)
{
	assert_ptr_equal(found, &stream);
	assert_true(key->thread == 77 && key->start > 0 && key->kernel && !key->operation);
	return around.next;
}

bool calls_given_up;

void calls_matched(const struct in_flight *operation, uint32_t correlation)
{
	assert_ptr_equal(operation, around.call);
	around.matched++;
	around.correlation = correlation;
}

void calls_recorded(struct in_flight *operation, bool timed, uint64_t nanoseconds, bool overlapped,
		    bool device_idle)
{
	assert_ptr_equal(operation, around.call);
	around.recorded++;
	around.timed = timed;
	around.nanoseconds = nanoseconds;
	around.overlapped = overlapped;
	around.idle = device_idle;
}

bool trace_wanted(void)
{
	return around.trace;
}

void trace_operation(const struct operation *operation, const struct activity *activity)
{
	assert_true(operation && activity);
	around.traced++;
}

struct range_place trace_place_of(const struct activity *activity)
{
	(void)activity;
	return (struct range_place){.included = around.included};
}

void trace_api_record(const char *name, enum row_kind kind, const struct activity *activity)
{
	assert_true(name && row_is_api(kind) && activity);
	around.traced_calls++;
}

bool calibration_take(const struct activity *activity)
{
	(void)activity;
	return around.own;
}

void window_check_record(const struct activity *activity)
{
	assert_int_equal(activity->kind, ACTIVITY_KERNEL);
}

bool recording_matches(void)
{
	return around.matches;
}

bool recording_is_complete(void)
{
	return around.complete;
}

bool recording_knows_kernels(void)
{
	return around.knows_kernels;
}

void recording_record(struct operation *operation, const struct activity *activity)
{
	assert_true(operation && activity);
	around.by_recording++;
}

void timeline_operation(const struct activity *activity, const struct row *row,
			const struct in_flight *call, bool trusted)
{
	(void)row;
	assert_non_null(activity);
	assert_true(!call || call == around.call);
	assert_true(trusted);
	around.fed++;
}

void cupti_skip_call(uint32_t callback)
{
	assert_int_equal(callback, 5);
	around.skipped++;
}

const char *api_call_name(const struct activity *activity)
{
	(void)activity;
	return "cudaOrCuCall";
}

const char *overhead_kind_name(uint32_t kind)
{
	return kind == 1 ? "Buffer Flush" : NULL;
}

bool driver_is_called(const char *name)
{
	return around.called && strcmp(around.called, name) == 0;
}

int taken_start(void **state)
{
	(void)state;
	operation_names_reused = false;
	cupti_clock_behind = 0;
	around = (struct surroundings){.matches = true,
				       .complete = true,
				       .knows_kernels = true,
				       .included = true,
				       .window_from = 1000,
				       .before = {.stream_end = 400}};
	calls_given_up = false;
	settings =
		(struct options){.trace = TRACE_GPU, .devices = ~4ull, .api_trace = API_TRACE_ALL};
	memset(fixed, 0, sizeof(fixed));
	named_count = 0;
	call = (struct in_flight){.started = 900, .reported = true, .operation = &other_kernel};
	other_kernel = (struct operation){.kind = ROW_KERNEL, .name = "_Z5otherv"};
	run.scale = (struct clock_scale){.ns_per_tick = 1};
	return make_run(0);
}

int taken_stop(void **state)
{
	(void)state;
	/* Rows of an earlier session must not be found by the names' addresses. */
	session_close(run.session);
	return 0;
}

uint64_t count(enum session_counter counter)
{
	return run.header->counters[counter];
}

void take(enum activity_kind kind, struct activity rest)
{
	rest.kind = kind;
	rest.valid = true;
	if (!rest.start)
		rest.start = 5000;
	rest.end = rest.start + 600;
	rest.context = 3;
	rest.stream = 9;
	rest.buffer_thread = 77;
	rest.bytes = 64;
	rest.correlation = 31;
	records_take(&rest, NULL);
}

const struct row *row_of(enum row_kind kind, const char *name, int device)
{
	return session_row(run.session, kind, name, device);
}

unsigned names_looked_up(void)
{
	return named_count;
}
