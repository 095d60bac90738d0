/* SPDX-License-Identifier: MIT */
#include "preload/launch/cold_path.h"

#include <errno.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/own_part.h"
#include "preload/base/plan.h"
#include "preload/events/event_pool.h"
#include "preload/events/gates.h"
#include "preload/handles/stream.h"
#include "preload/handles/graph.h"

struct thread *cold_path_thread(void)
{
	int saved_errno = errno;
	OWN_PART;
	struct thread *thread = NULL;

	if (load_relaxed(&launch_state.lifecycle) < LIFECYCLE_STARTING)
		lifecycle_start();
	if (lifecycle_running()) {
		lifecycle_work_seen();
		thread = thread_enter();
	}
	errno = saved_errno;
	return thread;
}

/* Longer than the reporter takes to end the process. Chosen. */
#define PARK_NS 3000000000u

void cold_path_park(void)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + PARK_NS;
	int saved_errno = errno;

	while (lifecycle_ending() && clock_ns(CLOCK_MONOTONIC) < end)
		futex_sleep(PARK_NS / 100);
	errno = saved_errno;
}

/* Has this call's overhead measured, and counted for this call only. */
static void note_cold_path(struct thread *thread)
{
	store_relaxed(&thread->took_cold_path, true);
	thread->overhead_left = 0;
}

/* The calling thread's per-thread default stream of a context, which has no handle of its own. */
static struct stream *per_thread_stream(struct thread *thread, CUcontext current)
{
	struct stream *stream = thread->default_streams;

	while (stream &&
	       (stream->context->handle != current || load_acquire(&stream->context->ended)))
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

/* Another thread may ask for the same ids, and the collector may read them, at the same time. */
static void ask_cupti_ids(struct stream *stream, bool per_thread)
{
	struct context *context = stream->context;
	uint32_t id = load_relaxed(&context->cupti_context);

	if (!id && cupti_context_id(context->handle, &id))
		return;
	store_relaxed(&context->cupti_context, id);
	if (cupti_stream_id(context->handle, stream->handle, per_thread, &id))
		return;
	store_relaxed(&stream->cupti_stream, id);
	/* Release: whoever sees this sees both ids. */
	store_release(&stream->cupti_known, true);
}

struct stream *cold_path_stream(struct thread *thread, CUstream handle)
{
	OWN_PART;
	uint32_t generation = load_acquire(&launch_state.stream_generation);
	CUcontext current;
	uintptr_t key = stream_key(handle, &current);
	struct stream *stream = NULL;

	note_cold_path(thread);
	if (key)
		stream = handle == CU_STREAM_PER_THREAD ? per_thread_stream(thread, current)
							: stream_lookup(handle, current);
	if (!stream)
		return NULL;
	stream_used(stream);
	context_gates_expect(stream->context);
	if (plan_is_cupti() && !load_relaxed(&stream->cupti_known) && !capture_is_live())
		ask_cupti_ids(stream, handle == CU_STREAM_PER_THREAD);
	pointer_map_add(&thread->streams, key, stream, generation);
	return stream;
}

struct stream *cold_path_known_stream(struct thread *thread, CUstream handle)
{
	uint32_t generation = load_acquire(&launch_state.stream_generation);
	CUcontext current;
	uintptr_t key = stream_key(handle, &current);
	struct stream *stream = key ? pointer_map_find(&thread->streams, key, generation) : NULL;

	if (!stream && key && (current || stream_known(handle)))
		stream = cold_path_stream(thread, handle);
	return stream;
}

struct operation *cold_path_known_operation(struct thread *thread, CUfunction function,
					    CUgraphExec graph)
{
	uint32_t generation = load_acquire(&launch_state.operation_generation);

	return function ? pointer_map_find(&thread->kernels, (uintptr_t)function, generation)
			: pointer_map_find(&thread->graphs, (uintptr_t)graph, generation);
}

struct operation *cold_path_operation(struct thread *thread, CUfunction function, CUgraphExec graph)
{
	uint32_t generation = load_acquire(&launch_state.operation_generation);
	OWN_PART;
	struct operation *operation;

	note_cold_path(thread);
	if (function) {
		operation = operation_of_kernel(function);
		pointer_map_add(&thread->kernels, (uintptr_t)function, operation, generation);
	} else {
		operation = graph_operation(graph);
		graph_launched(graph, operation);
		pointer_map_add(&thread->graphs, (uintptr_t)graph, operation, generation);
	}
	return operation;
}

struct event_pool *cold_path_pool(struct thread *thread, struct context *context)
{
	struct event_pool *pool = thread->pools;
	OWN_PART;

	while (pool && pool->context != context)
		pool = pool->next;
	if (!pool) {
		note_cold_path(thread);
		pool = event_pool_enter(&thread->pools, context);
	}
	thread->last_pool = pool;
	return pool;
}

void cold_path_try_gates(struct thread *thread, const struct stream *stream, CUevent event)
{
	OWN_PART;

	/* One that is put off is a query, no more than a gate would have cost. */
	if (context_gates_try(stream, thread->gate, event))
		note_cold_path(thread);
}
