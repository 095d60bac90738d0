/* SPDX-License-Identifier: MIT */
/* The host's time in the rows of the API, where most calls are only counted. */
#include "preload/base/plan.h"
#include "preload/recording/rows.h"
#include "preload/handles/graph.h"
#include "preload/nvtx/ranges.h"
#include "report/session/estimate.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

/* Each test has a call of its own: rows are remembered for as long as the process lives. */
#define LAUNCH	    API_RUNTIME(RUNTIME_cudaLaunchKernel)
#define COOPERATIVE API_RUNTIME(RUNTIME_cudaLaunchCooperativeKernel)

struct plan plan;
struct launch_state launch_state;

void ranges_add_call(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		     double weight, enum clock_source clock)
{
	(void)place;
	(void)row;
	(void)nanoseconds;
	(void)weight;
	(void)clock;
}

static struct operation between_devices;

/* Asked for copies between devices alone, which there are none of. */
struct operation *operation_fixed(enum fixed_operation which)
{
	assert_int_equal(which, OPERATION_COPY_PTOP);
	return &between_devices;
}

static struct operation operations[2] = {
	{.kind = ROW_KERNEL, .name = "first", .next = &operations[1]},
	{.kind = ROW_KERNEL, .name = "second"},
};
_Atomic uint64_t operation_lost_calls;

struct operation *operation_first(void)
{
	return operations;
}

BEFORE_EACH
{
	int error = make_run(0);

	run.scale = (struct clock_scale){.ns_per_tick = 1};
	run.settings.trace = TRACE_GPU | TRACE_API;
	run.settings.api_trace = API_TRACE_ALL;
	run.settings.devices = UINT64_MAX;
	assert_int_equal(error, 0);
}

AFTER_EACH
{
	session_close(run.session);
}

static void call(uint16_t api, uint32_t duration, uint8_t flags)
{
	struct call_record record = {.duration = duration, .api = api, .flags = flags};

	rows_count_call(&record, &(struct range_place){.range = 0});
}

/* Two of 64 calls are watched for the others; a first one took as long as all of them. */
TEST(a_first_call_stands_for_itself)
{
	const struct row *row;

	call(LAUNCH, 1000000, CALL_FIRST);
	call(LAUNCH, 3000, CALL_STANDS_FOR_MORE);
	call(LAUNCH, 5000, CALL_STANDS_FOR_MORE);
	rows_add_calls(LAUNCH, 62);
	rows_finish();
	row = session_row(run.session, ROW_RUNTIME_API, "cudaLaunchKernel", -1);
	assert_int_equal(row->calls, 65);
	assert_int_equal(row->cupti.count, 65);
	assert_int_equal(row->cupti.total, 1000000 + 64 * 4000);
	assert_true(row->cupti.squares == 1e12 + 32 * (3000.0 * 3000 + 5000.0 * 5000));
	assert_int_equal(row->cupti.minimum, 3000);
	assert_int_equal(row->cupti.maximum, 1000000);
}

TEST(calls_with_none_watched_are_like_those_there_are)
{
	const struct row *row;

	call(COOPERATIVE, 2000, 0);
	call(COOPERATIVE, 4000, 0);
	rows_add_calls(COOPERATIVE, 2);
	rows_finish();
	row = session_row(run.session, ROW_RUNTIME_API, "cudaLaunchCooperativeKernel", -1);
	assert_int_equal(row->cupti.count, 4);
	assert_int_equal(row->cupti.total, 12000);
}

TEST(queued_operations_are_counted_and_kernels_among_them_remembered)
{
	struct row *row = session_row(run.session, ROW_KERNEL, "k", 0);
	struct operation kernel = {.kind = ROW_KERNEL, .name = "k"};
	struct in_flight operation = {.operation = &kernel, .by_events = 5000, .weight = 1};

	operation.place = estimate_call(&row->estimate, 1);
	rows_add_event_time(row, &operation);
	assert_int_equal(row->queued, 0);
	operation.queued = true;
	row->overhead = OVERHEAD_COPY;
	rows_add_event_time(row, &operation);
	assert_int_equal(row->queued, 1);
	assert_false(rows_were_queued);
	row->overhead = OVERHEAD_KERNEL;
	rows_add_event_time(row, &operation);
	assert_int_equal(row->queued, 2);
	assert_true(rows_were_queued);
}

