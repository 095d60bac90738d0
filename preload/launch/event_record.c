/* SPDX-License-Identifier: MIT */
#include "preload/launch/event_record.h"

#include "preload/launch/cold_path.h"
#include "preload/launch/describe.h"

/* The threshold that the call's random number was compared with, moments ago. */
static inline uint32_t chance_of(const struct operation *operation)
{
	return operation ? atomic_load_explicit(&operation->sample_below, memory_order_relaxed)
			 : SAMPLE_ALL;
}

/* Takes a pair for a call, unless the pool gets empty and the draw is against it. */
static struct event_pair *take_pair(struct thread *thread, struct call_record *record)
{
	struct event_pool *pool = thread->last_pool;
	struct event_pair *pair;
	uint32_t chance = chance_of(record->operation);

	if (!pool || pool->context != record->stream->context) {
		pool = cold_path_pool(thread, record->stream->context);
		if (!pool)
			return NULL;
	}
	if (pool->thins && record->operation) {
		uint32_t thinning = event_pool_thinning(pool, record->operation->index);

		if (thread_random(thread) & ((1u << thinning) - 1)) {
			record->untimed = UNTIMED_SAMPLED_OUT;
			return NULL;
		}
		chance >>= thinning;
	}
	pair = event_pool_take(pool);
	if (pair)
		pair->sampled_below = chance;
	return pair;
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

	record->pair = take_pair(thread, record);
	if (!record->pair)
		return;
	if (call->host && (call->synchronous || describe_is_pageable(call->host)))
		record->flags |= CALL_HOST_INCLUDED;
	if (driver.cuEventRecord(record->pair->start, record->stream->handle) != CUDA_SUCCESS)
		event_record_failed(thread, call);
}
