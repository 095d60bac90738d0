/* SPDX-License-Identifier: MIT */
/* From call records to the rows: what is counted, what waits for which clock, and who is compared.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/collector/calls.h"
#include "preload/collector/cost.h"
#include "preload/collector/rows.h"
#include "preload/collector/trace.h"
#include "preload/events/event_overhead.h"
#include "preload/events/event_pool.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"

/* What the neighbours are asked and told. */
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

int context_first_device(void)
{
	return 2;
}

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

void event_overhead_start(struct session *session)
{
	(void)session;
}

void event_overhead_note(void)
{
}

uint64_t event_overhead_of(enum overhead_kind kind)
{
	return kind == OVERHEAD_COPY ? 1000 : 3000;
}

void cost_of_pair(struct session *session)
{
	assert_non_null(session);
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

static const struct clock_scale scale = {.ns_per_tick = 1};
static struct thread thread = {.kernel_id = 77, .last_call = 5};
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
	if (session_create(&rows_session, NULL, 0))
		return -1;
	rows_scale = &scale;
	header = session_header(rows_session);
	return calls_start();
}

static int stop(void **state)
{
	(void)state;
	matcher_destroy(calls_matcher);
	session_close(rows_session);
	return 0;
}

static uint64_t count(enum session_counter counter)
{
	return header->counters[counter];
}

static struct row *row_of(const struct operation *operation, int device)
{
	return session_row(rows_session, operation->kind, operation->name, device);
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

static bool is_near(double value, double expected)
{
	return fabs(value - expected) < 1e-6 * expected;
}

static void give_up_events(enum event_end end)
{
	around.queued->awaits_events = false;
	calls_timed(around.queued, end);
}

static void end_events(uint64_t nanoseconds)
{
	struct in_flight *operation = around.queued;

	assert_non_null(operation);
	operation->pair = NULL;
	operation->awaits_events = false;
	operation->has_events = true;
	operation->by_events = nanoseconds;
	calls_timed(operation, EVENT_READ);
}

static void a_call_timed_by_events_has_its_row_and_range(void **state)
{
	const struct row *row;

	(void)state;
	around.trace = true;
	pair.gated = true;
	pair.sampled_below = SAMPLE_ALL / 4;
	take((struct call_record){.pair = &pair});
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 1);
	assert_int_equal(kernel.calls, 1);
	assert_int_equal(kernel.window_calls, 1);
	assert_int_equal(kernel.pairs, 1);
	assert_int_equal(around.costs, 1);
	assert_int_equal(around.traced_calls, 1);
	assert_int_equal(around.recording_calls, 0);
	assert_int_equal(count(COUNTER_operations), 1);
	assert_int_equal(count(COUNTER_event_pairs), 1);
	assert_false(around.queued->may_wait);
	assert_true(is_near(around.queued->weight, 4));
	assert_int_equal(around.queued->ended - around.queued->started, 50);
	assert_int_equal(around.queued->host_call, 5);
	assert_int_equal(around.queued->thread, 77);
	assert_int_equal(around.queued->api, API_NONE);
	assert_int_equal(around.queued->ranges.range, 0x40);
	assert_ptr_equal(around.queued->pair, &pair);
	assert_true(around.queued->reported);
	assert_int_equal(around.queued->number, around.correlation);
	assert_int_equal(calls_expected(), 0);
	end_events(7000);
	assert_int_equal(count(COUNTER_timed_by_events), 1);
	assert_int_equal(count(COUNTER_gated_pairs), 1);
	assert_int_equal(row->events.count, 1);
	assert_int_equal(row->events.total, 7000);
	assert_int_equal(row->gated, 1);
	assert_int_equal(row->may_wait, 0);
	assert_int_equal(row->host_included, 0);
	assert_int_equal(around.traced_events, 1);
	assert_int_equal(around.ranges, 1);
	assert_int_equal(around.range_ns, 7000);
	assert_true(is_near(around.range_weight, 4));
	assert_int_equal(count(COUNTER_matched), 0);
	assert_int_equal(row->unmatched, 0);
	assert_true(row->estimate.strata[0].timed == 1 &&
		    is_near(row->estimate.strata[0].calls, 4));
}

