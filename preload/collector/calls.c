/* SPDX-License-Identifier: MIT */
#include "preload/collector/records.h"

#include <stdlib.h>

#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/collector/cost.h"
#include "preload/recording/rows.h"
#include "preload/collector/trace.h"
#include "preload/events/calibration.h"
#include "preload/events/event_pool.h"
#include "preload/events/in_flight.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"
#include "report/session/estimate.h"

static uint32_t call_count;
bool calls_given_up;

/* The operations in flight: how many were made, and those that are free again. */
static struct {
	struct in_flight *spare;
	size_t made;
} operations;

/* All zero; NULL if memory is out. */
static struct in_flight *new_in_flight(void)
{
	struct in_flight *operation = operations.spare;

	if (operation)
		operations.spare = operation->next;
	else if ((operation = malloc(sizeof(*operation))))
		operations.made++;
	if (operation)
		*operation = (struct in_flight){0};
	return operation;
}

size_t calls_memory(void)
{
	return operations.made * sizeof(struct in_flight);
}

static void release_pair(const struct call_record *record)
{
	if (record->pair)
		event_pool_put(record->pair->pool, record->pair);
}

static void compare(const struct in_flight *operation, struct row *row)
{
	run_count(COUNTER_matched, 1);
	/* A first launch may load its module between the two events. */
	if ((operation->device_idle && !operation->gated) || operation->first ||
	    operation->holds_more) {
		row->waited++;
		return;
	}
	row->checked++;
	row->checked_cupti += operation->by_cupti;
	row->checked_raw += operation->by_events;
	row->checked_overlapped += operation->overlapped;
	/* The overhead is taken off at the end. */
	session_add_difference(run.session, row,
			       operation->by_events > operation->by_cupti
				       ? operation->by_events - operation->by_cupti
				       : 0);
}

/* Compares the two clocks and frees the operation, once both the event time and the CUPTI record
 * have arrived or been given up. */
static void settle(struct in_flight *operation)
{
	struct row *row = operation->row;

	if (operation->awaits_events || operation->awaits_record)
		return;
	if (operation->has_events && row && !operation->host_included) {
		if (operation->has_cupti) {
			compare(operation, row);
		} else if (operation->leaves_record) {
			row->unmatched++;
			run_count(COUNTER_unmatched_pairs, 1);
		}
	}
	operation->next = operations.spare;
	operations.spare = operation;
}

void calls_timed(struct in_flight *operation, enum event_end end)
{
	struct row *row = operation->row;

	if (end == EVENT_READ) {
		window_check_passed(operation);
		run_count(COUNTER_timed_by_events, 1);
		run_count(COUNTER_gated_pairs, operation->gated);
		if (row) {
			if (rows_add_event_time(row, operation))
				ranges_forget_first(&operation->operation->first_ranges, row);
			if (operation->operation->first_alone)
				operation->operation->first_ranges = operation->ranges;
			row->host_included += operation->host_included;
			row->gated += operation->gated;
			row->may_wait += operation->may_wait || operation->holds_more;
			row->beside += other_streams_beside(operation);
		}
		/* If CUPTI recorded the operation before the program ended CUPTI, it is in the
		 * trace already. */
		if (!plan_is_cupti() && !operation->has_cupti) {
			if (trace_wanted())
				trace_timed(operation);
			if (row)
				ranges_add(&operation->ranges, row, operation->by_events,
					   operation->weight, CLOCK_EVENTS);
		}
	} else if (row) {
		row->untimed[end == EVENT_LOST ? UNTIMED_CONTEXT_LOST : UNTIMED_NOT_FINISHED]++;
	}
	settle(operation);
}

void calls_unmatched(struct in_flight *operation)
{
	calls_given_up = true;
	if (operation->reported && trace_wanted())
		trace_matched(operation, 0);
	if (operation->reported && operation->row)
		ranges_add_untimed(&operation->ranges, operation->row);
	operation->awaits_record = false;
	settle(operation);
}