TEST(a_graphs_row_lists_what_it_launches)
{
	struct graph_contents contents = {.nodes = 5, .recorded = 3};
	struct operation graph = {.kind = ROW_GRAPH,
				  .name = "[CUDA graph 1]",
				  .overhead = OVERHEAD_COPY,
				  .contents = &contents,
				  .kernels_listed = "a\nb"};
	struct operation kernel = {.kind = ROW_KERNEL, .name = "k"};
	const struct row *row = rows_of(&graph, 3);

	assert_int_equal(row->kind, ROW_GRAPH);
	assert_int_equal(row->device, 3);
	assert_int_equal(row->nodes, 5);
	assert_int_equal(row->overhead, OVERHEAD_COPY);
	assert_string_equal(session_string(run.session, row->kernels_listed), "a\nb");
	assert_int_equal(run.header->devices[3].used, 1);
	assert_ptr_equal(rows_of(&graph, 3), row);
	/* Devices without a place count as the first. */
	row = rows_of(&kernel, SESSION_DEVICES);
	assert_int_equal(row->device, 0);
	assert_int_equal(row->nodes, 0);
	assert_ptr_equal(rows_of(&kernel, -1), row);
	assert_int_equal(rows_of(&kernel, SESSION_DEVICES - 1)->device, SESSION_DEVICES - 1);
}

TEST(a_record_has_the_size_of_its_launch)
{
	struct operation kernel = {.kind = ROW_KERNEL, .name = "k"};
	struct row *row = rows_of(&kernel, 0);
	struct activity activity = {.kind = ACTIVITY_KERNEL,
				    .start = 1000,
				    .end = 1700,
				    .grid = {2, 3, 5},
				    .block = {7, 11, 1},
				    .registers = 40,
				    .static_shared = 100,
				    .dynamic_shared = 23,
				    .bytes = 999};

	rows_take(&(struct seen){.activity = &activity, .row = row, .timed = true});
	assert_int_equal(row->cupti.size, 30 * 77);
	assert_int_equal(row->cupti.slowest.ns, 700);
	assert_int_equal(row->shapes[0].threads, 77);
	assert_int_equal(row->shapes[0].registers, 40);
	assert_int_equal(row->shapes[0].shared, 123);
	assert_int_equal(row->shapes[0].blocks, 30);
	activity.kind = ACTIVITY_MEMCPY;
	rows_take(&(struct seen){.activity = &activity, .row = row, .timed = true});
	assert_int_equal(row->cupti.size, 30 * 77 + 999);
	activity = (struct activity){.kind = ACTIVITY_KERNEL, .start = 1, .end = 2};
	rows_take(&(struct seen){.activity = &activity, .row = row, .timed = true});
	assert_int_equal(row->shapes[0].launches, 1);
	assert_int_equal(row->shapes[1].launches, 0);
}

TEST(an_event_time_counts_with_its_weight_and_place)
{
	struct operation copy = {.kind = ROW_MEMCPY, .name = "[CUDA memcpy HtoD]"};
	struct row *row = rows_of(&copy, 0);
	struct in_flight call = {
		.operation = &copy, .started = 70, .ended = 90, .bytes = 5000, .weight = 2.5};

	estimate_call(&row->estimate, 1);
	call.place = estimate_call(&row->estimate, 2.5);
	call.by_events = 9000;
	rows_add_event_time(row, &call);
	assert_int_equal(row->events.count, 1);
	assert_int_equal(row->events.total, 9000);
	assert_int_equal(histogram_count(session_histogram(run.session, row->events.histogram)), 2);
	assert_true(row->estimate.strata[1].total == 2.5 * 9000);
	assert_int_equal(row->events.size, 5000);
	/* The fastest one is that with the most bytes a nanosecond. */
	call.bytes = 4000;
	call.by_events = 6000;
	rows_add_event_time(row, &call);
	assert_int_equal(row->events.fastest.ns, 6000);
}

