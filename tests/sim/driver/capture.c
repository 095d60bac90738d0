/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/sim/driver/capture.h"

static struct capture *captures;
static __thread CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

int capture_thread(void)
{
	static __thread int thread;

	if (!thread)
		thread = syscall(SYS_gettid);
	return thread;
}

static bool forbids(const struct capture *capture)
{
	if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
	    thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return false;
	if (capture->thread == capture_thread())
		return true;
	return capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
	       thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult capture_unsafe(void)
{
	CUresult result = CUDA_SUCCESS;

	for (struct capture *capture = captures; capture; capture = capture->next) {
		if (!forbids(capture))
			continue;
		capture->invalidated = true;
		result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	return result;
}

CUresult capture_break(struct stream *stream)
{
	if (!stream->capture)
		return CUDA_SUCCESS;
	stream->capture->invalidated = true;
	return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult capture_break_context(struct context *context)
{
	CUresult result = CUDA_SUCCESS;

	for (struct capture *capture = captures; capture; capture = capture->next) {
		if (capture->origin->context != context)
			continue;
		capture->invalidated = true;
		result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	}
	return result;
}

static bool blocks_legacy(const struct capture *capture, const struct context *context)
{
	return capture->origin->context == context &&
	       !(capture->origin->flags & CU_STREAM_NON_BLOCKING);
}

bool capture_blocks_legacy(const struct context *context)
{
	for (const struct capture *capture = captures; capture; capture = capture->next) {
		if (blocks_legacy(capture, context))
			return true;
	}
	return false;
}

CUresult capture_allows(struct stream *stream)
{
	struct context *context = stream->context;

	if (stream != context->legacy || !capture_blocks_legacy(context))
		return CUDA_SUCCESS;
	for (struct capture *capture = captures; capture; capture = capture->next) {
		if (blocks_legacy(capture, context))
			capture->invalidated = true;
	}
	return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUresult capture_add(struct stream *stream, CUgraphNodeType type, const struct operation *operation,
		     struct graph_node **added)
{
	struct capture *capture = stream->capture;
	struct graph_node *node;

	if (capture->invalidated)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	node = graph_add(capture->graph, type, operation, &stream->captured);
	graph_nodes_clear(&stream->captured);
	if (!node || !graph_nodes_add(&stream->captured, node))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (added)
		*added = node;
	return CUDA_SUCCESS;
}

CUresult capture_record(struct stream *stream, struct captured_event *event)
{
	if (stream->capture->invalidated)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	event->capture = stream->capture;
	event->capture_id = stream->capture->id;
	graph_nodes_clear(&event->nodes);
	return graph_nodes_add_all(&event->nodes, &stream->captured) ? CUDA_SUCCESS
								     : CUDA_ERROR_OUT_OF_MEMORY;
}

bool capture_holds(const struct captured_event *event)
{
	for (const struct capture *capture = captures; capture; capture = capture->next) {
		if (capture == event->capture && capture->id == event->capture_id)
			return true;
	}
	return false;
}

CUresult capture_wait(struct stream *stream, const struct captured_event *event)
{
	struct capture *capture = event->capture;

	if (capture->invalidated)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (stream->capture && stream->capture != capture) {
		capture->invalidated = stream->capture->invalidated = true;
		return CUDA_ERROR_STREAM_CAPTURE_MERGE;
	}
	if (stream == stream->context->legacy) {
		capture->invalidated = true;
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	}
	stream->capture = capture;
	return graph_nodes_add_all(&stream->captured, &event->nodes) ? CUDA_SUCCESS
								     : CUDA_ERROR_OUT_OF_MEMORY;
}

void capture_end(struct capture *capture)
{
	struct capture **link = &captures;
	struct stream *stream = NULL;

	while ((stream = stream_next(stream))) {
		if (stream->capture == capture) {
			stream->capture = NULL;
			graph_nodes_clear(&stream->captured);
		}
	}
	while (*link != capture)
		link = &(*link)->next;
	*link = capture->next;
	free(capture);
}

void capture_forget_stream(struct stream *stream)
{
	struct capture *capture = stream->capture;

	if (!capture)
		return;
	capture->invalidated = true;
	if (capture->origin == stream) {
		if (!capture->given)
			graph_destroy(capture->graph);
		capture_end(capture);
	}
}

struct capture *capture_begin(struct stream *stream, CUstreamCaptureMode mode, struct graph *given)
{
	static uint64_t captures_made;
	struct capture *capture = calloc(1, sizeof(*capture));

	if (!capture)
		return NULL;
	*capture = (struct capture){
		.id = ++captures_made,
		.mode = mode,
		.thread = capture_thread(),
		.given = given,
		.origin = stream,
		.graph = given ? given : graph_create(),
	};
	if (!capture->graph) {
		free(capture);
		return NULL;
	}
	capture->next = captures;
	captures = capture;
	stream->capture = capture;
	return capture;
}

CUstreamCaptureMode capture_exchange_mode(CUstreamCaptureMode mode)
{
	CUstreamCaptureMode before = thread_mode;

	thread_mode = mode;
	return before;
}
