/* SPDX-License-Identifier: MIT */
#include "preload/launch/event_record.h"

#include "preload/launch/cold_path.h"
#include "preload/launch/describe.h"

static struct event_pair *take_pair(struct thread *thread, struct context *context)
{
	struct event_pool *pool = thread->last_pool;

	if (!pool || pool->context != context)
		pool = cold_path_pool(thread, context);
	return pool ? event_pool_take(pool) : NULL;
}

/* The threshold that the call's random number was compared with, moments ago. */
static inline uint32_t chance_of(const struct operation *operation)
{
	return operation ? atomic_load_explicit(&operation->sample_below, memory_order_relaxed)
			 : SAMPLE_ALL;
}

void event_record_failed(struct thread *thread, struct call *call)
{
	driver_failed();
	thread->last_pool->spare = call->record.pair;
	call->record.pair = NULL;
	call->record.untimed = UNTIMED_RECORD_FAILED;
}

LAUNCH_PATH void event_record_start(struct thread *thread, struct call *call)
{
	struct call_record *record = &call->record;

	record->pair = take_pair(thread, record->stream->context);
	if (!record->pair) {
		record->untimed = UNTIMED_NO_EVENT;
		return;
	}
	record->pair->sampled_below = chance_of(record->operation);
	if (call->host && (call->synchronous || describe_is_pageable(call->host)))
		record->flags |= CALL_HOST_INCLUDED;
	if (driver.cuEventRecord(record->pair->start, record->stream->handle) != CUDA_SUCCESS)
		event_record_failed(thread, call);
}