static void a_pair_that_is_not_gated_may_hold_a_wait(void **state)
{
	const struct row *row;

	(void)state;
	take((struct call_record){.pair = &pair});
	assert_true(around.queued->may_wait);
	assert_false(around.queued->queued);
	end_events(5000);
	/* The device has work of the stream for longer. */
	stream.busy_until = UINT64_MAX;
	take((struct call_record){.pair = &pair});
	assert_false(around.queued->may_wait);
	assert_true(around.queued->queued);
	end_events(5000);
	row = row_of(&kernel, 2);
	assert_int_equal(row->may_wait, 1);
	assert_int_equal(row->gated, 0);
	assert_int_equal(row->queued, 1);
	/* Of a gated one the call tells. */
	pair.gated = true;
	take((struct call_record){.pair = &pair});
	assert_false(around.queued->queued);
	end_events(5000);
	pair.queued = true;
	take((struct call_record){.pair = &pair});
	assert_true(around.queued->queued);
	end_events(5000);
	assert_int_equal(row->queued, 2);
	pair.gated = pair.queued = false;
	/* Behind the other engine's work it holds one in any case. */
	take((struct call_record){.operation = &copy, .pair = &pair, .bytes = 64});
	assert_false(around.queued->may_wait);
	end_events(5000);
	row = row_of(&copy, 2);
	assert_int_equal(row->may_wait, 1);
	assert_int_equal(row->bytes, 64);
	assert_int_equal(row->estimate.by_size, 1);
	assert_int_equal(row->events.size, 64);
	take((struct call_record){
		.operation = &copy, .pair = &pair, .bytes = 32, .flags = CALL_HOST_INCLUDED});
	end_events(4000);
	assert_int_equal(row->host_included, 1);
	assert_int_equal(row->bytes, 96);
}

static void take_at(struct stream *of, uint64_t started, uint8_t flags)
{
	calls_take(&thread, &(struct call_record){.stream = of,
						  .operation = &kernel,
						  .pair = of == &stream ? &pair : NULL,
						  .api = API_NONE,
						  .flags = flags,
						  .started = started,
						  .duration = 50});
}

static void a_pair_beside_another_streams_call_is_counted(void **state)
{
	const uint64_t later = 1000000000;
	struct stream other = {.context = &context, .id = 2};
	const struct row *row;

	(void)state;
	stream.id = 1;
	take_at(&other, later, CALL_STANDS_FOR_MORE);
	take_at(&stream, later + 100000, 0);
	end_events(5000);
	row = row_of(&kernel, 2);
	assert_int_equal(row->beside, 0);
	/* Its calls are now known to have been that close. */
	take_at(&other, later + 32 * 50000, CALL_STANDS_FOR_MORE);
	take_at(&stream, later + 200000, 0);
	end_events(5000);
	assert_int_equal(row->beside, 1);
	take_at(&other, later + 3000000, 0);
	take_at(&stream, later + 2500000, 0);
	end_events(5000);
	assert_int_equal(row->beside, 1);
	take_at(&stream, later + 2990000, 0);
	end_events(10000);
	assert_int_equal(row->beside, 2);
	assert_int_equal(row->events.count, 4);
}

static void a_call_without_a_time_says_why(void **state)
{
	const struct row *row;

	(void)state;
	take((struct call_record){.untimed = UNTIMED_SAMPLED_OUT});
	take((struct call_record){.untimed = UNTIMED_RECORD_FAILED});
	around.queue_full = true;
	take((struct call_record){.pair = &pair, .untimed = UNTIMED_RING_FULL});
	assert_int_equal(pool.put, 1);
	around.queue_full = false;
	take((struct call_record){.pair = &pair});
	give_up_events(EVENT_LOST);
	take((struct call_record){.pair = &pair});
	give_up_events(EVENT_LATE);
	row = row_of(&kernel, 2);
	assert_int_equal(row->untimed[UNTIMED_SAMPLED_OUT], 1);
	assert_int_equal(row->untimed[UNTIMED_RECORD_FAILED], 1);
	assert_int_equal(row->untimed[UNTIMED_NO_EVENT], 1);
	assert_int_equal(row->untimed[UNTIMED_RING_FULL], 0);
	assert_int_equal(row->untimed[UNTIMED_CONTEXT_LOST], 1);
	assert_int_equal(row->calls, 5);
	assert_int_equal(row->events.count, 0);
	assert_true(row->estimate.position == 4);
	/* One that sampling left out is in no stretch of the estimate, the others are. */
	assert_true(row->estimate.strata[0].calls == 1 && row->estimate.strata[1].calls == 1 &&
		    row->estimate.strata[2].calls == 1);
	assert_int_equal(row->untimed[UNTIMED_NOT_FINISHED], 1);
}

