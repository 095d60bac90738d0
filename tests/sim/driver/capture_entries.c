/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/capture.h"

static CUresult begin(CUstream handle, CUstreamCaptureMode mode, struct graph *given,
		      const struct graph_nodes *after)
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (!stream)
		return result;
	if (mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream == stream->context->legacy)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (after && !graph_nodes_add_all(&stream->captured, after))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return capture_begin(stream, mode, given) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SIM_ENTRY_STREAM(cuStreamBeginCapture, _ptsz, (CUstream stream), (stream))
{
	return begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, NULL, NULL);
}

SIM_ENTRY_STREAM(cuStreamBeginCapture_v2, _ptsz, (CUstream stream, CUstreamCaptureMode mode),
		 (stream, mode))
{
	return begin(stream, mode, NULL, NULL);
}

SIM_ENTRY_STREAM(cuStreamBeginCaptureToGraph, _ptsz,
		 (CUstream stream, CUgraph handle, const CUgraphNode *dependencies,
		  const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode),
		 (stream, handle, dependencies, edges, count, mode))
{
	struct graph_nodes after = {(struct graph_node **)dependencies, count};
	struct graph *graph = graph_get(handle);

	(void)edges;
	return graph ? begin(stream, mode, graph, &after) : CUDA_ERROR_INVALID_VALUE;
}

/* Whether some node that nothing depends on is not behind the origin's last ones. */
static bool unjoined(const struct capture *capture)
{
	const struct graph_nodes *nodes = &capture->graph->nodes;
	const struct graph_nodes *last = &capture->origin->captured;

	for (size_t i = 0; i < nodes->count; i++) {
		bool followed = false;

		for (size_t j = 0; j < nodes->count && !followed; j++) {
			const struct graph_nodes *before = &nodes->list[j]->dependencies;

			for (size_t k = 0; k < before->count; k++)
				followed |= before->list[k] == nodes->list[i];
		}
		for (size_t j = 0; j < last->count; j++)
			followed |= last->list[j] == nodes->list[i];
		if (!followed)
			return true;
	}
	return false;
}

SIM_ENTRY_STREAM(cuStreamEndCapture, _ptsz, (CUstream handle, CUgraph *graph), (handle, graph))
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);
	struct capture *capture = stream ? stream->capture : NULL;

	if (!stream)
		return result;
	/* A stream that only joined one ends nothing; one that another thread may not end is lost.
	 */
	if (!capture || capture->origin != stream)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != capture_thread())
		result = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	else if (capture->invalidated)
		result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (unjoined(capture))
		result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	if (graph)
		*graph = result == CUDA_SUCCESS ? (CUgraph)capture->graph : NULL;
	if (result != CUDA_SUCCESS && !capture->given)
		graph_destroy(capture->graph);
	capture_end(capture);
	return result;
}

static CUstreamCaptureStatus status_of(const struct stream *stream)
{
	if (!stream->capture)
		return CU_STREAM_CAPTURE_STATUS_NONE;
	return stream->capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
					    : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/* Asking it of the legacy stream is an error while it may not be used, and breaks nothing. */
static struct stream *asked(CUstream handle, CUresult *result)
{
	struct stream *stream = stream_of(handle, result);

	if (stream && stream == stream->context->legacy && capture_blocks_legacy(stream->context)) {
		*result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
		return NULL;
	}
	return stream;
}

SIM_ENTRY_STREAM(cuStreamIsCapturing, _ptsz, (CUstream handle, CUstreamCaptureStatus *status),
		 (handle, status))
{
	CUresult result;
	struct stream *stream = asked(handle, &result);

	if (stream)
		*status = status_of(stream);
	return result;
}

static CUresult capture_info(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id,
			     CUgraph *graph, const CUgraphNode **dependencies, size_t *count)
{
	CUresult result;
	struct stream *stream = asked(handle, &result);

	if (!stream)
		return result;
	*status = status_of(stream);
	if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return CUDA_SUCCESS;
	if (id)
		*id = stream->capture->id;
	if (graph)
		*graph = (CUgraph)stream->capture->graph;
	if (dependencies)
		*dependencies = (const CUgraphNode *)stream->captured.list;
	if (count)
		*count = stream->captured.count;
	return CUDA_SUCCESS;
}

SIM_ENTRY_STREAM(cuStreamGetCaptureInfo, _ptsz,
		 (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id),
		 (stream, status, id))
{
	return capture_info(stream, status, id, NULL, NULL, NULL);
}

SIM_ENTRY_STREAM(cuStreamGetCaptureInfo_v2, _ptsz,
		 (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
		  const CUgraphNode **dependencies, size_t *count),
		 (stream, status, id, graph, dependencies, count))
{
	return capture_info(stream, status, id, graph, dependencies, count);
}

SIM_ENTRY_STREAM(cuStreamGetCaptureInfo_v3, _ptsz,
		 (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
		  const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count),
		 (stream, status, id, graph, dependencies, edges, count))
{
	if (edges)
		*edges = NULL;
	return capture_info(stream, status, id, graph, dependencies, count);
}

static CUresult update_dependencies(CUstream handle, CUgraphNode *dependencies, size_t count,
				    unsigned int flags)
{
	struct graph_nodes more = {(struct graph_node **)dependencies, count};
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (!stream)
		return result;
	if (!stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		graph_nodes_clear(&stream->captured);
	return graph_nodes_add_all(&stream->captured, &more) ? CUDA_SUCCESS
							     : CUDA_ERROR_OUT_OF_MEMORY;
}

SIM_ENTRY_STREAM(cuStreamUpdateCaptureDependencies, _ptsz,
		 (CUstream stream, CUgraphNode *dependencies, size_t count, unsigned int flags),
		 (stream, dependencies, count, flags))
{
	return update_dependencies(stream, dependencies, count, flags);
}

SIM_ENTRY_STREAM(cuStreamUpdateCaptureDependencies_v2, _ptsz,
		 (CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *edges,
		  size_t count, unsigned int flags),
		 (stream, dependencies, edges, count, flags))
{
	(void)edges;
	return update_dependencies(stream, dependencies, count, flags);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode),
		  (mode))
{
	if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = capture_exchange_mode(*mode);
	return CUDA_SUCCESS;
}
