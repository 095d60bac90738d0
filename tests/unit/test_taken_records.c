/* SPDX-License-Identifier: MIT */
/* From activity records to the rows: whose each record is, and what is counted of it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cupti/api_names.h"
#include "cupti/cupti.h"
#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/collector/calls.h"
#include "preload/collector/concurrency.h"
#include "preload/collector/cost.h"
#include "preload/collector/graph_launches.h"
#include "preload/collector/records.h"
#include "preload/collector/rows.h"
#include "preload/collector/trace.h"
#include "preload/events/calibration.h"
#include "preload/launch/window.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/cheap_calls.h"
#include "preload/recording/recording.h"
#include "preload/timeline/feed.h"

/* What the neighbours are asked and told. */
static struct {
	bool matches, complete, knows_kernels, trace, chosen, included, own, names_reused,
		window_changes;
	int64_t behind;
	uint64_t window_from;
	struct concurrency before;
	struct in_flight *call; /* that the record matches */
	unsigned matched, recorded, costs, in_ranges, fed, traced, traced_calls, by_recording,
		cheap;
	unsigned settled, warned;
	bool timed, overlapped, idle, kernel_by_order;
	uint64_t nanoseconds, settled_until, range_ns;
	uint32_t correlation;
	enum clock_source range_clock;
	void (*ended)(struct in_flight *, uint32_t, uint64_t, uint64_t);
	const char *called;
} around;

bool mode_driver_records, mode_runtime_records;
_Atomic bool mode_cupti = true;
struct options settings;
struct matcher *calls_matcher;
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

bool operation_names_are_reused(void)
{
	return around.names_reused;
}

bool settings_want_calls(enum row_kind kind)
{
	return kind == ROW_RUNTIME_API || settings.api_trace == API_TRACE_ALL;
}

int64_t cupti_clock_behind(void)
{
	return around.behind;
}

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

void cost_of_record(struct session *session, const struct activity *activity,
		    const struct in_flight *call, const struct concurrency *before)
{
	assert_ptr_equal(session, rows_session);
	assert_non_null(activity);
	assert_ptr_equal(call, around.call);
	assert_int_equal(before->stream_end, around.before.stream_end);
	around.costs++;
}

void graph_launches_start(void (*ended)(struct in_flight *call, uint32_t device, uint64_t start,
					uint64_t end))
{
	around.ended = ended;
}

struct in_flight *graph_launches_node(struct match_stream *found, const struct activity *activity)
{
	assert_ptr_equal(found, &stream);
	assert_true(activity->graph_node);
	return around.call;
}

const struct in_flight *graph_launches_call(const struct activity *activity)
{
	assert_true(activity->graph_node);
	return around.call;
}

void graph_launches_settle(uint64_t newest)
{
	around.settled++;
	around.settled_until = newest;
}

bool matcher_trusts_clock(const struct matcher *matcher)
{
	(void)matcher;
	return true;
}

void matcher_trust_clock(struct matcher *matcher, bool trusted)
{
	(void)matcher;
	(void)trusted;
}

struct match_stream *matcher_find(struct matcher *matcher, uint32_t context, uint32_t number,
				  uint32_t thread, uint64_t start,
				  const struct operation *operation, uint64_t bytes)
{
	(void)matcher;
	(void)operation;
	(void)bytes;
	assert_int_equal(context, 3);
	assert_int_equal(number, 9);
	assert_int_equal(thread, 77);
	assert_true(start > 0);
	return around.call ? (struct match_stream *)&stream : NULL;
}

struct in_flight *match_record(struct match_stream *found, uint32_t thread, uint64_t start,
			       const struct operation *operation, uint64_t bytes)
{
	assert_ptr_equal(found, &stream);
	assert_true(thread == 77 && start > 0);
	assert_int_equal(bytes, operation->kind == ROW_KERNEL ? 0 : 64);
	around.kernel_by_order = false;
	return around.call;
}

struct in_flight *match_kernel(struct match_stream *found, uint32_t thread, uint64_t start)
{
	assert_ptr_equal(found, &stream);
	assert_true(thread == 77 && start > 0);
	around.kernel_by_order = true;
	return around.call;
}

