/* SPDX-License-Identifier: MIT */
#include "preload/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/api_names.h"
#include "cupti/collection.h"
#include "cupti/match.h"
#include "preload/control.h"
#include "preload/graph_launches.h"
#include "preload/operation.h"
#include "preload/pointer_map.h"
#include "preload/runtime.h"
#include "preload/wrappers.h"

#define API_COUNT API_RUNTIME(RUNTIME_COUNT)

static struct session *session;
static const struct clock_scale *scale;
static struct matcher *matcher;
static size_t expected_count;
static struct row *api_rows[API_COUNT];
static struct pointer_map operation_by_name; /* CUPTI's name pointer to an operation */
static uint32_t name_generation = 1;

/*
 * The difference of raw pair and record per kind: its median is the bias. Pairs that the device
 * waited for the host in (the second of each two) count only where there are hardly others.
 */
static struct histogram differences[BIAS_KINDS][2];
#define ENOUGH_CLEAN 8

/*
 * Biases that held on every machine they were measured on (H200, driver 580): what is taken off
 * where no pair could be compared with a record in this run.
 */
static uint64_t biases[BIAS_KINDS] = {
	[BIAS_KERNEL] = 2900,	   [BIAS_MEMSET] = 2700, [BIAS_MEMCPY_PINNED] = 3200,
	[BIAS_MEMCPY_DTOD] = 5300, [BIAS_GRAPH] = 2900,
};

static uint64_t median_bias(enum bias_kind kind)
{
	bool clean = histogram_count(&differences[kind][0]) >= ENOUGH_CLEAN;

	return histogram_percentile(&differences[kind][clean ? 0 : 1], 0.5);
}

/* The median is looked up anew at every power of two: more often would change little. */
static void add_difference(enum bias_kind kind, bool starved, uint64_t difference)
{
	struct histogram *clean = &differences[kind][0];
	struct histogram *gapped = &differences[kind][1];
	uint64_t count = ++session_header(session)->biases[kind].calls;

	histogram_add(starved ? gapped : clean, difference);
	if ((count & (count - 1)) == 0)
		biases[kind] = median_bias(kind);
	session_header(session)->biases[kind].ns = biases[kind];
}

static struct row *row_of(struct operation *operation, int device)
{
	struct row *row;

	if (device < 0 || device >= SESSION_DEVICES)
		device = 0;
	row = operation->rows[device];
	if (!row) {
		row = session_row(session, operation->kind, operation->name, device);
		operation->rows[device] = row;
		session_header(session)->devices[device].used = 1;
		if (row && operation->kind == ROW_GRAPH) {
			row->nodes = operation->nodes;
			if (operation->kernels_listed)
				row->kernels_listed =
					session_intern(session, operation->kernels_listed);
		}
	}
	if (!row)
		session_count(session, COUNTER_rows_lost, 1);
	return row;
}

static const char *api_name(unsigned api, enum row_kind *kind)
{
	const char *name;

	*kind = ROW_RUNTIME_API;
	if (api >= API_RUNTIME(0))
		return runtime_name((enum runtime_symbol)(api - API_RUNTIME(0)));
	if (api >= API_FROM_RUNTIME(0)) {
		name = entry_runtime_name((enum entry)(api - API_FROM_RUNTIME(0)));
		if (name)
			return name;
		api -= API_FROM_RUNTIME(0);
	}
	*kind = ROW_DRIVER_API;
	return entry_name((enum entry)api);
}

static void count_api(const struct span *span)
{
	struct row *row;
	enum row_kind kind;
	const char *name;

	if (span->api >= API_COUNT)
		return;
	row = api_rows[span->api];
	if (!row) {
		name = api_name(span->api, &kind);
		row = session_row(session, kind, name, -1);
		api_rows[span->api] = row;
	}
	/* Calls that make no operation have a row from CUPTI's runtime records, if those are on. */
	if (!row || (control_runtime_calls && (span->flags & SPAN_CALL_ONLY) && !span->operation &&
		     row->kind == ROW_RUNTIME_API && span->api < API_RUNTIME(0)))
		return;
	row->calls++;
	if (span->flags & SPAN_FAILED)
		row->failed++;
	session_add_sample(session, &row->cupti, clock_ticks_to_ns(scale, span->duration));
}

