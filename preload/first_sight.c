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
 * collector adds. They have to last until it does.
 */
#define FIRST_PAIRS		 512
#define FIRST_PAIRS_BESIDE_CUPTI 64

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
	if (control_sharing)
		return LANE_PAIRS;
	return control_stream_ids ? FIRST_PAIRS_BESIDE_CUPTI : FIRST_PAIRS;
}

struct lane *first_sight_context(struct thread *thread, struct context *context)
{
	struct lane *lane = aligned_alloc(64, sizeof(*lane));
	CUcontext popped;

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
	lane->next = thread->lanes;
	thread->lanes = lane;
	collector_add_lane(lane);
	return lane;
}