struct in_flight *match_graph(struct match_stream *found, uint32_t thread, uint64_t start)
{
	assert_ptr_equal(found, &stream);
	assert_true(thread == 77 && start > 0);
	return around.call;
}

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

void feed_operation(const struct activity *activity, const struct row *row,
		    const struct in_flight *call, bool trusted)
{
	(void)row;
	assert_non_null(activity);
	assert_true(!call || call == around.call);
	assert_true(trusted);
	around.fed++;
}

void cheap_calls_note(struct row *row, uint32_t callback)
{
	assert_int_equal(row->kind, ROW_RUNTIME_API);
	assert_int_equal(callback, 5);
	around.cheap++;
}

void cheap_calls_warn(struct session *session)
{
	assert_ptr_equal(session, rows_session);
	around.warned++;
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

static const struct clock_scale scale = {.ns_per_tick = 1};
static struct in_flight call;
static struct operation other = {.kind = ROW_KERNEL, .name = "_Z5otherv"};

static int start(void **state)
{
	(void)state;
	around = (typeof(around)){.matches = true,
				  .complete = true,
				  .knows_kernels = true,
				  .included = true,
				  .window_from = 1000,
				  .before = {.stream_end = 400}};
	settings =
		(struct options){.trace = TRACE_GPU, .devices = ~4ull, .api_trace = API_TRACE_ALL};
	memset(fixed, 0, sizeof(fixed));
	named_count = 0;
	call = (struct in_flight){.started = 900, .reported = true, .operation = &other};
	other = (struct operation){.kind = ROW_KERNEL, .name = "_Z5otherv"};
	rows_scale = &scale;
	records_start();
	return session_create(&rows_session, NULL, 0);
}

static int stop(void **state)
{
	(void)state;
	/* Rows of an earlier session must not be found by the names' addresses. */
	session_close(rows_session);
	return 0;
}

static uint64_t count(enum session_counter counter)
{
	return session_header(rows_session)->counters[counter];
}

/* A record of 600 ns from 5000 ns on; `rest` has what differs. */
static void take(enum activity_kind kind, struct activity rest)
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

static const struct row *row_of(enum row_kind kind, const char *name, int device)
{
	return session_row(rows_session, kind, name, device);
}

static void a_record_has_the_row_of_its_call(void **state)
{
	(void)state;
	around.call = &call;
	around.before.overlapped = true;
	around.trace = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev", .device = 1});
	/* The call knows its kernel better than the record. */
	assert_int_equal(row_of(ROW_KERNEL, "_Z5otherv", 1)->cupti.total, 600);
	assert_int_equal(count(COUNTER_cupti_records), 1);
	assert_int_equal(count(COUNTER_unmatched_records), 0);
	assert_int_equal(around.matched, 1);
	assert_int_equal(around.correlation, 31);
	assert_int_equal(around.recorded, 1);
	assert_true(around.timed && around.overlapped && around.idle && !around.kernel_by_order);
	assert_int_equal(around.nanoseconds, 600);
	assert_int_equal(around.in_ranges, 1);
	assert_int_equal(around.range_ns, 600);
	assert_int_equal(around.range_clock, CLOCK_CUPTI);
	assert_int_equal(around.costs, 1);
	assert_int_equal(around.fed, 1);
	assert_int_equal(around.traced, 1);
	assert_int_equal(around.by_recording, 1);
	/* The stream had work until the call began. */
	around.before.stream_end = 900;
	around.complete = false;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev", .device = 1});
	assert_false(around.idle);
	assert_int_equal(around.fed, 1);
	/* Names that may be another kernel's, or none, count by the order. */
	around.names_reused = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev"});
	assert_true(around.kernel_by_order);
	take(ACTIVITY_MEMSET, (struct activity){0});
	assert_false(around.kernel_by_order);
	around.names_reused = false;
	take(ACTIVITY_KERNEL, (struct activity){0});
	assert_true(around.kernel_by_order);
	/* What is not reported gives its call the time all the same. */
	call.reported = false;
	around.recorded = 0;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev"});
	assert_int_equal(around.recorded, 1);
	assert_false(around.timed);
	assert_int_equal(count(COUNTER_cupti_records), 5);
}

static void a_record_without_a_call_counts_by_its_own_start(void **state)
{
	(void)state;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 1);
	assert_int_equal(count(COUNTER_unmatched_records), 1);
	assert_int_equal(around.recorded + around.matched + around.in_ranges, 0);
	/* On the host's clock, before the window, on a device that nobody asked for, or while
	 * ranges are chosen. */
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av", .start = 999});
	around.behind = 1;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av", .start = 999});
	assert_int_equal(count(COUNTER_unmatched_records), 2);
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av", .device = 2});
	around.chosen = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	around.chosen = false;
	assert_int_equal(count(COUNTER_unmatched_records), 2);
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 2);
	/* ktime's own. */
	around.own = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	around.own = false;
	/* In windows, only those whose kernel is known. */
	around.matches = around.knows_kernels = false;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 2);
	take(ACTIVITY_MEMSET, (struct activity){0});
	assert_int_equal(row_of(ROW_MEMSET, "[CUDA memset]", 0)->cupti.count, 1);
	around.knows_kernels = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 3);
	assert_int_equal(count(COUNTER_unmatched_records), 2);
}