/* Queues an operation until CUPTI's activity record of it arrives, if they are matched. */
static void expect_record(struct in_flight *operation)
{
	struct stream *stream = operation->stream;

	if (!stream->records) {
		/* Acquire: with both ids. */
		bool known = load_acquire(&stream->cupti_known);

		stream->records =
			known ? matcher_stream(stream->context->cupti_context, stream->cupti_stream)
			      : matcher_unnumbered(stream->context->cupti_context);
	}
	recording_call(operation);
	if (!plan_matches() && operation->reported && operation->row)
		ranges_add_untimed(&operation->ranges, operation->row);
	if (!stream->records || !plan_matches())
		return;
	operation->awaits_record = operation->leaves_record = true;
	match_expect(stream->records, operation);
}

static bool leaves_record(const struct call_record *record)
{
	return plan_is_cupti() && !(record->flags & CALL_NO_ACTIVITY) &&
	       record->started >= plan.cupti_since;
}

/* How many calls a sampled one stands for, by the threshold of its random draw. */
static double weight_of(uint32_t sampled_below)
{
	/* 0: the collector set the threshold to 0 just after the draw. */
	return sampled_below ? (double)SAMPLE_ALL / sampled_below : 1;
}

/* A call that was drawn and has no pair stands for as many calls as one that has. By the present
 * threshold, at most some windows younger than the draw's. */
static double weight_without_pair(const struct call_record *record)
{
	const struct operation *operation = record->operation;
	uint32_t below = load_relaxed(&operation->sample_below);
	/* With CUPTI, what keeps a call from being timed is asked before the draw. */
	bool certain = plan_is_cupti() && record->untimed != UNTIMED_NO_EVENT;
	bool thinned = record->untimed == UNTIMED_NO_EVENT && !run_wants_every_pair();
	uint32_t chance = certain ? SAMPLE_ALL : below;

	return weight_of(thinned && chance > POOL_LEAST_CHANCE ? POOL_LEAST_CHANCE : chance);
}

static uint32_t counts_taken = 1; /* changes when the counts of a thread are taken */

/* How often all threads have launched an operation count-only since their counts were last taken.
 * Asked once for all pairs of a drain. */
static double untaken_calls(struct operation *operation)
{
	uint32_t index = operation->index;

	if (operation->untaken_since == counts_taken)
		return (double)operation->untaken_calls;
	operation->untaken_since = counts_taken;
	operation->untaken_calls = 0;
	for (struct thread *thread = thread_first(); thread; thread = thread->next)
		operation->untaken_calls += load_relaxed(&thread->operation_calls[index]) -
					    thread->operation_calls_seen[index];
	return (double)operation->untaken_calls;
}

/*
 * The number of calls of its operation that were made before a call with a pair and are in no row
 * yet; negative if the row already has later calls, as counts are taken after records. The calls of
 * its own thread are known; those of other threads are assumed to be in proportion.
 */
static double calls_before(const struct thread *thread, const struct call_record *record)
{
	uint32_t index = record->operation->index;
	double before, now, all;

	if (!record->pair->pool->thins || index >= COUNTED_OPERATIONS)
		return 0;
	before = (double)record->pair->counted - (double)thread->operation_calls_seen[index];
	if (before <= 0)
		return before;
	now = (double)(load_relaxed(&thread->operation_calls[index]) -
		       thread->operation_calls_seen[index]);
	all = untaken_calls(record->operation) / now;
	return before * (all > 1 ? all : 1);
}

/* Adds a call to its row's estimate: a call of a known size always, others if they were drawn.
 * Returns its place there. */
static uint64_t place_of(struct row *row, const struct thread *thread,
			 const struct call_record *record)
{
	double calls = (double)row->calls;
	enum row_kind kind = record->operation->kind;

	if (kind == ROW_MEMCPY || kind == ROW_MEMSET || kind == ROW_MOVEMENT)
		return estimate_sized_call(&row->estimate, record->bytes);
	if (!record->pair && record->untimed == UNTIMED_SAMPLED_OUT)
		return 0;
	if (record->pair)
		return estimate_call_at(&row->estimate, calls + calls_before(thread, record),
					weight_of(record->pair->sampled_below));
	return estimate_call_at(&row->estimate, calls, weight_without_pair(record));
}

