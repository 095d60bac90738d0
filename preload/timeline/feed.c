/* SPDX-License-Identifier: MIT */
#include "preload/timeline/feed.h"

#include <string.h>

#include "cupti/cupti.h"
#include "preload/base/mode.h"
#include "preload/driver/entries.h"
#include "preload/timeline/timeline.h"

static struct session *session;

void feed_start(struct session *the_session)
{
	session = the_session;
	timeline_start(session);
}

/* Whether a copy's function waits for it: by the name, as CUDA has it. A copy on the device does
 * not make the host wait, whatever it is called. */
static bool waits_for_copy(const struct call_record *record)
{
	static const enum fixed_operation to_host[] = {OPERATION_COPY_HTOD, OPERATION_COPY_DTOH,
						       OPERATION_COPY_HTOA, OPERATION_COPY_ATOH};
	bool of_runtime, host = false;
	const char *name = api_name(record->api, &of_runtime);

	for (unsigned i = 0; i < sizeof(to_host) / sizeof(to_host[0]); i++)
		host = host || record->operation == operation_fixed(to_host[i]);
	return host && name && !strstr(name, "Async");
}

/* A launch takes some microseconds; one that loads its module 0.1 ms and more. Chosen. */
#define LOADING_NS 50000u

/* `duration` in nanoseconds. */
static uint8_t flags_of(const struct call_record *record, uint64_t duration)
{
	uint8_t flags = 0;

	if (api_host_call(record->api) == HOST_CALL_WAIT)
		return HOST_CALL_WAITED;
	if (!record->operation || record->flags & (CALL_API_ONLY | CALL_CAPTURED | CALL_FAILED))
		return 0;
	flags = HOST_CALL_WORK;
	/* It may be the first launch of the thread alone. */
	if (record->flags & CALL_FIRST && duration >= LOADING_NS)
		flags |= HOST_CALL_FIRST;
	if (waits_for_copy(record))
		flags |= HOST_CALL_WAITED;
	return flags;
}

/* What findings are made of. */
static void add_to_totals(const struct call_record *record, uint8_t flags, uint64_t duration)
{
	struct call_totals *totals = &session_header(session)->totals;

	switch (api_host_call(record->api)) {
	case HOST_CALL_WAIT:
		totals->waiting_calls++;
		totals->waiting_ns += duration;
		break;
	case HOST_CALL_MEMORY:
		totals->memory_calls++;
		totals->memory_ns += duration;
		break;
	default:
		if (flags & HOST_CALL_WAITED) {
			totals->synchronous_calls++;
			totals->synchronous_ns += duration;
		}
	}
}

void feed_call(struct thread *thread, const struct call_record *record,
	       const struct clock_scale *scale)
{
	uint64_t begin = clock_realtime_at(scale, record->started);
	uint64_t duration = clock_ticks_to_ns(scale, record->duration);
	uint8_t flags = flags_of(record, duration);
	uint32_t number;

	if (!(record->flags & (CALL_FAILED | CALL_OUTSIDE_WINDOW)))
		add_to_totals(record, flags, duration);
	if (!mode_is_cupti())
		return;
	number = host_calls_add(&(struct host_call){
		.begin = begin,
		.end = begin + duration,
		.previous = thread->last_call,
		.thread = thread->kernel_id,
		.api = record->api,
		.flags = flags,
	});
	if (number)
		thread->last_call = number;
}

/* Whether a function set memory that the host may touch itself, and so waited: CUDA does for pinned
 * and for managed memory, unless the function is asynchronous. */
static bool is_waiting_memset(const struct activity *activity, const struct in_flight *call)
{
	bool of_runtime;
	const char *name = call ? api_name(call->api, &of_runtime) : NULL;

	return activity->kind == ACTIVITY_MEMSET && !activity->graph_node && name &&
	       !strstr(name, "Async") &&
	       (activity->destination_kind == MEMORY_PINNED ||
		activity->destination_kind == MEMORY_MANAGED);
}

/* Only the record tells, so its call is one that waited from now on. */
static void add_waiting_memset(struct call_totals *totals, uint32_t number)
{
	const struct host_call *call = host_calls_get(number);

	if (!call)
		return;
	host_calls_note_wait(number);
	totals->synchronous_calls++;
	totals->synchronous_ns += call->end - call->begin;
}

/* Whether an asynchronous function copied pageable memory, which makes it wait all the same. */
static bool is_pageable(const struct activity *activity, const struct in_flight *call)
{
	bool of_runtime;
	const char *name = call ? api_name(call->api, &of_runtime) : NULL;

	return activity->kind == ACTIVITY_MEMCPY && name && strstr(name, "Async") &&
	       (activity->source_kind == MEMORY_PAGEABLE ||
		activity->destination_kind == MEMORY_PAGEABLE);
}

void feed_operation(const struct activity *activity, const struct row *row,
		    const struct in_flight *call, bool clock_trusted)
{
	struct call_totals *totals = &session_header(session)->totals;

	if (is_pageable(activity, call)) {
		totals->pageable_calls++;
		totals->pageable_ns += activity->end - activity->start;
	}
	if (is_waiting_memset(activity, call))
		add_waiting_memset(totals, call->host_call);
	timeline_add(&(struct timeline_operation){
		.start = activity->start,
		.end = activity->end,
		.device = activity->device,
		.context = activity->context,
		.graph_launch = activity->graph_node ? activity->correlation : 0,
		.call = call && clock_trusted ? call->host_call : 0,
		.name = row ? row->name : 0,
		.copy = activity->kind != ACTIVITY_KERNEL && activity->kind != ACTIVITY_GRAPH,
	});
}