static void release_pair(const struct span *span)
{
	if (span->pair)
		lane_put(span->pair->lane, span->pair);
}

static void compare(const struct timed *timed, struct row *row)
{
	enum bias_kind kind = timed->operation->bias;
	uint64_t corrected = timed->raw > biases[kind] ? timed->raw - biases[kind] : 0;

	session_count(session, COUNTER_matched, 1);
	/* A first launch may load its module between the two events. */
	if (!timed->overlapped && !timed->first)
		add_difference(kind, timed->starved,
			       timed->raw > timed->cupti ? timed->raw - timed->cupti : 0);
	if (timed->starved || timed->first) {
		row->starved++;
		row->starved_cupti += timed->cupti;
		row->starved_raw += timed->raw;
		return;
	}
	row->checked++;
	row->checked_cupti += timed->cupti;
	row->checked_raw += timed->raw;
	row->checked_overlapped += timed->overlapped;
	session_add_difference(session, row,
			       corrected > timed->cupti ? corrected - timed->cupti
							: timed->cupti - corrected);
}

/* Both clocks have spoken, or one never will. */
static void settle(struct timed *timed)
{
	struct row *row = timed->row;

	if (timed->awaits_event || timed->awaits_record)
		return;
	if (timed->has_raw && timed->has_cupti && row && !timed->host_included) {
		compare(timed, row);
	} else if (timed->has_raw && row && !timed->has_cupti && collection_active() &&
		   !timed->host_included) {
		row->unmatched++;
		session_count(session, COUNTER_unmatched_spans, 1);
	}
	timed_free(timed);
}

void samples_timed(struct timed *timed, enum timing_end end)
{
	struct row *row = timed->row;

	if (end == TIMING_READ) {
		session_count(session, COUNTER_timed_by_events, 1);
		if (row) {
			session_add_sample(session, &row->events, timed->raw);
			row->host_included += timed->host_included;
		}
	} else if (row) {
		row->untimed[end == TIMING_LATE ? UNTIMED_NOT_FINISHED : UNTIMED_CONTEXT_LOST]++;
	}
	settle(timed);
}

static void unmatched(const struct expected *expected)
{
	struct timed *timed = expected->argument;

	expected_count--;
	if (timed) {
		timed->awaits_record = false;
		settle(timed);
	}
}

/* Queues a call for the record that CUPTI will make of it. */
static void expect_record(const struct thread *thread, const struct span *span, struct timed *timed)
{
	struct expected expected = {
		.started = clock_realtime_at(scale, span->started),
		.ended = clock_realtime_at(scale, span->started + span->duration),
		.key = span->operation,
		.bytes = span->bytes,
		.thread = thread->kernel_id,
		.graph = span->operation->kind == ROW_GRAPH,
		.argument = timed,
	};
	struct match_stream *stream = NULL;

	if (!span->stream->records)
		span->stream->records =
			span->stream->cupti_known
				? matcher_stream(matcher, span->stream->context->cupti_context,
						 span->stream->cupti_stream)
				: matcher_unnumbered(matcher, span->stream->context->cupti_context);
	stream = span->stream->records;
	if (!stream)
		return;
	if (timed)
		timed->awaits_record = true;
	expected_count++;
	match_expect(stream, &expected);
}