static void no_row_has_more_records_than_calls_once_the_window_changed(void **state)
{
	(void)state;
	session_row(rows_session, ROW_KERNEL, "_Z1av", 0)->calls = 2;
	for (unsigned i = 1; i <= 4; i++)
		take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 4);
	around.window_changes = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 4);
	assert_int_equal(count(COUNTER_unmatched_records), 5);
	/* One that was called, and one that no hook saw. */
	session_row(rows_session, ROW_KERNEL, "_Z1av", 0)->calls = 5;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 5);
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1bv"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1bv", 0)->cupti.count, 1);
}

static void each_copy_has_the_row_of_its_direction(void **state)
{
	static const struct {
		uint8_t kind;
		const char *name;
	} copies[] = {
		{COPY_HTOD, "[CUDA memcpy HtoD]"}, {COPY_DTOH, "[CUDA memcpy DtoH]"},
		{COPY_HTOA, "[CUDA memcpy HtoA]"}, {COPY_ATOH, "[CUDA memcpy AtoH]"},
		{COPY_ATOA, "[CUDA memcpy AtoA]"}, {COPY_ATOD, "[CUDA memcpy AtoD]"},
		{COPY_DTOA, "[CUDA memcpy DtoA]"}, {COPY_DTOD, "[CUDA memcpy DtoD]"},
		{COPY_HTOH, "[CUDA memcpy HtoH]"}, {COPY_PTOP, "[CUDA memcpy PtoP]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		take(ACTIVITY_MEMCPY, (struct activity){.copy_kind = copies[i].kind});
		assert_int_equal(row_of(ROW_MEMCPY, copies[i].name, 0)->cupti.count, 1);
		assert_int_equal(row_of(ROW_MEMCPY, copies[i].name, 0)->cupti.size, 64);
	}
	take(ACTIVITY_MEMCPY, (struct activity){.copy_kind = COPY_KINDS});
	assert_int_equal(row_of(ROW_MEMCPY, "[CUDA memcpy HtoH]", 0)->cupti.count, 2);
	take(ACTIVITY_MEMCPY_PEER, (struct activity){0});
	assert_int_equal(row_of(ROW_MEMCPY, "[CUDA memcpy PtoP]", 0)->cupti.count, 2);
	take(ACTIVITY_KERNEL, (struct activity){0});
	assert_int_equal(row_of(ROW_KERNEL, "[CUDA kernel]", 0)->cupti.count, 1);
}

static void a_name_is_looked_up_once_for_its_address(void **state)
{
	char name[8] = "_Z1bv";

	(void)state;
	take(ACTIVITY_KERNEL, (struct activity){.name = name});
	take(ACTIVITY_KERNEL, (struct activity){.name = name});
	assert_int_equal(named_count, 1);
	assert_int_equal(row_of(ROW_KERNEL, "_Z1bv", 0)->cupti.count, 2);
}

static void nodes_count_with_their_launch(void **state)
{
	const struct row *row;

	(void)state;
	around.call = &call;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4nodev", .graph_node = 7});
	row = row_of(ROW_KERNEL, "_Z4nodev", 0);
	assert_int_equal(row->cupti.count, 1);
	assert_int_equal(row->graph_records, 1);
	assert_int_equal(count(COUNTER_graph_nodes), 1);
	assert_int_equal(around.in_ranges, 1);
	assert_int_equal(around.matched, 1);
	assert_int_equal(around.fed, 1);
	/* The launch is over. */
	call.operation = operation_fixed(OPERATION_UNKNOWN_GRAPH);
	around.ended(&call, 3, 100, 350);
	assert_int_equal(row_of(ROW_GRAPH, "[CUDA graph]", 3)->cupti.total, 250);
	assert_true(call.holds_more && around.timed && !around.overlapped && !around.idle);
	call.reported = false;
	around.ended(&call, 3, 100, 350);
	assert_int_equal(row_of(ROW_GRAPH, "[CUDA graph]", 3)->cupti.count, 1);
	assert_false(around.timed);
	/* Nor its nodes, which are not reported then. */
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4nodev", .graph_node = 7});
	assert_int_equal(row->cupti.count, 1);
	/* In windows another one counts them. */
	call.reported = true;
	around.call = NULL;
	around.matches = false;
	call.operation = &other;
}

static void graphs_count_once(void **state)
{
	const struct row *row;

	(void)state;
	around.trace = true;
	/* Nobody saw a launch: all there is are the records. */
	take(ACTIVITY_GRAPH, (struct activity){.device = 1});
	row = row_of(ROW_GRAPH, "[CUDA graph]", 1);
	assert_int_equal(row->cupti.total, 600);
	assert_int_equal(count(COUNTER_unmatched_records), 1);
	assert_int_equal(around.traced, 1);
	assert_int_equal(around.in_ranges, 0);
	around.call = &call;
	call.operation = operation_named(ROW_GRAPH, "[CUDA graph 4]");
	call.operation->calls = 1;
	take(ACTIVITY_GRAPH, (struct activity){.device = 1});
	assert_int_equal(row_of(ROW_GRAPH, "[CUDA graph 4]", 1)->cupti.total, 600);
	assert_int_equal(count(COUNTER_unmatched_records), 1);
	assert_int_equal(count(COUNTER_cupti_records), 2);
	assert_int_equal(around.in_ranges, 1);
	assert_int_equal(around.recorded, 1);
	assert_true(around.timed);
	assert_int_equal(around.fed, 2);
	/* Now a record without a call is of a launch that was counted. */
	around.call = NULL;
	take(ACTIVITY_GRAPH, (struct activity){.device = 1});
	assert_int_equal(row->cupti.count, 1);
	assert_int_equal(count(COUNTER_unmatched_records), 2);
}

static void migrations_are_the_devices(void **state)
{
	static const char name[] = "[CUDA unified memory HtoD]";

	(void)state;
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD, .device = 3});
	take(ACTIVITY_UNIFIED_MEMORY, (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD,
							.device = ACTIVITY_HOST,
							.source_device = 4,
							.destination_device = ACTIVITY_HOST});
	take(ACTIVITY_UNIFIED_MEMORY, (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD,
							.device = ACTIVITY_HOST,
							.source_device = ACTIVITY_HOST,
							.destination_device = 5});
	for (int device = 3; device <= 5; device++) {
		assert_int_equal(row_of(ROW_MOVEMENT, name, device)->cupti.total, 600);
		assert_int_equal(row_of(ROW_MOVEMENT, name, device)->bytes, 64);
	}
	/* Not asked for, of a kind without a row, and before the window. */
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD, .device = 2});
	assert_int_equal(row_of(ROW_MOVEMENT, name, 2)->cupti.count, 0);
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_THRASHING, .device = 3});
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_DTOD + 1, .device = 3});
	take(ACTIVITY_UNIFIED_MEMORY, (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD,
							.device = 3,
							.start = 999});
	around.chosen = true;
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD, .device = 3});
	assert_int_equal(row_of(ROW_MOVEMENT, name, 3)->cupti.count, 1);
	around.chosen = false;
	take(ACTIVITY_UNIFIED_MEMORY, (struct activity){.unified_memory_kind = UNIFIED_MEMORY_DTOD,
							.device = SESSION_DEVICES});
	assert_int_equal(row_of(ROW_MOVEMENT, "[CUDA unified memory DtoD]", 0)->cupti.count, 1);
}