static struct in_flight *in_flight_of(const struct thread *thread, const struct call_record *record,
				      const struct range_place *place, bool reported)
{
	struct in_flight *operation = new_in_flight();

	if (!operation)
		return NULL;
	operation->operation = record->operation;
	operation->stream = record->stream;
	operation->bytes = record->bytes;
	operation->ranges = *place;
	operation->started = clock_realtime_at(&run.scale, record->started);
	operation->ended = operation->started + clock_ticks_to_ns(&run.scale, record->duration);
	operation->thread = thread->kernel_id;
	operation->number = call_count;
	operation->host_call = thread->last_call;
	operation->api = record->api;
	operation->reported = reported;
	operation->first = record->flags & CALL_FIRST;
	operation->host_included = record->flags & CALL_HOST_INCLUDED;
	in_flight_follow(operation);
	return operation;
}

/* Counts calls of an operation on a device: its row there, or NULL. */
static struct row *count_calls(struct operation *operation, int device, uint64_t calls)
{
	struct row *row = rows_of(operation, device);

	run_count(COUNTER_operations, calls);
	operation->calls += calls;
	operation->window_calls += calls;
	if (row)
		row->calls += calls;
	return row;
}

static struct row *count_operation(const struct call_record *record)
{
	enum row_kind kind = record->operation->kind;
	struct row *row = count_calls(record->operation, record->stream->context->device, 1);

	if (row && kind != ROW_KERNEL && kind != ROW_GRAPH)
		session_add_bytes(row, record->bytes);
	return row;
}

/* Queues the operation until its event pair can be read; false if it has none or memory is out. */
static bool await_events(const struct call_record *record, struct in_flight *operation)
{
	if (!record->pair)
		return false;
	run_count(COUNTER_event_pairs, 1);
	record->operation->pairs++;
	cost_of_pair();
	if (operation) {
		operation->pair = record->pair;
		operation->weight = weight_of(record->pair->sampled_below);
		operation->gated = record->pair->gated;
		/* Calls that were only counted are known to the thread alone. */
		if (record->pair->pool->thins && record->pair->follows)
			operation->holds_more = record->pair->follows_other;
		/* By the last `busy_until` that the collector had set before the call. */
		operation->may_wait = !operation->gated &&
				      record->started >= load_relaxed(&record->stream->busy_until);
		operation->queued = operation->gated ? record->pair->queued : !operation->may_wait;
		if (event_queue_add(operation))
			return true;
		operation->pair = NULL;
	}
	release_pair(record);
	return false;
}

/* Takes an operation. One that is not reported is queued all the same if CUPTI records it, so that
 * its record is not matched with another call. */
static void take_operation(const struct thread *thread, const struct call_record *record,
			   const struct range_place *place, bool reported)
{
	struct in_flight *operation = in_flight_of(thread, record, place, reported);
	struct row *row = NULL;

	if (operation)
		other_streams_call(operation->stream, operation->started,
				   record->flags & CALL_STANDS_FOR_MORE ? RECORDED_CALLS : 1);
	if (reported) {
		uint64_t in_row;

		row = count_operation(record);
		in_row = row ? place_of(row, thread, record) : 0;
		if (operation) {
			operation->row = row;
			operation->place = in_row;
		}
		if (!await_events(record, operation) && row)
			row->untimed[record->pair ? UNTIMED_NO_EVENT : record->untimed]++;
	} else {
		release_pair(record);
	}
	if (operation && leaves_record(record))
		expect_record(operation);
	/* One that waits for its record is traced with that one's correlation id. */
	if (trace_wanted() && !(record->flags & CALL_OUTSIDE_WINDOW) && place->included &&
	    !(reported && operation && operation->leaves_record))
		trace_call(record, thread->kernel_id, call_count);
	if (operation)
		settle(operation);
}

