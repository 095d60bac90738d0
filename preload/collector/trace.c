/* SPDX-License-Identifier: MIT */
#include "preload/collector/trace.h"

#include <string.h>

#include "cupti/cupti.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/nvtx/names.h"
#include "preload/recording/rows.h"
#include "preload/recording/recording.h"

bool trace_wants_memory(void)
{
	return trace_wanted() && trace_window_takes(ROW_KERNEL) &&
	       (trace_window_is_open() || run.settings.trace & TRACE_GPU);
}

static void append(struct trace_record *record, const char *name)
{
	if (!trace_window_takes(record->kind))
		return;
	record->name = session_intern(run.session, name);
	session_trace(run.session, record);
}

/* Records may be in another clock's time, which the program gave CUPTI; the profile has
 * CLOCK_REALTIME only. */
static uint64_t in_realtime(uint64_t time)
{
	return time + (uint64_t)cupti_clock_behind;
}

/* The text of a path; nodes of a graph that follow each other are of one, most times. */
static uint64_t range_text(uint16_t path)
{
	static uint64_t last_text;
	static uint16_t last;
	char text[PATHS_TEXT];

	if (path != last)
		last_text = session_intern(run.session, paths_text(path, text));
	last = path;
	return last_text;
}

static void add_operation(const struct operation *operation, const struct activity *activity,
			  uint16_t made_in)
{
	struct trace_record record = {
		.start = in_realtime(activity->start),
		.end = in_realtime(activity->end),
		.bytes = activity->bytes,
		.device = (int32_t)activity->device,
		.kind = operation->kind,
		.context = activity->context,
		.stream = activity->stream,
		/* Without matching it is not that of a call. */
		.correlation = plan_matches() ? activity->correlation : 0,
		.registers = activity->registers,
		.static_shared = activity->static_shared,
		.dynamic_shared = activity->dynamic_shared,
		.source_kind = activity->source_kind,
		.destination_kind = activity->destination_kind,
		.clock = CLOCK_CUPTI,
		.graph = activity->graph,
		.graph_node = (uint32_t)activity->graph_node,
		.kernel = made_in == PATHS_OUTSIDE ? 0 : range_text(made_in),
	};

	memcpy(record.grid, activity->grid, sizeof(record.grid));
	memcpy(record.block, activity->block, sizeof(record.block));
	append(&record, operation->name);
}

void trace_take(const struct seen *seen)
{
	if (seen->call && seen->call->reported)
		trace_matched(seen->call, seen->activity->correlation);
	if (seen->shown)
		add_operation(seen->operation, seen->activity, seen->made_in);
}

/* Events tell how long an operation took, not when. It started at its call, or at the end of the
 * operation ahead of it in its stream if that is later. */
void trace_timed(const struct in_flight *operation)
{
	uint64_t start = operation->started > operation->stream->traced_until
				 ? operation->started
				 : operation->stream->traced_until;
	struct trace_record record = {
		.start = start,
		.end = start + operation->by_events,
		.bytes = operation->bytes,
		.device = operation->stream->context->device,
		.kind = operation->operation->kind,
		.context = operation->stream->context->id,
		.stream = operation->stream->id,
		.correlation = operation->number,
		.clock = CLOCK_EVENTS,
		/* Taken off at the end, when it is known. */
		.overhead = operation->host_included
				    ? 0
				    : (uint8_t)(1 + operation->operation->overhead),
	};

	operation->stream->traced_until = record.end;
	append(&record, operation->operation->name);
}

static void append_call(unsigned api, const struct operation *operation,
			struct trace_record *record)
{
	enum row_kind kind;
	const char *name = rows_call_name(api, &kind);

	if (!name || !run_wants_calls(kind) || (plan.driver_records && kind == ROW_DRIVER_API))
		return;
	record->kind = kind;
	record->device = -1;
	if (operation && operation->kind == ROW_KERNEL)
		record->kernel = session_intern(run.session, operation->name);
	append(record, name);
}

void trace_call(const struct call_record *call, uint32_t thread, uint32_t correlation)
{
	uint64_t start = clock_realtime_at(&run.scale, call->started);
	struct trace_record record = {
		.start = start,
		.end = start + clock_ticks_to_ns(&run.scale, call->duration),
		.correlation = correlation,
		.thread = thread,
		.result = (call->flags & CALL_FAILED) != 0,
	};

	if (!rows_has_activity(call))
		append_call(call->api, call->operation, &record);
}

void trace_matched(const struct in_flight *call, uint32_t correlation)
{
	struct trace_record record = {
		.start = call->started,
		.end = call->ended,
		.correlation = correlation,
		.thread = call->thread,
	};

	append_call(call->api, call->operation, &record);
}

/* CUPTI gives the low half of pthread_self(), and ktime notes for each buffer whose it is. */
static uint32_t thread_of(const struct activity *activity)
{
	const struct thread *thread = thread_first();

	if (activity->buffer_thread && activity->buffer_thread != ACTIVITY_UNKNOWN_THREAD)
		return activity->buffer_thread;
	while (thread && thread->pthread_id != activity->thread)
		thread = thread->next;
	return thread ? thread->kernel_id : activity->thread;
}

struct range_place trace_place_of(const struct activity *activity)
{
	return ranges_of_record(thread_of(activity), in_realtime(activity->start),
				in_realtime(activity->end));
}

void trace_api_record(const char *name, enum row_kind kind, const struct activity *activity)
{
	struct trace_record record = {
		.start = in_realtime(activity->start),
		.end = in_realtime(activity->end),
		.device = -1,
		.kind = kind,
		.correlation = activity->correlation,
		.thread = thread_of(activity),
		.clock = CLOCK_CUPTI,
		.result = activity->result,
	};

	append(&record, name);
}