static void calls_and_overheads_have_rows(void **state)
{
	const struct row *row;

	(void)state;
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5, .result = 2});
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5});
	row = row_of(ROW_RUNTIME_API, "cudaOrCuCall", -1);
	assert_int_equal(row->calls, 2);
	assert_int_equal(row->failed, 1);
	assert_int_equal(row->cupti.total, 1200);
	assert_int_equal(around.cheap, 2);
	assert_int_equal(around.in_ranges, 2);
	assert_int_equal(around.range_clock, CLOCK_NONE);
	around.trace = true;
	take(ACTIVITY_DRIVER_API, (struct activity){0});
	assert_int_equal(row_of(ROW_DRIVER_API, "cudaOrCuCall", -1)->calls, 1);
	assert_int_equal(around.cheap, 2);
	assert_int_equal(around.traced_calls, 1);
	/* What ktime's wrappers count, what ktime calls itself, and what nobody asked for. */
	around.called = "cudaOrCuCall";
	take(ACTIVITY_DRIVER_API, (struct activity){0});
	around.called = NULL;
	take(ACTIVITY_DRIVER_API, (struct activity){.thread = (uint32_t)pthread_self()});
	settings.api_trace = API_TRACE_RUNTIME;
	take(ACTIVITY_DRIVER_API, (struct activity){0});
	around.included = false;
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5});
	around.included = true;
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5, .start = 999});
	assert_int_equal(row->calls, 2);
	assert_int_equal(row_of(ROW_DRIVER_API, "cudaOrCuCall", -1)->calls, 1);
	take(ACTIVITY_OVERHEAD, (struct activity){.overhead_kind = 1, .result = 9});
	take(ACTIVITY_OVERHEAD, (struct activity){.overhead_kind = 2});
	row = row_of(ROW_OVERHEAD, "Buffer Flush", -1);
	assert_int_equal(row->calls, 1);
	assert_int_equal(row->failed, 0);
	assert_int_equal(around.traced_calls, 1);
}

