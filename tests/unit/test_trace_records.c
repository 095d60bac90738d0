/* SPDX-License-Identifier: MIT */
/* What a trace has of each operation and call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cupti/cupti.h"
#include "preload/base/settings.h"
#include "preload/recording/rows.h"
#include "preload/collector/trace.h"
#include "preload/launch/thread.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"
#include "tests/unit/made_run.h"

bool mode_driver_records;
struct options settings;

static struct operation kernel = {.name = "kernel",
				  .kind = ROW_KERNEL,
				  .overhead = OVERHEAD_KERNEL},
			copy = {.name = "copy", .kind = ROW_MEMCPY};
static struct thread threads[2];
static bool wanted, has_activity;
static enum row_kind kind_of_call;

/* What a trace of a window leaves out; ROW_KINDS: nothing. */
static enum row_kind left_out = ROW_KINDS;
static bool matches = true;

bool trace_window_takes(enum row_kind kind)
{
	return kind != left_out;
}

static bool window_open;

bool trace_window_is_open(void)
{
	return window_open;
}

bool recording_matches(void)
{
	return matches;
}

_Atomic int64_t cupti_clock_behind = 7;

bool settings_want_calls(enum row_kind kind)
{
	assert_int_equal(kind, kind_of_call);
	return wanted;
}

const char *rows_call_name(unsigned api, enum row_kind *kind)
{
	*kind = kind_of_call;
	return api == API_NONE ? NULL : "cuLaunchKernel";
}

bool rows_has_activity(const struct call_record *record)
{
	assert_non_null(record);
	return has_activity;
}

struct thread *thread_first(void)
{
	return &threads[0];
}

static uint32_t place_thread;
static uint64_t place_start, place_end;

struct range_place ranges_of_record(uint32_t thread, uint64_t start, uint64_t end)
{
	place_thread = thread;
	place_start = start;
	place_end = end;
	return (struct range_place){.range = 5};
}

static int start(void **state)
{
	(void)state;
	if (make_run(SESSION_TRACE))
		return -1;
	run.scale = (struct clock_scale){.ticks = 1000, .realtime = 50000, .ns_per_tick = 2};
	wanted = true;
	has_activity = mode_driver_records = false;
	kind_of_call = ROW_DRIVER_API;
	threads[0] = (struct thread){.pthread_id = 11, .kernel_id = 101, .next = &threads[1]};
	threads[1] = (struct thread){.pthread_id = 12, .kernel_id = 102};
	return 0;
}

static int stop(void **state)
{
	(void)state;
	session_close(run.session);
	return 0;
}

/* The only record of the trace; NULL: there is none. */
static const struct trace_record *record(void)
{
	const struct trace_record *first = session_next_trace(run.session, NULL);

	assert_true(!first || !session_next_trace(run.session, first));
	return first;
}

static const char *name_of(uint64_t offset)
{
	return session_string(run.session, offset);
}

static void each_member_of_an_operation_is_its_records(void **state)
{
	const struct activity activity = {.start = 100,
					  .end = 250,
					  .bytes = 3,
					  .device = 4,
					  .context = 5,
					  .stream = 6,
					  .correlation = 7,
					  .registers = 8,
					  .static_shared = 9,
					  .dynamic_shared = 10,
					  .source_kind = 1,
					  .destination_kind = 2,
					  .graph = 11,
					  .graph_node = 12,
					  .grid = {13, 14, 15},
					  .block = {16, 17, 18}};
	const struct trace_record *made;

	(void)state;
	run.header->trace_on = 0;
	assert_false(trace_wanted());
	run.header->trace_on = 1;
	assert_true(trace_wanted());
	trace_operation(&kernel, &activity);
	made = record();
	assert_int_equal(made->start, 107);
	assert_int_equal(made->end, 257);
	assert_int_equal(made->bytes, 3);
	assert_int_equal(made->device, 4);
	assert_int_equal(made->kind, ROW_KERNEL);
	assert_int_equal(made->context, 5);
	assert_int_equal(made->stream, 6);
	assert_int_equal(made->correlation, 7);
	assert_int_equal(made->registers, 8);
	assert_int_equal(made->static_shared, 9);
	assert_int_equal(made->dynamic_shared, 10);
	assert_int_equal(made->source_kind, 1);
	assert_int_equal(made->destination_kind, 2);
	assert_int_equal(made->graph, 11);
	assert_int_equal(made->graph_node, 12);
	assert_memory_equal(made->grid, activity.grid, sizeof(made->grid));
	assert_memory_equal(made->block, activity.block, sizeof(made->block));
	assert_int_equal(made->clock, CLOCK_CUPTI);
	assert_string_equal(name_of(made->name), "kernel");
}

