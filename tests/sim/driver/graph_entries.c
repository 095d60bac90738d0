/* SPDX-License-Identifier: MIT */
/* The entries that make, ask and launch graphs. */
#include <string.h>

#include "tests/sim/driver/capture.h"
#include "tests/sim/driver/graph.h"
#include "tests/sim/driver/stream.h"

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphCreate, (CUgraph * handle, unsigned int flags),
		  (handle, flags))
{
	struct graph *graph;

	if (!handle || flags)
		return CUDA_ERROR_INVALID_VALUE;
	graph = graph_create();
	*handle = (CUgraph)graph;
	return graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphDestroy, (CUgraph handle), (handle))
{
	struct graph *graph = graph_get(handle);

	if (!graph)
		return CUDA_ERROR_INVALID_VALUE;
	graph_destroy(graph);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphClone, (CUgraph * clone, CUgraph handle), (clone, handle))
{
	struct graph *graph = graph_get(handle);

	if (!graph || !clone)
		return CUDA_ERROR_INVALID_VALUE;
	*clone = (CUgraph)graph_clone(graph);
	return *clone ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphDestroyNode, (CUgraphNode handle), (handle))
{
	struct graph_node *node = graph_node_get(handle);

	if (!node)
		return CUDA_ERROR_INVALID_VALUE;
	graph_node_destroy(node);
	return CUDA_SUCCESS;
}

/* Writes up to *count handles where there is room for them, and says how many there are. */
static CUresult list(const struct graph_nodes *nodes, CUgraphNode *handles, size_t *count)
{
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	if (handles) {
		for (size_t i = 0; i < *count; i++)
			handles[i] = i < nodes->count ? (CUgraphNode)nodes->list[i] : NULL;
	}
	if (!handles || *count > nodes->count)
		*count = nodes->count;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphGetNodes,
		  (CUgraph handle, CUgraphNode *nodes, size_t *count), (handle, nodes, count))
{
	struct graph *graph = graph_get(handle);

	return graph ? list(&graph->nodes, nodes, count) : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphGetRootNodes,
		  (CUgraph handle, CUgraphNode *nodes, size_t *count), (handle, nodes, count))
{
	struct graph *graph = graph_get(handle);
	struct graph_nodes roots = {0};
	CUresult result;

	if (!graph)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < graph->nodes.count; i++) {
		if (!graph->nodes.list[i]->dependencies.count)
			graph_nodes_add(&roots, graph->nodes.list[i]);
	}
	result = list(&roots, nodes, count);
	graph_nodes_clear(&roots);
	return result;
}

