/* SPDX-License-Identifier: MIT */
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/sim/driver/activity.h"
#include "tests/sim/driver/capture.h"
#include "tests/sim/driver/graph.h"
#include "tests/sim/driver/host.h"
#include "tests/sim/driver/stream.h"
#include "tests/sim/driver/timeline.h"

static struct handle_pool streams = HANDLE_POOL(struct stream);
static uint64_t streams_made;

struct stream *stream_create(struct context *context, unsigned int flags, int priority)
{
	struct stream *stream = handle_create(&streams);

	if (!stream)
		return NULL;
	stream->context = context;
	stream->flags = flags;
	stream->priority = priority;
	/* The first legacy stream is 7 in both countings; the others run one apart. */
	stream->cupti_id = streams_made ? 12 + streams_made : 7;
	stream->id = streams_made ? 13 + streams_made : 7;
	stream->idle = true;
	streams_made++;
	return stream;
}

static struct stream *per_thread_stream(struct context *context)
{
	static __thread int thread;
	struct stream *stream;

	if (!thread)
		thread = syscall(SYS_gettid);
	for (stream = context->per_thread; stream; stream = stream->next_per_thread) {
		if (stream->thread == thread)
			return stream;
	}
	stream = stream_create(context, CU_STREAM_DEFAULT, 0);
	if (stream) {
		stream->thread = thread;
		stream->next_per_thread = context->per_thread;
		context->per_thread = stream;
	}
	return stream;
}

struct stream *stream_of(CUstream handle, CUresult *result)
{
	struct sim_call *call = sim_call();
	struct stream *stream;

	if (!handle)
		handle = call->per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
	call->stream = handle;
	if (handle == CU_STREAM_LEGACY)
		stream = context_current()->legacy;
	else if (handle == CU_STREAM_PER_THREAD)
		stream = per_thread_stream(context_current());
	else
		stream = handle_get_or_crash(&streams, handle);
	*result = stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	return stream;
}

struct stream *stream_next(const struct stream *stream)
{
	return handle_next(&streams, stream);
}

void stream_destroy_all(struct context *context)
{
	struct stream *stream = NULL;

	while ((stream = stream_next(stream))) {
		if (stream->context != context)
			continue;
		capture_forget_stream(stream);
		handle_destroy(stream);
	}
	context->legacy = NULL;
	context->per_thread = NULL;
}

static bool is_legacy(const struct stream *stream)
{
	return stream == stream->context->legacy;
}

/* The legacy stream and the blocking ones of its context wait for each other. */
static struct moment barrier(const struct stream *stream)
{
	struct context *context = stream->context;
	struct moment latest = stream->tail;
	struct stream *other;

	if (stream->flags & CU_STREAM_NON_BLOCKING)
		return latest;
	if (!is_legacy(stream)) {
		timeline_follow(&latest, &context->legacy->tail);
		return latest;
	}
	for (other = handle_next(&streams, NULL); other; other = handle_next(&streams, other)) {
		if (other->context == context && !(other->flags & CU_STREAM_NON_BLOCKING))
			timeline_follow(&latest, &other->tail);
	}
	return latest;
}

struct moment stream_begin(struct stream *stream)
{
	stream->tail = barrier(stream);
	timeline_settle(&stream->tail);
	stream->pair.device_idle |= stream->idle;
	if (stream->idle && stream->tail.ns < timeline_host_ns())
		stream->tail.ns = timeline_host_ns();
	stream->idle = false;
	return stream->tail;
}

CUresult stream_hold(struct stream *stream, const struct hold_wait *wait,
		     const struct hold_write *writes, size_t write_count)
{
	struct moment begin = stream_begin(stream);
	uint64_t number = hold_begin(wait, begin.ns, begin.hold);

	if (!number)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; i < write_count; i++)
		if (!hold_write_before(number, &writes[i]))
			return CUDA_ERROR_OUT_OF_MEMORY;
	stream->tail.hold = number;
	event_pair_wait(&stream->pair, number);
	hold_used(number, timeline_host_ns());
	return CUDA_SUCCESS;
}

struct moment stream_event(struct stream *stream)
{
	stream_begin(stream);
	hold_used(stream->tail.hold, timeline_host_ns());
	stream->tail.ns += event_pair_event(&stream->pair);
	return stream->tail;
}

void stream_wait(struct stream *stream)
{
	timeline_wait(barrier(stream));
	stream->idle = true;
}

void stream_wait_all(struct context *context)
{
	struct stream *stream;

	for (stream = handle_next(&streams, NULL); stream; stream = handle_next(&streams, stream)) {
		if (stream->context == context)
			stream_wait(stream);
	}
}