static const struct trace_record *timed(const struct in_flight *operation)
{
	const struct trace_record *last = NULL, *next;

	trace_timed(operation);
	for (next = session_next_trace(run.session, NULL); next;
	     next = session_next_trace(run.session, next))
		last = next;
	return last;
}

static void by_events_an_operation_starts_behind_the_one_before(void **state)
{
	static struct context context = {.device = 2, .id = 3};
	static struct stream stream = {.context = &context, .id = 4};
	struct in_flight operation = {.operation = &kernel,
				      .stream = &stream,
				      .started = 1000,
				      .by_events = 300,
				      .bytes = 64,
				      .number = 8};
	const struct trace_record *made = timed(&operation);

	(void)state;
	assert_int_equal(made->start, 1000);
	assert_int_equal(made->end, 1300);
	assert_int_equal(made->bytes, 64);
	assert_int_equal(made->device, 2);
	assert_int_equal(made->context, 3);
	assert_int_equal(made->stream, 4);
	assert_int_equal(made->correlation, 8);
	assert_int_equal(made->kind, ROW_KERNEL);
	assert_int_equal(made->clock, CLOCK_EVENTS);
	/* Taken off at the end. */
	assert_int_equal(made->overhead, 1 + OVERHEAD_KERNEL);
	operation.started = 1200;
	made = timed(&operation);
	assert_int_equal(made->start, 1300);
	assert_int_equal(made->end, 1600);
	operation.started = 2000;
	operation.host_included = true;
	made = timed(&operation);
	assert_int_equal(made->end, 2300);
	assert_int_equal(made->overhead, 0);
}

static void a_call_has_its_host_time_and_the_kernel_that_it_launched(void **state)
{
	const struct call_record made_call = {
		.started = 1100, .duration = 25, .operation = &kernel, .flags = CALL_FAILED};
	const struct trace_record *made;

	(void)state;
	has_activity = true;
	trace_call(&made_call, 77, 88);
	assert_null(record());
	has_activity = false;
	wanted = false;
	trace_call(&made_call, 77, 88);
	wanted = true;
	mode_driver_records = true;
	trace_call(&made_call, 77, 88);
	mode_driver_records = false;
	trace_call(&(struct call_record){.api = API_NONE}, 77, 88);
	assert_null(record());
	trace_call(&made_call, 77, 88);
	made = record();
	assert_int_equal(made->start, 50200);
	assert_int_equal(made->end, 50250);
	assert_int_equal(made->thread, 77);
	assert_int_equal(made->correlation, 88);
	assert_int_equal(made->result, 1);
	assert_int_equal(made->device, -1);
	assert_int_equal(made->kind, ROW_DRIVER_API);
	assert_string_equal(name_of(made->name), "cuLaunchKernel");
	assert_string_equal(name_of(made->kernel), "kernel");
}

static void a_runtime_call_is_its_hooks_also_where_cupti_records_the_drivers(void **state)
{
	const struct in_flight matched = {
		.operation = &copy, .started = 10, .ended = 40, .thread = 3};
	const struct trace_record *made;

	(void)state;
	mode_driver_records = true;
	kind_of_call = ROW_RUNTIME_API;
	trace_matched(&matched, 99);
	made = record();
	assert_int_equal(made->start, 10);
	assert_int_equal(made->end, 40);
	assert_int_equal(made->thread, 3);
	assert_int_equal(made->correlation, 99);
	assert_int_equal(made->result, 0);
	assert_int_equal(made->kernel, 0);
	assert_int_equal(made->kind, ROW_RUNTIME_API);
}