/* A call that was drawn and got no pair stands for as many as one that did. */
static void a_missing_pair_has_the_weight_of_its_draw(void **state)
{
	const struct estimate *estimate;
	double thinned = 8 << POOL_THINNING;

	(void)state;
	kernel.sample_below = SAMPLE_ALL / 8;
	estimate = &rows_of(&kernel, 2)->estimate;
	take((struct call_record){.untimed = UNTIMED_RECORD_FAILED});
	assert_true(is_near(estimate->position, 8));
	take((struct call_record){.untimed = UNTIMED_NO_EVENT});
	assert_true(is_near(estimate->position, 16));
	/* Pools that run low draw again. */
	around.thin = true;
	take((struct call_record){.untimed = UNTIMED_NO_EVENT});
	assert_true(is_near(estimate->position, 16 + thinned));
	/* For other reasons they do not, and with CUPTI those come before the draw. */
	take((struct call_record){.untimed = UNTIMED_RECORD_FAILED});
	assert_true(is_near(estimate->position, 24 + thinned));
	mode_cupti = true;
	take((struct call_record){.untimed = UNTIMED_RECORD_FAILED});
	assert_true(is_near(estimate->position, 25 + thinned));
	calls_lost_records();
}

static void both_clocks_are_compared_where_they_time_the_same(void **state)
{
	static const struct {
		bool gated, idle, overlapped;
		uint8_t flags;
		bool compared;
	} cases[] = {
		{false, false, false, 0, true},
		{false, false, true, 0, true},
		{true, true, false, 0, true},
		{false, true, false, 0, false},
		{true, false, false, CALL_FIRST, false},
	};
	const struct row *row;
	uint64_t compared = 0, waited = 0, overlapped = 0;

	(void)state;
	mode_cupti = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct in_flight *operation;

		pair.gated = cases[i].gated;
		take((struct call_record){.pair = &pair, .flags = cases[i].flags});
		assert_int_equal(calls_expected(), 1);
		operation = around.queued;
		assert_true(operation->awaits_record && operation->leaves_record);
		assert_ptr_equal(
			match_record(stream.records, 0, operation->started + 10, &kernel, 0),
			operation);
		calls_matched(operation, 55);
		assert_int_equal(calls_expected(), 0);
		calls_recorded(operation, true, 6000, cases[i].overlapped, cases[i].idle);
		end_events(9100);
		compared += cases[i].compared;
		waited += !cases[i].compared;
		overlapped += cases[i].overlapped;
		row = row_of(&kernel, 2);
		assert_int_equal(row->checked, compared);
		assert_int_equal(row->waited, waited);
		assert_int_equal(row->checked_overlapped, overlapped);
		assert_int_equal(row->checked_cupti, compared * 6000);
		assert_int_equal(row->checked_raw, compared * 9100);
		assert_int_equal(count(COUNTER_matched), i + 1);
	}
	assert_int_equal(
		histogram_count(session_histogram(rows_session, row->difference_histogram)),
		compared);
	assert_int_equal(histogram_percentile(
				 session_histogram(rows_session, row->difference_histogram), 0.5) /
				 100,
			 31);
	/* A pair that is shorter differs by nothing. */
	pair.gated = true;
	take((struct call_record){.pair = &pair});
	end_events(5000);
	assert_int_equal(row->checked, compared);
	match_record(stream.records, 0, around.queued->started, &kernel, 0);
	calls_matched(around.queued, 57);
	calls_recorded(around.queued, true, 6000, false, false);
	assert_int_equal(row->checked, compared + 1);
	assert_int_equal(histogram_percentile(
				 session_histogram(rows_session, row->difference_histogram), 0.01),
			 0);
	/* In the trace and the ranges is CUPTI's time alone. */
	assert_int_equal(around.ranges, 0);
	assert_int_equal(count(COUNTER_unmatched_pairs), 0);
}

