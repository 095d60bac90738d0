/* SPDX-License-Identifier: MIT */
#include "preload/first_sight.h"

#include <errno.h>
#include <stdlib.h>

#include "cupti/collection.h"
#include "preload/call.h"
#include "preload/collector.h"
#include "preload/control.h"
#include "preload/graph.h"

/*
 * Pairs that a thread makes for itself at its first launch into a context, at 0.8 us each; the
 * collector adds. They have to last until it does. Beside CUPTI, where an event made while 16
 * threads launch takes each of them some 0.5 ms (H200), all threads together make so many.
 */
#define FIRST_PAIRS		 512
#define FIRST_PAIRS_BESIDE_CUPTI 64
#define LEAST_PAIRS_BESIDE_CUPTI 4

struct thread *first_sight_thread(void)
{
	int saved_errno = errno;
	struct thread *thread = NULL;

	if (atomic_load_explicit(&control_state, memory_order_relaxed) == CONTROL_IDLE)
		control_start();
	if (control_running()) {
		control_work_seen();
		thread = thread_enter();
	}
	errno = saved_errno;
	return thread;
}

struct stream *first_sight_stream(struct thread *thread, CUstream handle)
{
	uint32_t generation = atomic_load_explicit(&stream_generation, memory_order_acquire);
	CUcontext current;
	uintptr_t key = first_sight_key(handle, &current);
	struct stream *stream = key ? stream_lookup(handle, current) : NULL;

	if (!stream)
		return NULL;
	if (control_stream_ids && !stream->cupti_known &&
	    atomic_load_explicit(&live_captures, memory_order_relaxed) == 0)
		stream->cupti_known =
			(stream->context->cupti_context ||
			 collection_context_id(stream->context->handle,
					       &stream->context->cupti_context) == 0) &&
			collection_stream_id(stream->context->handle, stream->handle,
					     handle == CU_STREAM_PER_THREAD,
					     &stream->cupti_stream) == 0;
	pointer_map_add(&thread->streams, key, stream, generation);
	return stream;
}

struct operation *first_sight_operation(struct thread *thread, CUfunction function,
					CUgraphExec graph)
{
	uint32_t generation = atomic_load_explicit(&operation_generation, memory_order_acquire);
	struct operation *operation;

	if (function) {
		operation = operation_of_kernel(function);
		pointer_map_add(&thread->kernels, (uintptr_t)function, operation, generation);
	} else {
		operation = graph_operation(graph);
		pointer_map_add(&thread->graphs, (uintptr_t)graph, operation, generation);
	}
	return operation;
}

static unsigned first_pairs(void)
{
	unsigned lanes = 1;

	if (control_sharing)
		return LANE_PAIRS;
	if (!control_stream_ids)
		return FIRST_PAIRS;
	for (const struct lane *lane = collector_lanes(); lane; lane = lane->all_next)
		lanes++;
	return lanes < FIRST_PAIRS_BESIDE_CUPTI / LEAST_PAIRS_BESIDE_CUPTI
		       ? FIRST_PAIRS_BESIDE_CUPTI / lanes
		       : LEAST_PAIRS_BESIDE_CUPTI;
}

/* A lane that an ended thread left, or NULL. */
static struct lane *idle_lane(const struct context *context)
{
	struct lane *lane;
	bool idle;

	for (lane = collector_lanes(); lane; lane = lane->all_next) {
		idle = true;
		/* Acquire: the lane as its thread left it. */
		if (lane->context == context &&
		    atomic_compare_exchange_strong_explicit(
			    &lane->idle, &idle, false, memory_order_acquire, memory_order_relaxed))
			break;
	}
	return lane;
}

struct lane *first_sight_context(struct thread *thread, struct context *context)
{
	struct lane *lane = idle_lane(context);
	CUcontext popped;

	if (lane)
		goto out;
	lane = aligned_alloc(64, sizeof(*lane));
	if (!lane)
		return NULL;
	*lane = (struct lane){.context = context};
	if (driver.cuCtxPushCurrent_v2(context->handle) == CUDA_SUCCESS) {
		for (unsigned i = 0; i < first_pairs(); i++) {
			struct event_pair *pair = event_pair_create(lane);

			if (pair)
				lane_put(lane, pair);
		}
		driver.cuCtxPopCurrent_v2(&popped);
	}
	collector_add_lane(lane);
out:
	lane->next = thread->lanes;
	thread->lanes = lane;
	return lane;
}