static CUresult capture_operation(struct stream *stream, const struct operation *operation,
				  bool synchronous)
{
	static const CUgraphNodeType types[] = {
		[OPERATION_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
		[OPERATION_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
		[OPERATION_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
		[OPERATION_MEMSET] = CU_GRAPH_NODE_TYPE_MEMSET,
		[OPERATION_HOST] = CU_GRAPH_NODE_TYPE_HOST,
		[OPERATION_STREAM_MEMORY] = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
	};

	if (synchronous || operation->kind == OPERATION_MOVEMENT)
		return capture_break(stream);
	return capture_add(stream, types[operation->kind], operation, NULL);
}

/* With SIM_LAUNCH_NS work starts so long after its call began, or when the stream is free; else as
 * timeline.h says. */
static uint64_t start_of(struct stream *stream, const struct operation *operation)
{
	uint64_t latency = sim_setting("SIM_LAUNCH_NS", 0), start = stream_begin(stream).ns;
	bool kernel = !latency && operation_runs_as_kernel(operation);
	bool busy = stream->tail.hold || start > timeline_host_ns();
	uint64_t gap = 0;

	if (operation->kind == OPERATION_STREAM_MEMORY && operation->u.stream_memory.waits)
		event_pair_wait(&stream->pair, 0);
	else
		gap = event_pair_work(&stream->pair, kernel, busy);
	if (!latency)
		return start + operation_bias_ns(operation) + gap;
	return start < sim_call()->host_ns + latency ? sim_call()->host_ns + latency : start;
}

CUresult stream_submit(struct stream *stream, const struct operation *operation, bool synchronous)
{
	struct sim_activity activity = {
		.operation = operation,
		.correlation = sim_call()->correlation,
		.device = stream->context->device,
		.context = stream->context->id,
		.stream = stream->cupti_id,
	};
	uint64_t host = host_last();
	CUresult result = capture_allows(stream);

	if (result == CUDA_SUCCESS && synchronous)
		result = capture_unsafe();
	if (result != CUDA_SUCCESS)
		return result;
	sim_call()->bytes += operation->bytes;
	timeline_spend_host(TIMELINE_SUBMIT_NS);
	if (stream->capture)
		return capture_operation(stream, operation, synchronous);
	activity.start_ns = start_of(stream, operation);
	if (operation->kind == OPERATION_GRAPH) {
		activity.graph = operation->u.graph->id;
		activity.end_ns = graph_run(operation->u.graph, &activity);
	} else {
		activity.end_ns = activity.start_ns + operation_duration_ns(operation);
		operation_execute(operation);
		operation_read_clock(operation, activity.start_ns, activity.end_ns);
	}
	stream->tail.ns = activity.end_ns;
	hold_used(stream->tail.hold, timeline_host_ns());
	if (host != host_last())
		stream->tail.host = host_last();
	activity_done(&activity);
	if (synchronous)
		stream_wait(stream);
	return CUDA_SUCCESS;
}

/* Entries. */

static CUresult create(CUstream *handle, unsigned int flags, int priority)
{
	struct stream *stream;

	if (!handle || flags & ~CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	stream = stream_create(context_current(), flags, priority);
	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*handle = (CUstream)stream;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuStreamCreate, (CUstream * handle, unsigned int flags), (handle, flags))
{
	return create(handle, flags, 0);
}

SIM_ENTRY(cuStreamCreateWithPriority, (CUstream * handle, unsigned int flags, int priority),
	  (handle, flags, priority))
{
	return create(handle, flags, priority);
}

static CUresult destroy(CUstream handle)
{
	struct stream *stream = handle_get_or_crash(&streams, handle);

	if (!stream || is_legacy(stream) || stream->thread)
		return CUDA_ERROR_INVALID_HANDLE;
	sim_call()->stream = handle;
	capture_forget_stream(stream);
	handle_destroy(stream);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuStreamDestroy, (CUstream handle), (handle))
{
	return destroy(handle);
}

SIM_ENTRY(cuStreamDestroy_v2, (CUstream handle), (handle))
{
	return destroy(handle);
}

/* The stream, where asking whether it is done breaks no capture. */
static struct stream *may_wait_for(CUstream handle, CUresult *result)
{
	struct stream *stream = stream_of(handle, result);

	if (stream)
		*result = capture_break(stream);
	if (*result == CUDA_SUCCESS)
		*result = capture_allows(stream);
	if (*result == CUDA_SUCCESS)
		*result = capture_unsafe();
	return *result == CUDA_SUCCESS ? stream : NULL;
}

SIM_ENTRY_STREAM(cuStreamSynchronize, _ptsz, (CUstream handle), (handle))
{
	CUresult result;
	struct stream *stream = may_wait_for(handle, &result);

	if (stream)
		stream_wait(stream);
	return result;
}

SIM_ENTRY_STREAM(cuStreamQuery, _ptsz, (CUstream handle), (handle))
{
	struct moment tail;
	CUresult result;
	struct stream *stream = may_wait_for(handle, &result);

	if (!stream)
		return result;
	tail = barrier(stream);
	return timeline_finished(&tail) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

SIM_ENTRY_STREAM(cuStreamGetId, _ptsz, (CUstream handle, unsigned long long *id), (handle, id))
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (!stream)
		return result;
	*id = stream->id;
	/* Even this breaks the capture of the stream, whoever asks. */
	return capture_break(stream);
}

SIM_ENTRY_STREAM(cuStreamGetFlags, _ptsz, (CUstream handle, unsigned int *flags), (handle, flags))
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (stream)
		*flags = stream->flags;
	return result;
}

SIM_ENTRY_STREAM(cuStreamGetPriority, _ptsz, (CUstream handle, int *priority), (handle, priority))
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (stream)
		*priority = stream->priority;
	return result;
}

SIM_ENTRY_STREAM(cuStreamGetDevice, _ptsz, (CUstream handle, CUdevice *device), (handle, device))
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (stream)
		*device = stream->context->device;
	return result;
}

SIM_ENTRY_STREAM(cuStreamGetCtx, _ptsz, (CUstream handle, CUcontext *context), (handle, context))
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (stream)
		*context = (CUcontext)stream->context;
	return result;
}

SIM_ENTRY_STREAM(cuStreamGetCtx_v2, _ptsz, (CUstream handle, CUcontext *context, CUgreenCtx *green),
		 (handle, context, green))
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (stream) {
		*context = (CUcontext)stream->context;
		*green = NULL;
	}
	return result;
}