static void a_record_that_never_comes_is_counted(void **state)
{
	const struct row *row;

	(void)state;
	mode_cupti = true;
	around.trace = true;
	take((struct call_record){.pair = &pair});
	assert_int_equal(around.traced_calls, 0);
	calls_lost_records();
	assert_int_equal(calls_expected(), 0);
	assert_int_equal(around.traced_matches, 1);
	assert_int_equal(around.correlation, 0);
	assert_int_equal(around.untimed_in_ranges, 1);
	end_events(4000);
	row = row_of(&kernel, 2);
	assert_int_equal(row->unmatched, 1);
	assert_int_equal(row->checked, 0);
	assert_int_equal(count(COUNTER_unmatched_pairs), 1);
	/* One that CUPTI makes no record of is not missed. */
	take((struct call_record){.pair = &pair, .flags = CALL_NO_ACTIVITY});
	assert_int_equal(calls_expected(), 0);
	assert_int_equal(around.traced_calls, 1);
	end_events(4000);
	assert_int_equal(row->unmatched, 1);
	/* Nor one with a time that may be another call's. */
	take((struct call_record){.pair = &pair});
	around.queued->ambiguous = true;
	match_record(stream.records, 0, around.queued->started, &kernel, 0);
	calls_matched(around.queued, 56);
	assert_int_equal(around.correlation, 56);
	calls_recorded(around.queued, true, 6000, false, false);
	end_events(4000);
	assert_int_equal(row->checked, 0);
	assert_int_equal(row->unmatched, 2);
}

static void a_call_that_cupti_was_started_in_waits_for_no_record(void **state)
{
	(void)state;
	mode_cupti = true;
	mode_cupti_since = last_started + 1001;
	take((struct call_record){.untimed = UNTIMED_SAMPLED_OUT});
	assert_int_equal(calls_expected(), 0);
	mode_cupti_since = last_started + 1000;
	take((struct call_record){.untimed = UNTIMED_SAMPLED_OUT});
	assert_int_equal(calls_expected(), 1);
	/* Outside the window too. */
	take((struct call_record){.flags = CALL_OUTSIDE_WINDOW});
	assert_int_equal(calls_expected(), 2);
	calls_lost_records();
}

static void while_windows_record_no_call_waits(void **state)
{
	(void)state;
	mode_cupti = true;
	around.matches = false;
	take((struct call_record){.untimed = UNTIMED_SAMPLED_OUT});
	assert_int_equal(calls_expected(), 0);
	assert_int_equal(around.recording_calls, 1);
	assert_int_equal(around.untimed_in_ranges, 1);
}

static void a_call_outside_the_window_is_counted_apart(void **state)
{
	const struct row *row;

	(void)state;
	around.trace = true;
	take((struct call_record){.pair = &pair, .flags = CALL_OUTSIDE_WINDOW});
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 0);
	assert_int_equal(row->calls_outside, 1);
	assert_int_equal(count(COUNTER_operations), 0);
	assert_int_equal(count(COUNTER_operations_outside), 1);
	assert_int_equal(pool.put, 1);
	assert_int_equal(around.traced_calls, 0);
	/* Of a range that was not chosen. */
	around.included = false;
	take((struct call_record){.pair = &pair});
	assert_int_equal(row->calls_outside, 2);
	assert_int_equal(pool.put, 2);
	assert_int_equal(around.traced_calls, 0);
	around.included = true;
	settings.devices = ~4ull;
	take((struct call_record){.pair = &pair});
	assert_int_equal(row->calls, 0);
	assert_int_equal(row->calls_outside, 2);
	assert_int_equal(pool.put, 3);
	assert_int_equal(around.traced_calls, 1);
	/* Its record is awaited all the same. */
	mode_cupti = true;
	take((struct call_record){.pair = &pair});
	assert_int_equal(calls_expected(), 1);
	calls_lost_records();
	assert_int_equal(around.untimed_in_ranges, 0);
	assert_int_equal(around.traced_matches, 0);
}

static void what_is_no_operation_gives_its_pair_back(void **state)
{
	static const uint8_t flags[] = {CALL_FAILED, CALL_CAPTURED, CALL_API_ONLY};

	(void)state;
	around.trace = true;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		take((struct call_record){.pair = &pair, .flags = flags[i]});
		assert_int_equal(pool.put, i + 1);
		assert_int_equal(around.traced_calls, i + 1);
		take((struct call_record){.flags = flags[i] | CALL_OUTSIDE_WINDOW});
		assert_int_equal(around.traced_calls, i + 1);
	}
	assert_int_equal(count(COUNTER_failed_calls), 1);
	assert_int_equal(count(COUNTER_captured_calls), 1);
	assert_int_equal(count(COUNTER_operations), 0);
	assert_int_equal(count(COUNTER_operations_outside), 0);
}