/* Times a first launch of `first` ns and then a second one of 2,000; returns the row. */
static const struct row *row_of_two(struct operation *kernel, uint64_t first)
{
	struct row *row = rows_of(kernel, 0);
	struct in_flight call = {.operation = kernel, .weight = 1, .first = true};

	call.place = estimate_call(&row->estimate, 1);
	call.by_events = first;
	rows_add_event_time(row, &call);
	call.first = false;
	call.place = estimate_call(&row->estimate, 1);
	call.by_events = 2000;
	rows_add_event_time(row, &call);
	return row;
}

TEST(a_first_launch_that_takes_long_is_left_out)
{
	struct operation quick = {.kind = ROW_KERNEL, .name = "quick"};
	struct operation loaded = {.kind = ROW_KERNEL, .name = "loaded"};
	const struct row *row = row_of_two(&quick, 12000);

	assert_int_equal(row->events.count, 2);
	assert_int_equal(row->events.total, 14000);
	row = row_of_two(&loaded, 12001);
	assert_int_equal(row->events.count, 1);
	assert_int_equal(row->events.total, 2000);
	assert_int_equal(row->events.minimum, 2000);
	assert_int_equal(row->events.maximum, 2000);
	assert_int_equal(row->untimed[UNTIMED_FIRST_LAUNCH], 1);
	assert_int_equal(histogram_count(session_histogram(run.session, row->events.histogram)), 1);
	assert_true(row->estimate.strata[0].calls + row->estimate.strata[1].calls == 2);
	assert_int_equal(row->estimate.strata[0].timed + row->estimate.strata[1].timed, 1);
}

TEST(calls_of_which_cupti_makes_records_count_by_those)
{
	struct call_record launch = {.api = LAUNCH, .flags = CALL_API_ONLY};
	struct call_record driver = {.api = API_DRIVER(ENTRY_cuLaunchKernel)};
	struct operation kernel = {.kind = ROW_KERNEL};

	assert_false(rows_has_activity(&launch) || rows_has_activity(&driver));
	plan.driver_records = true;
	assert_false(rows_has_activity(&launch));
	assert_true(rows_has_activity(&driver));
	plan.driver_records = false;
	launch.operation = &kernel;
	plan.runtime_records = true;
	assert_false(rows_has_activity(&launch) || rows_has_activity(&driver));
	plan.runtime_records = false;
	assert_false(rows_has_activity(&(struct call_record){.api = API_NONE}));
}

TEST(failed_calls_are_calls_too)
{
	const struct row *row;

	call(API_RUNTIME(RUNTIME_cudaMemcpy), 500, CALL_FAILED);
	call(API_RUNTIME(RUNTIME_cudaMemcpy), 700, 0);
	row = session_row(run.session, ROW_RUNTIME_API, "cudaMemcpy", -1);
	assert_int_equal(row->calls, 2);
	assert_int_equal(row->failed, 1);
	assert_int_equal(row->cupti.total, 1200);
	/* Of a count-only one it is not known how long it took. */
	call(API_RUNTIME(RUNTIME_cudaMemcpy), 0, CALL_FAILED);
	assert_int_equal(row->calls, 3);
	assert_int_equal(row->failed, 2);
	assert_int_equal(row->cupti.count, 2);
	assert_int_equal(row->cupti.minimum, 500);
}

