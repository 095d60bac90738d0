/* SPDX-License-Identifier: MIT */
#include "preload/collector/calls.h"

#include <errno.h>

#include "cupti/cupti.h"
#include "preload/events/event_overhead.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/collector/cost.h"
#include "preload/events/event_pool.h"
#include "preload/collector/rows.h"
#include "preload/collector/trace.h"

struct matcher *samples_matcher;
static size_t expected_count;
static uint32_t call_count;

static void release_pair(const struct span *span)
{
	if (span->pair)
		lane_put(span->pair->lane, span->pair);
}

static void compare(const struct timed *timed, struct row *row)
{
	enum bias_kind kind = timed->operation->bias;
	uint64_t corrected = timed->raw > bias_of(kind) ? timed->raw - bias_of(kind) : 0;

	session_count(rows_session, COUNTER_matched, 1);
	/* A first launch may load its module between the two events. */
	if (!timed->overlapped && !timed->first)
		bias_add(kind, timed->starved,
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
	session_add_difference(rows_session, row,
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
	} else if (timed->has_raw && row && !timed->has_cupti && timed->leaves_record &&
		   !timed->host_included) {
		row->unmatched++;
		session_count(rows_session, COUNTER_unmatched_spans, 1);
	}
	timed_free(timed);
}

void samples_timed(struct timed *timed, enum timing_end end)
{
	static const enum untimed_reason reasons[] = {
		[TIMING_LOST] = UNTIMED_CONTEXT_LOST,
		[TIMING_LATE] = UNTIMED_NOT_FINISHED,
		[TIMING_INTERLEAVED] = UNTIMED_INTERLEAVED,
	};
	struct row *row = timed->row;

	if (end == TIMING_READ) {
		session_count(rows_session, COUNTER_timed_by_events, 1);
		if (row) {
			session_add_sample(rows_session, &row->events, timed->raw);
			session_add_estimate(&row->estimate, timed->weight, timed->raw);
			row->host_included += timed->host_included;
		}
		/* With CUPTI by its record, which may have come before the program ended CUPTI. */
		if (!collection_active() && !timed->has_cupti && trace_wanted())
			trace_timed(timed);
	} else if (row) {
		row->untimed[reasons[end]]++;
	}
	settle(timed);
}

/* A call that no record can be told to be of. */
static void unmatched(const struct expected *expected)
{
	struct timed *timed = expected->argument;

	expected_count--;
	if (expected->collected && trace_wanted())
		trace_expected(expected, 0);
	if (timed) {
		timed->awaits_record = false;
		settle(timed);
	}
}

/* Queues a call for the record that CUPTI will make of it. */
static bool expect_record(const struct thread *thread, const struct span *span, struct timed *timed,
			  bool collected)
{
	struct expected expected = {
		.started = clock_realtime_at(rows_scale, span->started),
		.ended = clock_realtime_at(rows_scale, span->started) +
			 clock_ticks_to_ns(rows_scale, span->duration),
		.key = span->operation,
		.bytes = span->bytes,
		.thread = thread->kernel_id,
		.kernel = span->operation->kind == ROW_KERNEL,
		.graph = span->operation->kind == ROW_GRAPH,
		.collected = collected,
		.call = span->api,
		.argument = timed,
	};
	struct match_stream *stream = NULL;

	if (!span->stream->records)
		span->stream->records =
			span->stream->cupti_known
				? matcher_stream(samples_matcher,
						 span->stream->context->cupti_context,
						 span->stream->cupti_stream)
				: matcher_unnumbered(samples_matcher,
						     span->stream->context->cupti_context);
	stream = span->stream->records;
	if (!stream)
		return false;
	if (timed)
		timed->awaits_record = timed->leaves_record = true;
	expected_count++;
	match_expect(stream, &expected);
	return true;
}

static bool is_operation(const struct span *span)
{
	return !(span->flags & (SPAN_FAILED | SPAN_CALL_ONLY | SPAN_CAPTURED)) && span->operation &&
	       span->stream;
}

/* How many calls one stands for that had this chance of a pair. */
static double weight_of(uint32_t sampled_below)
{
	/* 0: the chance was taken from it just after the draw. */
	return sampled_below ? (double)SAMPLE_ALL / sampled_below : 1;
}

void samples_span(const struct thread *thread, const struct span *span)
{
	struct timed *timed = NULL;
	bool awaited = false;
	struct row *row;

	call_count++;
	if (!(span->flags & SPAN_PAUSED))
		rows_count_call(span);
	if (is_operation(span) &&
	    (span->flags & SPAN_PAUSED || !control_wants_device(span->stream->context->device))) {
		/* Its record comes all the same, and must not be taken for another call's. */
		release_pair(span);
		if (collection_active() && !(span->flags & SPAN_NO_RECORD))
			expect_record(thread, span, NULL, false);
		if (!(span->flags & SPAN_PAUSED) && trace_wanted())
			trace_call(span, thread->kernel_id, call_count);
		return;
	}
	if (span->flags & SPAN_PAUSED)
		return;
	if (!is_operation(span)) {
		session_count(rows_session, COUNTER_failed_calls, (span->flags & SPAN_FAILED) != 0);
		session_count(rows_session, COUNTER_captured_calls,
			      (span->flags & SPAN_CAPTURED) != 0);
		release_pair(span);
		if (trace_wanted())
			trace_call(span, thread->kernel_id, call_count);
		return;
	}
	session_count(rows_session, COUNTER_operations, 1);
	span->operation->calls++;
	span->operation->window_calls++;
	row = rows_of(span->operation, span->stream->context->device);
	if (row) {
		row->calls++;
		if (span->operation->kind != ROW_KERNEL && span->operation->kind != ROW_GRAPH)
			session_add_bytes(row, span->bytes);
	}
	if (span->pair) {
		session_count(rows_session, COUNTER_event_pairs, 1);
		span->operation->pairs++;
		cost_of_pair(rows_session);
		timed = timed_new();
		if (timed) {
			timed->pair = span->pair;
			timed->operation = span->operation;
			timed->stream = span->stream;
			timed->bytes = span->bytes;
			timed->started = clock_realtime_at(rows_scale, span->started);
			timed->correlation = call_count;
			timed->row = row;
			timed->host_included = span->flags & SPAN_HOST_INCLUDED;
			timed->first = span->flags & SPAN_FIRST;
			timed->weight = weight_of(span->pair->sampled_below);
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
		awaited = expect_record(thread, span, timed, true);
	if (trace_wanted() && !awaited)
		trace_call(span, thread->kernel_id, call_count);
}

static void add_counted(struct operation *operation, uint64_t calls)
{
	struct row *row = rows_of(operation, 0);

	session_count(rows_session, COUNTER_operations, calls);
	operation->calls += calls;
	operation->window_calls += calls;
	if (!row)
		return;
	row->calls += calls;
	row->untimed[control_events ? UNTIMED_SAMPLED_OUT : UNTIMED_EVENTS_OFF] += calls;
}

void samples_counts(struct thread *thread)
{
	uint64_t now, *seen;

	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		if (operation->index >= COUNTED_OPERATIONS)
			continue;
		seen = &thread->operation_calls_seen[operation->index];
		now = atomic_load_explicit(&thread->operation_calls[operation->index],
					   memory_order_relaxed);
		if (now != *seen)
			add_counted(operation, now - *seen);
		*seen = now;
	}
	for (unsigned api = 0; api < API_COUNT; api++) {
		seen = &thread->api_calls_seen[api];
		now = atomic_load_explicit(&thread->api_calls[api], memory_order_relaxed);
		if (now != *seen)
			rows_add_calls(api, now - *seen);
		*seen = now;
	}
}

void samples_matched(const struct expected *expected, uint32_t correlation)
{
	expected_count--;
	if (expected->collected && trace_wanted())
		trace_expected(expected, correlation);
}

void samples_recorded(const struct expected *expected, uint64_t nanoseconds, bool overlapped,
		      bool starved)
{
	struct timed *timed = expected->argument;

	if (!timed)
		return;
	/* Which of two calls at the same time the record is of is not known. */
	timed->has_cupti = !expected->ambiguous;
	timed->cupti = nanoseconds;
	timed->awaits_record = false;
	timed->overlapped = overlapped;
	timed->starved = starved;
	settle(timed);
}

void samples_lost_records(void)
{
	matcher_expire(samples_matcher, UINT64_MAX);
}

size_t samples_expected(void)
{
	return expected_count;
}

/* CUPTI has no record of such a copy as one (driver 580, with nsys too). */
static void say_what_was_staged(void)
{
	struct operation *copies = operation_fixed(OPERATION_COPY_PTOP);
	uint64_t staged = 0;

	for (int device = 0; device < SESSION_DEVICES; device++)
		if (copies->rows[device])
			staged += copies->rows[device]->calls - copies->rows[device]->cupti.count;
	/* Where records were dropped, some of such copies may be among them. */
	if (staged > 0 && staged <= copies->calls &&
	    session_header(rows_session)->counters[COUNTER_cupti_dropped] == 0)
		session_note(rows_session,
			     "Copies between devices without peer access: CUPTI records their two "
			     "halves, by way of the host; the row PtoP has the whole, by events.");
}

void samples_finish(void)
{
	matcher_expire(samples_matcher, UINT64_MAX);
	bias_store();
	session_take_biases_off(rows_session);
	rows_finish();
	if (collection_active())
		say_what_was_staged();
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		uint64_t lost = atomic_load_explicit(&operation->lost, memory_order_relaxed);
		struct row *row = lost ? rows_of(operation, 0) : NULL;

		if (row) {
			row->calls += lost;
			row->untimed[UNTIMED_RING_FULL] += lost;
			session_count(rows_session, COUNTER_operations, lost);
		}
	}
}

int samples_start(void)
{
	samples_matcher = matcher_create(unmatched);
	bias_store();
	return samples_matcher ? 0 : -ENOMEM;
}