void samples_span(const struct thread *thread, const struct span *span)
{
	struct timed *timed = NULL;
	struct row *row;

	count_api(span);
	if (span->flags & (SPAN_FAILED | SPAN_CALL_ONLY | SPAN_CAPTURED) || !span->operation ||
	    !span->stream || !atomic_load_explicit(&control_collecting, memory_order_relaxed)) {
		session_count(session, COUNTER_failed_calls, (span->flags & SPAN_FAILED) != 0);
		session_count(session, COUNTER_captured_calls, (span->flags & SPAN_CAPTURED) != 0);
		release_pair(span);
		return;
	}
	session_count(session, COUNTER_operations, 1);
	span->operation->calls++;
	span->operation->window_calls++;
	row = row_of(span->operation, span->stream->context->device);
	if (row) {
		row->calls++;
		if (span->operation->kind != ROW_KERNEL && span->operation->kind != ROW_GRAPH)
			session_add_bytes(row, span->bytes);
	}
	if (span->pair) {
		session_count(session, COUNTER_event_pairs, 1);
		span->operation->pairs++;
		span->operation->window_pairs++;
		timed = timed_new();
		if (timed) {
			timed->pair = span->pair;
			timed->operation = span->operation;
			timed->row = row;
			timed->host_included = span->flags & SPAN_HOST_INCLUDED;
			timed->first = span->flags & SPAN_FIRST;
			timing_add(span->stream, timed);
			if (!timed->awaits_event) {
				timed_free(timed);
				timed = NULL;
			}
		}
		if (!timed)
			release_pair(span);
	}
	if (row && !timed)
		row->untimed[span->pair ? UNTIMED_NO_EVENT : span->untimed]++;
	if (collection_active() && !(span->flags & SPAN_NO_RECORD))
		expect_record(thread, span, timed);
}

/* The operation of a kernel's record; CUPTI keeps a name in one place for a kernel's life. */
static struct operation *operation_of_name(const char *name)
{
	struct operation *operation = NULL;

	if (!name)
		return operation_fixed(OPERATION_UNKNOWN_KERNEL);
	operation = pointer_map_find(&operation_by_name, (uintptr_t)name, name_generation);
	if (operation && strcmp(operation->name, name) == 0)
		return operation;
	if (operation) /* the place was given to another name: start over */
		name_generation++;
	operation = operation_named(ROW_KERNEL, name);
	pointer_map_add(&operation_by_name, (uintptr_t)name, operation, name_generation);
	return operation;
}

static struct operation *operation_of_record(const struct activity *activity)
{
	static const enum fixed_operation copies[COPY_KINDS] = {
		[COPY_HTOD] = OPERATION_COPY_HTOD, [COPY_DTOH] = OPERATION_COPY_DTOH,
		[COPY_HTOA] = OPERATION_COPY_HTOA, [COPY_ATOH] = OPERATION_COPY_ATOH,
		[COPY_ATOA] = OPERATION_COPY_ATOA, [COPY_ATOD] = OPERATION_COPY_ATOD,
		[COPY_DTOA] = OPERATION_COPY_DTOA, [COPY_DTOD] = OPERATION_COPY_DTOD,
		[COPY_HTOH] = OPERATION_COPY_HTOH, [COPY_PTOP] = OPERATION_COPY_PTOP,
	};

	if (activity->kind == ACTIVITY_KERNEL)
		return operation_of_name(activity->name);
	if (activity->kind == ACTIVITY_MEMSET)
		return operation_fixed(OPERATION_MEMSET);
	if (activity->kind == ACTIVITY_MEMCPY_PEER)
		return operation_fixed(OPERATION_COPY_PTOP);
	return operation_fixed(activity->copy_kind < COPY_KINDS ? copies[activity->copy_kind]
								: OPERATION_COPY_HTOH);
}

/*
 * What else ran on the device: the latest end of this stream's records and of all other streams'.
 * Records of one stream come in time order, those of several nearly so.
 */
static struct {
	uint64_t end[2];
	uint64_t stream[2];
} latest[SESSION_DEVICES];

static void note_concurrency(const struct activity *activity, bool *overlapped, uint64_t *previous)
{
	uint64_t stream = (uint64_t)activity->context << 32 | activity->stream;
	unsigned device = activity->device < SESSION_DEVICES ? activity->device : 0;
	int own = latest[device].stream[0] == stream   ? 0
		  : latest[device].stream[1] == stream ? 1
						       : -1;

	*previous = own >= 0 ? latest[device].end[own] : 0;
	*overlapped = false;
	for (int i = 0; i < 2; i++)
		if (i != own && latest[device].end[i] > activity->start)
			*overlapped = true;
	if (own < 0)
		own = latest[device].end[0] <= latest[device].end[1] ? 0 : 1;
	latest[device].stream[own] = stream;
	latest[device].end[own] = activity->end;
}