static uint32_t thread_of(uint32_t buffer_thread, uint32_t thread)
{
	const struct activity activity = {
		.start = 100, .end = 200, .thread = thread, .buffer_thread = buffer_thread};

	assert_int_equal(trace_place_of(&activity).range, 5);
	assert_int_equal(place_start, 107);
	assert_int_equal(place_end, 207);
	return place_thread;
}

static void a_records_thread_is_its_buffers_or_found_by_its_number(void **state)
{
	(void)state;
	assert_int_equal(thread_of(55, 12), 55);
	assert_int_equal(thread_of(0, 12), 102);
	assert_int_equal(thread_of(ACTIVITY_UNKNOWN_THREAD, 11), 101);
	assert_int_equal(thread_of(0, 13), 13);
}

static void an_api_record_is_of_its_thread(void **state)
{
	const struct activity activity = {
		.start = 100, .end = 200, .thread = 12, .correlation = 4, .result = 1};
	const struct trace_record *made;

	(void)state;
	trace_api_record("cudaMalloc", ROW_RUNTIME_API, &activity);
	made = record();
	assert_int_equal(made->start, 107);
	assert_int_equal(made->end, 207);
	assert_int_equal(made->device, -1);
	assert_int_equal(made->kind, ROW_RUNTIME_API);
	assert_int_equal(made->correlation, 4);
	assert_int_equal(made->thread, 102);
	assert_int_equal(made->clock, CLOCK_CUPTI);
	assert_int_equal(made->result, 1);
	assert_string_equal(name_of(made->name), "cudaMalloc");
}

static void a_window_leaves_kinds_out_and_what_is_not_matched_has_no_call(void **state)
{
	const struct activity activity = {.start = 100, .end = 250, .correlation = 7};

	(void)state;
	left_out = ROW_KERNEL;
	trace_operation(&kernel, &activity);
	left_out = ROW_KINDS;
	assert_null(record());
	matches = false;
	trace_operation(&kernel, &activity);
	matches = true;
	assert_non_null(record());
	assert_int_equal(record()->correlation, 0);
}

static void memory_is_of_a_trace_of_operations(void **state)
{
	(void)state;
	run.header->trace_on = 0;
	settings.trace = TRACE_GPU | TRACE_API;
	assert_false(trace_wants_memory());
	run.header->trace_on = 1;
	assert_true(trace_wants_memory());
	settings.trace = TRACE_API;
	assert_false(trace_wants_memory());
	/* A window's trace is of what its user asks for. */
	window_open = true;
	assert_true(trace_wants_memory());
	left_out = ROW_KERNEL;
	assert_false(trace_wants_memory());
	settings.trace = TRACE_GPU;
	assert_false(trace_wants_memory());
	window_open = false;
	left_out = ROW_KINDS;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_window_leaves_kinds_out_and_what_is_not_matched_has_no_call, start, stop),
		cmocka_unit_test_setup_teardown(each_member_of_an_operation_is_its_records, start,
						stop),
		cmocka_unit_test_setup_teardown(by_events_an_operation_starts_behind_the_one_before,
						start, stop),
		cmocka_unit_test_setup_teardown(
			a_call_has_its_host_time_and_the_kernel_that_it_launched, start, stop),
		cmocka_unit_test_setup_teardown(
			a_runtime_call_is_its_hooks_also_where_cupti_records_the_drivers, start,
			stop),
		cmocka_unit_test_setup_teardown(
			a_records_thread_is_its_buffers_or_found_by_its_number, start, stop),
		cmocka_unit_test_setup_teardown(an_api_record_is_of_its_thread, start, stop),
		cmocka_unit_test_setup_teardown(memory_is_of_a_trace_of_operations, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