void calls_take(const struct thread *thread, const struct call_record *record)
{
	struct range_place place = ranges_at(thread->kernel_id, record->started);
	bool in_window = !(record->flags & CALL_OUTSIDE_WINDOW) && place.included;

	call_count++;
	if (in_window)
		rows_count_call(record, &place);
	if (call_is_operation(record)) {
		if (!in_window && run_wants_device(record->stream->context->device))
			rows_add_outside(record->operation, record->stream->context->device, 1);
		take_operation(thread, record, &place,
			       in_window && run_wants_device(record->stream->context->device));
		return;
	}
	release_pair(record);
	if (!in_window)
		return;
	run_count(COUNTER_failed_calls, (record->flags & CALL_FAILED) != 0);
	run_count(COUNTER_captured_calls, (record->flags & CALL_CAPTURED) != 0);
	if (trace_wanted())
		trace_call(record, thread->kernel_id, call_count);
}

static void add_counted(struct operation *operation, unsigned api, uint64_t calls)
{
	struct row *row;

	if (calls == 0)
		return;
	row = count_calls(operation, context_first_device, calls);
	rows_add_calls(api, calls);
	if (row)
		row->untimed[launch_state.events ? UNTIMED_SAMPLED_OUT : UNTIMED_EVENTS_OFF] +=
			calls;
}

/* Adds the sizes of a thread's count-only calls of an operation since the last time. */
static void add_sizes(struct operation *operation, struct thread *thread)
{
	struct counted_sizes *sizes = &thread->sizes[operation->index];
	struct seen_sizes *seen = &thread->sizes_seen[operation->index];
	/* Acquire: with the rest. */
	uint64_t bytes = load_acquire(&sizes->bytes);
	double squares = load_relaxed(&sizes->squares);
	struct row *row = bytes != seen->bytes ? rows_of(operation, context_first_device) : NULL;

	if (!row)
		return;
	session_add_byte_sums(row, bytes - seen->bytes, squares - seen->squares,
			      load_relaxed(&sizes->minimum), load_relaxed(&sizes->maximum));
	seen->bytes = bytes;
	seen->squares = squares;
	for (unsigned i = 0; i < ESTIMATE_STRATA; i++)
		estimate_sized_calls(&row->estimate, i,
				     thread_growth_of(&sizes->calls[i], &seen->calls[i]));
}

/* How much one of a thread's count-only counters has grown since the last call. */
static uint64_t growth_of(struct thread *thread, uint32_t counter)
{
	uint64_t growth = thread_growth_of(&thread->operation_calls[counter],
					   &thread->operation_calls_seen[counter]);

	thread->has_launched |= growth > 0;
	return growth;
}

void calls_take_counts(struct thread *thread)
{
	counts_taken++;
	operations_for_each (operation) {
		uint32_t index = operation->index;
		uint16_t row;

		if (index >= COUNTED_OPERATIONS)
			continue;
		row = load_relaxed(&thread->operation_rows[index]);
		/* The row may be seen after the first count. */
		if (row) {
			add_counted(operation, row - 1u, growth_of(thread, index));
			if (index < SIZED_OPERATIONS)
				add_sizes(operation, thread);
		}
		rows_add_outside(operation, context_first_device,
				 growth_of(thread, index + COUNTED_OPERATIONS));
	}
	for (unsigned api = 0; api < API_COUNT; api++)
		rows_add_calls(api, thread_growth_of(&thread->api_calls[api],
						     &thread->api_calls_seen[api]));
}

void calls_take_record(const struct seen *seen)
{
	struct in_flight *call = seen->call;

	if (!call)
		return;
	/* If ambiguous, the record may be another call's. */
	call->has_cupti = seen->reported && !call->ambiguous;
	call->by_cupti = seen->nanoseconds;
	call->awaits_record = false;
	/* A graph's event pair does not tell what ran at the same time as the graph. */
	if (call->operation->kind != ROW_GRAPH) {
		call->overlapped = seen->before.overlapped;
		call->device_idle = matcher_trusts_clock && seen->before.stream_end < call->started;
	}
	settle(call);
}

void calls_finish(void)
{
	matcher_give_up();
	calibration_note();
	/* What ranges hold is fitted to their rows' number of calls. */
	rows_take_lost();
	session_subtract_overheads(run.session);
	rows_finish();
}