static void what_cannot_be_read_is_counted(void **state)
{
	struct activity activity = {.kind = ACTIVITY_UNKNOWN, .valid = true};

	(void)state;
	records_take(&activity, NULL);
	assert_int_equal(count(COUNTER_cupti_unknown), 1);
	activity = (struct activity){.kind = ACTIVITY_KERNEL};
	records_take(&activity, NULL);
	assert_int_equal(count(COUNTER_cupti_invalid), 1);
	around.matches = false;
	records_take(&activity, NULL);
	assert_int_equal(count(COUNTER_cupti_invalid), 1);
	assert_int_equal(count(COUNTER_cupti_records), 0);
}

static void launches_are_settled_up_to_the_newest_record(void **state)
{
	(void)state;
	take(ACTIVITY_MEMSET, (struct activity){.start = 70000});
	take(ACTIVITY_GRAPH, (struct activity){.start = 60000});
	records_settle();
	assert_int_equal(around.settled, 1);
	assert_int_equal(around.settled_until, 70000);
	/* Nothing new. */
	records_settle();
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5, .start = 90000});
	records_settle();
	assert_int_equal(around.settled, 1);
	records_finish();
	assert_int_equal(around.settled, 2);
	assert_true(around.settled_until == UINT64_MAX);
	assert_int_equal(around.warned, 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_record_has_the_row_of_its_call),
		TEST(a_record_without_a_call_counts_by_its_own_start),
		TEST(no_row_has_more_records_than_calls_once_the_window_changed),
		TEST(each_copy_has_the_row_of_its_direction),
		TEST(a_name_is_looked_up_once_for_its_address),
		TEST(nodes_count_with_their_launch),
		TEST(graphs_count_once),
		TEST(migrations_are_the_devices),
		TEST(calls_and_overheads_have_rows),
		TEST(what_cannot_be_read_is_counted),
		TEST(launches_are_settled_up_to_the_newest_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
