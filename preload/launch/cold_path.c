/* SPDX-License-Identifier: MIT */
#include "preload/launch/cold_path.h"

#include <errno.h>
#include <stdlib.h>

#include "cupti/cupti.h"
#include "preload/launch/call.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/handles/graph.h"
#include "preload/events/event_pool.h"

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

/* Its time counts, and as that of this one call. */
static void note_first_sight(struct thread *thread)
{
	thread->first_sight = true;
	thread->own_left = 0;
}

/* The thread's own default stream of a context: the driver has no handle for it. */
static struct stream *own_default_stream(struct thread *thread, CUcontext current)
{
	struct stream *stream = thread->default_streams;

	while (stream && (stream->context->handle != current ||
			  atomic_load_explicit(&stream->context->ended, memory_order_acquire)))
		stream = stream->next;
	if (!stream) {
		stream = stream_lookup(CU_STREAM_PER_THREAD, current);
		if (stream) {
			stream->next = thread->default_streams;
			thread->default_streams = stream;
		}
	}
	return stream;
}

struct stream *first_sight_stream(struct thread *thread, CUstream handle)
{
	uint32_t generation = atomic_load_explicit(&stream_generation, memory_order_acquire);
	CUcontext current;
	uintptr_t key = first_sight_key(handle, &current);
	struct stream *stream = NULL;

	note_first_sight(thread);
	if (key)
		stream = handle == CU_STREAM_PER_THREAD ? own_default_stream(thread, current)
							: stream_lookup(handle, current);
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

	note_first_sight(thread);
	if (function) {
		operation = operation_of_kernel(function);
		pointer_map_add(&thread->kernels, (uintptr_t)function, operation, generation);
	} else {
		operation = graph_operation(graph);
		pointer_map_add(&thread->graphs, (uintptr_t)graph, operation, generation);
	}
	return operation;
}

struct lane *first_sight_lane(struct thread *thread, struct context *context)
{
	struct lane *lane = thread->lanes;

	while (lane && lane->context != context)
		lane = lane->next;
	if (!lane) {
		note_first_sight(thread);
		/* Its pair's lane may be among those that go. */
		thread->chain = NULL;
		lane = lane_enter(&thread->lanes, context);
	}
	thread->last_lane = lane;
	return lane;
}