static void time_by_record(struct timed *timed, uint64_t duration, bool overlapped, bool starved)
{
	timed->cupti = duration;
	timed->has_cupti = true;
	timed->awaits_record = false;
	timed->overlapped = overlapped;
	timed->starved = starved;
	settle(timed);
}

static void take_operation(const struct activity *activity)
{
	struct operation *operation = operation_of_record(activity);
	struct match_stream *stream;
	struct expected expected;
	uint64_t previous, bytes;
	bool overlapped;
	struct row *row;

	session_count(session, COUNTER_cupti_records, 1);
	row = row_of(operation, (int)activity->device);
	if (row) {
		session_add_sample(session, &row->cupti, activity->end - activity->start);
		if (activity->graph_node) {
			row->graph_records++;
			session_count(session, COUNTER_graph_nodes, 1);
		}
	}
	note_concurrency(activity, &overlapped, &previous);
	bytes = operation->kind == ROW_KERNEL ? 0 : activity->bytes;
	stream = matcher_find(matcher, activity->context, activity->stream, activity->start,
			      activity->graph_node ? NULL : operation, bytes);
	if (activity->graph_node) {
		expected_count -= graph_launches_node(stream, activity);
		return;
	}
	if (!stream ||
	    !match_record(stream, activity->start, operation,
			  operation->kind == ROW_KERNEL ? 0 : activity->bytes, &expected)) {
		session_count(session, COUNTER_unmatched_records, 1);
		return;
	}
	expected_count--;
	if (expected.argument && expected.ambiguous)
		unmatched(&expected);
	else if (expected.argument)
		time_by_record(expected.argument, activity->end - activity->start, overlapped,
			       previous < expected.started);
}

/* A whole launch of a graph: one record, or what its nodes' records span. */
static void take_graph_launch(const struct expected *expected, uint32_t device, uint64_t start,
			      uint64_t end)
{
	struct operation *operation = (struct operation *)(uintptr_t)expected->key;
	struct row *row = row_of(operation, (int)device);

	if (row)
		session_add_sample(session, &row->cupti, end - start);
	if (expected->argument)
		time_by_record(expected->argument, end - start, false, false);
}

static void take_graph(const struct activity *activity)
{
	struct match_stream *stream = matcher_stream(matcher, activity->context, activity->stream);
	struct expected expected = {.key = operation_fixed(OPERATION_UNKNOWN_GRAPH)};

	session_count(session, COUNTER_cupti_records, 1);
	if (stream && match_graph(stream, activity->start, &expected))
		expected_count--;
	else
		session_count(session, COUNTER_unmatched_records, 1);
	take_graph_launch(&expected, activity->device, activity->start, activity->end);
}

static void take_unified_memory(const struct activity *activity)
{
	static const char *const names[] = {
		[UNIFIED_MEMORY_HTOD] = "[CUDA unified memory HtoD]",
		[UNIFIED_MEMORY_DTOH] = "[CUDA unified memory DtoH]",
		[UNIFIED_MEMORY_GPU_PAGE_FAULT] = "[CUDA unified memory GPU page faults]",
		[UNIFIED_MEMORY_DTOD] = "[CUDA unified memory DtoD]",
	};
	unsigned kind = activity->unified_memory_kind;
	uint32_t device = activity->device;
	struct row *row;

	if (kind >= sizeof(names) / sizeof(names[0]) || !names[kind])
		return;
	if (device == ACTIVITY_HOST)
		device = activity->source_device == ACTIVITY_HOST ? activity->destination_device
								  : activity->source_device;
	row = session_row(session, ROW_MOVEMENT, names[kind],
			  device < SESSION_DEVICES ? (int)device : 0);
	if (!row)
		return;
	session_add_sample(session, &row->cupti, activity->end - activity->start);
	session_add_bytes(row, activity->bytes);
}

static void take_other(const struct activity *activity)
{
	const char *name = NULL;
	enum row_kind kind = ROW_OVERHEAD;
	struct row *row;

	if (activity->kind == ACTIVITY_OVERHEAD) {
		name = overhead_kind_name(activity->overhead_kind);
	} else {
		kind = activity->kind == ACTIVITY_RUNTIME_API ? ROW_RUNTIME_API : ROW_DRIVER_API;
		name = api_call_name(activity);
	}
	row = name && *name ? session_row(session, kind, name, -1) : NULL;
	if (!row)
		return;
	row->calls++;
	row->failed += kind != ROW_OVERHEAD && activity->result != 0;
	session_add_sample(session, &row->cupti, activity->end - activity->start);
}