static void count_only_calls_are_taken_once(void **state)
{
	const struct row *row;

	(void)state;
	thread.operation_calls[0] = 30;
	thread.operation_calls[1] = 4;
	thread.operation_rows[0] = thread.operation_rows[1] =
		API_RUNTIME(RUNTIME_cudaLaunchKernel) + 1;
	calls_take_counts(&thread);
	calls_take_counts(&thread);
	thread.operation_calls[0] = 37;
	mode_events = false;
	calls_take_counts(&thread);
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 37);
	assert_int_equal(row->untimed[UNTIMED_SAMPLED_OUT], 30);
	assert_int_equal(row->untimed[UNTIMED_EVENTS_OFF], 7);
	assert_int_equal(kernel.calls, 37);
	assert_int_equal(kernel.window_calls, 37);
	assert_int_equal(row_of(&copy, 2)->calls, 4);
	assert_int_equal(count(COUNTER_operations), 41);
	row = session_row(rows_session, ROW_RUNTIME_API, "cudaLaunchKernel", -1);
	assert_int_equal(row->calls, 41);
	/* What is counted by API row alone. */
	thread.api_calls[API_RUNTIME(RUNTIME_cudaLaunchKernel)] = 3;
	calls_take_counts(&thread);
	calls_take_counts(&thread);
	assert_int_equal(row->calls, 44);
	assert_int_equal(count(COUNTER_operations), 41);
}

static void counts_are_taken_once_their_api_row_is_seen(void **state)
{
	(void)state;
	thread.operation_calls[0] = 30;
	calls_take_counts(&thread);
	assert_int_equal(count(COUNTER_operations), 0);
	thread.operation_rows[0] = API_RUNTIME(RUNTIME_cudaLaunchKernel) + 1;
	calls_take_counts(&thread);
	assert_int_equal(count(COUNTER_operations), 30);
}

static void count_only_calls_outside_the_window_are_in_no_other_count(void **state)
{
	const struct row *row;

	(void)state;
	thread.operation_calls[COUNTED_OPERATIONS] = 30;
	calls_take_counts(&thread);
	calls_take_counts(&thread);
	thread.operation_calls[COUNTED_OPERATIONS] = 32;
	thread.operation_calls[COUNTED_OPERATIONS + 1] = 5;
	thread.operation_calls[0] = 4;
	thread.operation_rows[0] = API_RUNTIME(RUNTIME_cudaLaunchKernel) + 1;
	calls_take_counts(&thread);
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 4);
	assert_int_equal(row->calls_outside, 32);
	assert_int_equal(row_of(&copy, 2)->calls_outside, 5);
	assert_int_equal(kernel.calls, 4);
	assert_int_equal(count(COUNTER_operations), 4);
	assert_int_equal(count(COUNTER_operations_outside), 37);
}

static void what_found_its_ring_full_is_counted_at_the_end(void **state)
{
	const struct row *row;

	(void)state;
	kernel.lost[2] = 12;
	kernel.lost_outside[2] = 5;
	copy.lost_outside[0] = 3;
	operation_lost_calls = 20;
	calls_finish();
	row = row_of(&kernel, 2);
	assert_int_equal(row->calls, 12);
	assert_int_equal(row->untimed[UNTIMED_RING_FULL], 12);
	assert_int_equal(row->calls_outside, 5);
	assert_int_equal(row_of(&copy, 0)->calls_outside, 3);
	assert_int_equal(row_of(&copy, 0)->calls, 0);
	assert_int_equal(count(COUNTER_operations), 12);
	assert_int_equal(count(COUNTER_operations_outside), 8);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_call_timed_by_events_has_its_row_and_range),
		TEST(a_pair_that_is_not_gated_may_hold_a_wait),
		TEST(a_pair_beside_another_streams_call_is_counted),
		TEST(a_call_without_a_time_says_why),
		TEST(a_missing_pair_has_the_weight_of_its_draw),
		TEST(both_clocks_are_compared_where_they_time_the_same),
		TEST(a_record_that_never_comes_is_counted),
		TEST(a_call_that_cupti_was_started_in_waits_for_no_record),
		TEST(while_windows_record_no_call_waits),
		TEST(a_call_outside_the_window_is_counted_apart),
		TEST(what_is_no_operation_gives_its_pair_back),
		TEST(count_only_calls_are_taken_once),
		TEST(counts_are_taken_once_their_api_row_is_seen),
		TEST(count_only_calls_outside_the_window_are_in_no_other_count),
		TEST(what_found_its_ring_full_is_counted_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
