/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/event.h"
#include "tests/sim/driver/capture.h"
#include "tests/sim/driver/stream.h"
#include "tests/sim/driver/timeline.h"

struct event {
	struct handle handle;
	struct context *context;
	unsigned int flags;
	bool recorded;
	bool orphaned; /* its context is gone */
	CUdevice device;
	struct moment at;
	struct captured_event captured;
};

static struct handle_pool events = HANDLE_POOL(struct event);

static struct event *event_of(CUevent handle, CUresult *result)
{
	struct event *event = handle_get_or_crash(&events, handle);

	*result = CUDA_SUCCESS;
	if (!event)
		*result = CUDA_ERROR_INVALID_HANDLE;
	else if (event->orphaned)
		*result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return *result == CUDA_SUCCESS ? event : NULL;
}

void event_orphan_all(struct context *context)
{
	struct event *event;

	for (event = handle_next(&events, NULL); event; event = handle_next(&events, event)) {
		if (event->context == context)
			event->orphaned = true;
	}
}

void event_bury_all(CUdevice device)
{
	struct event *event;

	for (event = handle_next(&events, NULL); event; event = handle_next(&events, event)) {
		if (event->orphaned && event->device == device)
			handle_destroy(event);
	}
}

SIM_ENTRY(cuEventCreate, (CUevent * handle, unsigned int flags), (handle, flags))
{
	struct event *event;

	if (!handle ||
	    flags & ~(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS))
		return CUDA_ERROR_INVALID_VALUE;
	event = handle_create(&events);
	if (!event)
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->context = context_current();
	event->device = event->context->device;
	event->flags = flags;
	*handle = (CUevent)event;
	return CUDA_SUCCESS;
}

static CUresult destroy(CUevent handle)
{
	CUresult result;
	struct event *event = event_of(handle, &result);

	if (event) {
		graph_nodes_clear(&event->captured.nodes);
		handle_destroy(event);
	}
	return result;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuEventDestroy, (CUevent handle), (handle))
{
	return destroy(handle);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuEventDestroy_v2, (CUevent handle), (handle))
{
	return destroy(handle);
}

void event_record_at(CUevent handle, uint64_t ns)
{
	struct event *event = handle_get(&events, handle);

	if (event) {
		event->at.ns = ns;
		event->recorded = true;
	}
}

/* In a capture an event is no node, unless it is recorded for outside. */
static CUresult record_captured(struct event *event, struct stream *stream, bool external)
{
	struct graph_node *node;
	CUresult result;

	if (!external)
		return capture_record(stream, &event->captured);
	result = capture_add(stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD, NULL, &node);
	if (result == CUDA_SUCCESS)
		node->event = (CUevent)event;
	return result;
}

static CUresult record(CUevent handle, CUstream stream_handle, bool external)
{
	CUresult result;
	struct stream *stream = stream_of(stream_handle, &result);
	struct event *event = stream ? event_of(handle, &result) : NULL;

	if (!event)
		return result;
	if (event->context != stream->context)
		return CUDA_ERROR_INVALID_HANDLE;
	result = capture_allows(stream);
	if (result != CUDA_SUCCESS)
		return result;
	if (stream->capture)
		return record_captured(event, stream, external);
	event->captured.capture = NULL;
	event->at = stream_event(stream);
	event->recorded = true;
	return CUDA_SUCCESS;
}

SIM_ENTRY_STREAM(cuEventRecord, _ptsz, (CUevent handle, CUstream stream), (handle, stream))
{
	return record(handle, stream, false);
}

SIM_ENTRY_STREAM(cuEventRecordWithFlags, _ptsz,
		 (CUevent handle, CUstream stream, unsigned int flags), (handle, stream, flags))
{
	return flags & ~CU_EVENT_RECORD_EXTERNAL ? CUDA_ERROR_INVALID_VALUE
						 : record(handle, stream, flags);
}

SIM_ENTRY_STREAM(cuStreamWaitEvent, _ptsz, (CUstream handle, CUevent event_, unsigned int flags),
		 (handle, event_, flags))
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);
	struct event *event = stream ? event_of(event_, &result) : NULL;

	(void)flags;
	if (!event)
		return result;
	if (capture_holds(&event->captured))
		return capture_wait(stream, &event->captured);
	result = capture_allows(stream);
	if (result != CUDA_SUCCESS)
		return result;
	/* A capture may not depend on work outside it. */
	if (stream->capture) {
		capture_break(stream);
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	}
	if (event->recorded) {
		stream_begin(stream);
		timeline_follow(&stream->tail, &event->at);
	}
	return result;
}

/* The event, where asking whether it is done breaks no capture. */
static struct event *may_wait_for(CUevent handle, CUresult *result)
{
	struct event *event = event_of(handle, result);

	if (event && capture_holds(&event->captured))
		*result = CUDA_ERROR_CAPTURED_EVENT;
	else if (event)
		*result = capture_unsafe();
	return *result == CUDA_SUCCESS ? event : NULL;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuEventQuery, (CUevent handle), (handle))
{
	CUresult result;
	struct event *event = may_wait_for(handle, &result);

	if (!event || !event->recorded)
		return result;
	return timeline_finished(&event->at) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuEventSynchronize, (CUevent handle), (handle))
{
	CUresult result;
	struct event *event = may_wait_for(handle, &result);

	if (event && event->recorded)
		timeline_wait(event->at);
	return result;
}

static CUresult elapsed_time(float *milliseconds, CUevent start_, CUevent stop_)
{
	CUresult result;
	struct event *start = event_of(start_, &result);
	struct event *stop = start ? event_of(stop_, &result) : NULL;

	if (!stop)
		return result;
	if (!milliseconds)
		return CUDA_ERROR_INVALID_VALUE;
	if (!start->recorded || !stop->recorded || start->context != stop->context ||
	    (start->flags | stop->flags) & CU_EVENT_DISABLE_TIMING)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!timeline_passed(&start->at) || !timeline_passed(&stop->at))
		return CUDA_ERROR_NOT_READY;
	timeline_settle(&start->at);
	timeline_settle(&stop->at);
	*milliseconds = ((double)stop->at.ns - (double)start->at.ns) / 1e6;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuEventElapsedTime,
		  (float *milliseconds, CUevent start, CUevent stop), (milliseconds, start, stop))
{
	return elapsed_time(milliseconds, start, stop);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuEventElapsedTime_v2,
		  (float *milliseconds, CUevent start, CUevent stop), (milliseconds, start, stop))
{
	return elapsed_time(milliseconds, start, stop);
}