TEST(copies_by_way_of_the_host_are_told)
{
	struct row *row;

	between_devices =
		(struct operation){.kind = ROW_MEMCPY, .name = "[CUDA memcpy PtoP]", .calls = 5};
	launch_state.cupti = true;
	row = rows_of(&between_devices, 1);
	row->calls = 5;
	for (int i = 0; i < 5; i++)
		session_add_sample(run.session, &row->cupti, 10);
	rows_finish();
	assert_int_equal(run.header->note_count, 0);
	row->calls = between_devices.calls = 7;
	run.header->counters[COUNTER_cupti_dropped] = 1;
	rows_finish();
	assert_int_equal(run.header->note_count, 0);
	run.header->counters[COUNTER_cupti_dropped] = 0;
	launch_state.cupti = false;
	rows_finish();
	assert_int_equal(run.header->note_count, 0);
	launch_state.cupti = true;
	rows_finish();
	assert_int_equal(run.header->note_count, 1);
	launch_state.cupti = false;
}

TEST(what_is_launched_outside_the_window_is_counted_apart)
{
	struct operation kernel = {.kind = ROW_KERNEL, .name = "k"};

	rows_add_outside(&kernel, 4, 0);
	assert_null(kernel.rows[4]);
	rows_add_outside(&kernel, 4, 2);
	rows_add_outside(&kernel, 4, 1);
	assert_int_equal(session_row(run.session, ROW_KERNEL, "k", 4)->calls_outside, 3);
	assert_int_equal(run.header->counters[COUNTER_operations_outside], 3);
}

TEST(a_row_lacks_records_while_it_has_more_launches)
{
	struct operation kernel = {.kind = ROW_KERNEL, .name = "k"};
	struct row *row = rows_of(&kernel, 1);

	assert_false(rows_lack_records(&kernel, 1));
	row->calls = row->calls_outside = 2;
	row->cupti.count = 4;
	row->graph_records = 1;
	assert_true(rows_lack_records(&kernel, 1));
	row->cupti.count = 5;
	assert_false(rows_lack_records(&kernel, 1));
	atomic_store(&kernel.lost[1], 1);
	assert_true(rows_lack_records(&kernel, 1));
	atomic_store(&kernel.lost[1], 0);
	/* Launched on another device alone. */
	assert_true(rows_lack_records(&kernel, 0));
}

static void drop(struct operation *operation, int device, uint32_t calls, uint32_t outside)
{
	operation->lost[device] += calls;
	operation->lost_outside[device] += outside;
	operation_lost_calls += calls + outside;
}

TEST(dropped_calls_are_in_their_rows_once)
{
	const struct row *first, *second;

	drop(&operations[0], 3, 5, 2);
	assert_int_equal(rows_lost_untaken(), 7);
	rows_take_lost();
	assert_int_equal(rows_lost_untaken(), 0);
	rows_take_lost();
	drop(&operations[0], 3, 1, 0);
	drop(&operations[1], 0, 0, 3);
	rows_take_lost();
	assert_null(operations[0].rows[0]);
	first = session_row(run.session, ROW_KERNEL, "first", 3);
	second = session_row(run.session, ROW_KERNEL, "second", 0);
	assert_int_equal(first->calls, 6);
	assert_int_equal(first->untimed[UNTIMED_RING_FULL], 6);
	assert_int_equal(first->calls_outside, 2);
	assert_int_equal(second->calls, 0);
	assert_int_equal(second->calls_outside, 3);
	assert_int_equal(run.header->counters[COUNTER_operations], 6);
	assert_int_equal(run.header->counters[COUNTER_operations_outside], 5);
}

TEST(dropped_calls_of_a_device_without_rows_are_in_none)
{
	run.settings.devices = UINT64_C(1) << 2;
	drop(&operations[0], 1, 5, 2);
	drop(&operations[1], 2, 7, 0);
	rows_take_lost();
	assert_null(operations[0].rows[1]);
	assert_int_equal(session_row(run.session, ROW_KERNEL, "second", 2)->calls, 7);
	assert_int_equal(run.header->counters[COUNTER_operations], 7);
	assert_int_equal(run.header->counters[COUNTER_operations_outside], 0);
	run.settings.devices = UINT64_MAX;
}
