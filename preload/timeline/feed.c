/* SPDX-License-Identifier: MIT */
#include "preload/timeline/feed.h"

#include <string.h>

#include "cupti/cupti.h"
#include "preload/driver/api.h"
#include "preload/timeline/host_calls.h"
#include "preload/timeline/timeline.h"

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

uint32_t feed_call(struct thread *thread, const struct call_record *record,
		   const struct clock_scale *scale)
{
	uint64_t begin = clock_realtime_at(scale, record->started);
	uint64_t duration = clock_ticks_to_ns(scale, record->duration);
	uint32_t number = host_calls_add(&(struct host_call){
		.begin = begin,
		.end = begin + duration,
		.previous = thread->last_call,
		.thread = thread->kernel_id,
		.api = record->api,
		.flags = flags_of(record, duration),
	});

	if (number)
		thread->last_call = number;
	return number;
}

void feed_operation(const struct activity *activity, const struct row *row,
		    const struct in_flight *call)
{
	timeline_add(&(struct timeline_operation){
		.start = activity->start,
		.end = activity->end,
		.device = activity->device,
		.context = activity->context,
		.graph_launch = activity->graph_node ? activity->correlation : 0,
		.call = call ? call->host_call : 0,
		.name = row ? row->name : 0,
		.copy = activity->kind != ACTIVITY_KERNEL && activity->kind != ACTIVITY_GRAPH,
	});
}