static CUresult edges_of(CUgraph handle, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
			 size_t *count)
{
	struct graph *graph = graph_get(handle);
	size_t edges = 0;

	if (!graph || !count || !from != !to)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < graph->nodes.count; i++) {
		struct graph_node *node = graph->nodes.list[i];

		for (size_t j = 0; j < node->dependencies.count; j++, edges++) {
			if (!from || edges >= *count)
				continue;
			from[edges] = (CUgraphNode)node->dependencies.list[j];
			to[edges] = (CUgraphNode)node;
			if (data)
				memset(&data[edges], 0, sizeof(*data));
		}
	}
	if (!from || *count > edges)
		*count = edges;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphGetEdges,
		  (CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count),
		  (graph, from, to, count))
{
	return edges_of(graph, from, to, NULL, count);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphGetEdges_v2,
		  (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
		   size_t *count),
		  (graph, from, to, data, count))
{
	return edges_of(graph, from, to, data, count);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphNodeGetDependencies,
		  (CUgraphNode handle, CUgraphNode *nodes, size_t *count), (handle, nodes, count))
{
	struct graph_node *node = graph_node_get(handle);

	return node ? list(&node->dependencies, nodes, count) : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphNodeGetDependencies_v2,
		  (CUgraphNode handle, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count),
		  (handle, nodes, data, count))
{
	struct graph_node *node = graph_node_get(handle);

	(void)data;
	return node ? list(&node->dependencies, nodes, count) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult add_dependencies(const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct graph_node *before = graph_node_get(from[i]), *after = graph_node_get(to[i]);

		if (!before || !after || before->graph != after->graph)
			return CUDA_ERROR_INVALID_VALUE;
		if (!graph_nodes_add(&after->dependencies, before))
			return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddDependencies,
		  (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count),
		  (graph, from, to, count))
{
	return graph_get(graph) ? add_dependencies(from, to, count) : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddDependencies_v2,
		  (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
		   const CUgraphEdgeData *data, size_t count),
		  (graph, from, to, data, count))
{
	(void)data;
	return graph_get(graph) ? add_dependencies(from, to, count) : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphNodeGetType, (CUgraphNode handle, CUgraphNodeType *type),
		  (handle, type))
{
	struct graph_node *node = graph_node_get(handle);

	if (!node || !type)
		return CUDA_ERROR_INVALID_VALUE;
	*type = node->type;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphChildGraphNodeGetGraph,
		  (CUgraphNode handle, CUgraph *graph), (handle, graph))
{
	struct graph_node *node = graph_node_get(handle);

	if (!node || !node->child || !graph)
		return CUDA_ERROR_INVALID_VALUE;
	*graph = (CUgraph)node->child;
	return CUDA_SUCCESS;
}

/* Executable graphs. */

static CUresult instantiate(CUgraphExec *handle, CUgraph graph_handle, unsigned long long flags)
{
	struct graph *graph = graph_get(graph_handle);

	if (!graph || !handle)
		return CUDA_ERROR_INVALID_VALUE;
	*handle = (CUgraphExec)graph_instantiate(graph, flags);
	return *handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SIM_ENTRY(cuGraphInstantiate,
	  (CUgraphExec * exec, CUgraph graph, CUgraphNode *node, char *log, size_t size),
	  (exec, graph, node, log, size))
{
	(void)node;
	(void)log;
	(void)size;
	return instantiate(exec, graph, 0);
}

SIM_ENTRY(cuGraphInstantiate_v2,
	  (CUgraphExec * exec, CUgraph graph, CUgraphNode *node, char *log, size_t size),
	  (exec, graph, node, log, size))
{
	(void)node;
	(void)log;
	(void)size;
	return instantiate(exec, graph, 0);
}

SIM_ENTRY(cuGraphInstantiateWithFlags,
	  (CUgraphExec * exec, CUgraph graph, unsigned long long flags), (exec, graph, flags))
{
	return instantiate(exec, graph, flags);
}

SIM_ENTRY_STREAM(cuGraphInstantiateWithParams, _ptsz,
		 (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters),
		 (exec, graph, parameters))
{
	parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
	return instantiate(exec, graph, parameters->flags);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphExecGetFlags, (CUgraphExec handle, cuuint64_t *flags),
		  (handle, flags))
{
	struct graph_exec *exec = graph_exec_get(handle);

	if (!exec || !flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = exec->flags;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphExecDestroy, (CUgraphExec handle), (handle))
{
	struct graph_exec *exec = graph_exec_get(handle);

	if (!exec)
		return CUDA_ERROR_INVALID_VALUE;
	graph_exec_destroy(exec);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphExecUpdate_v2,
		  (CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo *info),
		  (handle, graph_handle, info))
{
	struct graph_exec *exec = graph_exec_get(handle);
	struct graph *graph = graph_get(graph_handle), *clone;

	if (!exec || !graph)
		return CUDA_ERROR_INVALID_VALUE;
	memset(info, 0, sizeof(*info));
	if (exec->graph->nodes.count != graph->nodes.count) {
		info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
		return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	}
	clone = graph_clone(graph);
	if (!clone)
		return CUDA_ERROR_OUT_OF_MEMORY;
	/* As with the real driver, disabled nodes stay so. */
	for (size_t i = 0; i < clone->nodes.count; i++)
		clone->nodes.list[i]->disabled = exec->graph->nodes.list[i]->disabled;
	graph_take_ids(clone, exec->graph);
	graph_destroy(exec->graph);
	exec->graph = clone;
	return CUDA_SUCCESS;
}

SIM_ENTRY_STREAM(cuGraphUpload, _ptsz, (CUgraphExec handle, CUstream stream), (handle, stream))
{
	struct graph_exec *exec = graph_exec_get(handle);
	CUresult result;

	if (!stream_of(stream, &result))
		return result;
	return exec ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* In a stream that captures, the launch becomes a node with the graph as its child. */
static CUresult capture_launch(struct stream *stream, const struct graph_exec *exec)
{
	struct graph_node *node;
	CUresult result = capture_add(stream, CU_GRAPH_NODE_TYPE_GRAPH, NULL, &node);

	if (result == CUDA_SUCCESS)
		node->child = graph_clone(exec->graph);
	return result;
}

SIM_ENTRY_STREAM(cuGraphLaunch, _ptsz, (CUgraphExec handle, CUstream stream_handle),
		 (handle, stream_handle))
{
	struct graph_exec *exec = graph_exec_get(handle);
	struct operation operation = {.kind = OPERATION_GRAPH, .u.graph = exec};
	CUresult result;
	struct stream *stream = stream_of(stream_handle, &result);

	if (!stream)
		return result;
	if (!exec)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return capture_launch(stream, exec);
	return stream_submit(stream, &operation, false);
}