void samples_activity(const struct activity *activity, void *unused)
{
	(void)unused;
	if (!atomic_load_explicit(&control_collecting, memory_order_relaxed))
		return;
	if (activity->kind == ACTIVITY_UNKNOWN) {
		session_count(session, COUNTER_cupti_unknown, 1);
		return;
	}
	if (!activity->valid) {
		session_count(session, COUNTER_cupti_invalid, 1);
		return;
	}
	switch (activity->kind) {
	case ACTIVITY_KERNEL:
	case ACTIVITY_MEMCPY:
	case ACTIVITY_MEMCPY_PEER:
	case ACTIVITY_MEMSET:
		take_operation(activity);
		break;
	case ACTIVITY_GRAPH:
		take_graph(activity);
		break;
	case ACTIVITY_UNIFIED_MEMORY:
		take_unified_memory(activity);
		break;
	default:
		take_other(activity);
	}
}

void samples_trust_clock(bool trusted)
{
	matcher_trust_clock(matcher, trusted);
}

size_t samples_expected(void)
{
	return expected_count;
}

/*
 * The bias is best known at the end, and the same for all calls of a kind, so the rows hold what
 * the events said until then. A histogram's buckets are moved by it as a whole.
 */
static void correct(struct figures *figures, uint64_t bias)
{
	struct histogram *histogram = session_histogram(session, figures->histogram);
	struct histogram corrected = {{0}};
	double total = (double)figures->total;

	if (!figures->count)
		return;
	figures->squares += (double)bias * ((double)bias * (double)figures->count - 2 * total);
	figures->total -=
		bias * figures->count < figures->total ? bias * figures->count : figures->total;
	figures->minimum -= bias < figures->minimum ? bias : figures->minimum;
	figures->maximum -= bias < figures->maximum ? bias : figures->maximum;
	for (unsigned i = 0; histogram && i < HISTOGRAM_BUCKETS; i++) {
		uint64_t middle = (histogram_bucket_low(i) + histogram_bucket_high(i)) / 2;

		if (histogram->buckets[i])
			corrected.buckets[histogram_bucket(middle > bias ? middle - bias : 0)] +=
				histogram->buckets[i];
	}
	if (histogram)
		*histogram = corrected;
}

static void take_bias_off(struct operation *operation)
{
	uint64_t bias = biases[operation->bias];

	for (int device = 0; device < SESSION_DEVICES; device++) {
		struct row *row = operation->rows[device];

		/* Pairs that hold the host's work have no bias that could be told apart. */
		if (!row || row->host_included)
			continue;
		if (row->checked == 0) {
			row->checked = row->checked_starved = row->starved;
			row->checked_cupti = row->starved_cupti;
			row->checked_raw = row->starved_raw;
		}
		correct(&row->events, bias);
		row->checked_events = row->checked_raw > bias * row->checked
					      ? row->checked_raw - bias * row->checked
					      : 0;
	}
}

void samples_finish(void)
{
	graph_launches_close(UINT64_MAX);
	matcher_expire(matcher, UINT64_MAX);
	for (int kind = 0; kind < BIAS_KINDS; kind++) {
		if (session_header(session)->biases[kind].calls)
			biases[kind] = median_bias(kind);
		session_header(session)->biases[kind].ns = biases[kind];
	}
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		uint64_t lost = atomic_load_explicit(&operation->lost, memory_order_relaxed);
		struct row *row = lost ? row_of(operation, 0) : NULL;

		take_bias_off(operation);
		if (row) {
			row->calls += lost;
			row->untimed[UNTIMED_RING_FULL] += lost;
			session_count(session, COUNTER_operations, lost);
		}
	}
}

int samples_start(struct session *the_session, const struct clock_scale *the_scale)
{
	session = the_session;
	scale = the_scale;
	matcher = matcher_create(unmatched);
	graph_launches_start(take_graph_launch);
	return matcher ? 0 : -ENOMEM;
}
