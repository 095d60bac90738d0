/* SPDX-License-Identifier: MIT */
/* The entries that add nodes to a graph, and those that ask for and change their parameters. */
#include "tests/sim/driver/copy.h"
#include "tests/sim/driver/graph.h"
#include "tests/sim/driver/kernel.h"

static CUresult add(CUgraphNode *handle, CUgraph graph_handle, const CUgraphNode *dependencies,
		    size_t count, CUgraphNodeType type, const struct operation *operation,
		    struct graph_node **added)
{
	struct graph_nodes before = {(struct graph_node **)dependencies, count};
	struct graph *graph = graph_get(graph_handle);
	struct graph_node *node;

	if (!graph || !handle || (count && !dependencies))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		if (!graph_node_get(dependencies[i]))
			return CUDA_ERROR_INVALID_VALUE;
	}
	node = graph_add(graph, type, operation, &before);
	if (!node)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*handle = (CUgraphNode)node;
	if (added)
		*added = node;
	return CUDA_SUCCESS;
}

/* Both generations of a kernel node's parameters begin alike. */
#define KERNEL_OPERATION(parameters, launched)                                                     \
	{                                                                                          \
		.kind = OPERATION_KERNEL,                                                          \
		.u.launch = {                                                                      \
			.kernel = kernel_of(launched),                                             \
			.function = launched,                                                      \
			.grid = {(parameters)->gridDimX, (parameters)->gridDimY,                   \
				 (parameters)->gridDimZ},                                          \
			.block = {(parameters)->blockDimX, (parameters)->blockDimY,                \
				  (parameters)->blockDimZ},                                        \
			.shared_bytes = (parameters)->sharedMemBytes,                              \
			.parameters = (parameters)->kernelParams,                                  \
		},                                                                                 \
	}

static CUfunction launched(const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
	return parameters->func ? parameters->func : (CUfunction)parameters->kern;
}

static CUresult add_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
			   size_t count, struct operation operation)
{
	if (!operation.u.launch.kernel)
		return CUDA_ERROR_INVALID_VALUE;
	return add(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_KERNEL, &operation, NULL);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddKernelNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
		  (node, graph, dependencies, count, parameters))
{
	struct operation operation = KERNEL_OPERATION(parameters, parameters->func);

	return add_kernel(node, graph, dependencies, count, operation);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddKernelNode_v2,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   const CUDA_KERNEL_NODE_PARAMS_v2 *parameters),
		  (node, graph, dependencies, count, parameters))
{
	struct operation operation = KERNEL_OPERATION(parameters, launched(parameters));

	return add_kernel(node, graph, dependencies, count, operation);
}

#define GET_KERNEL(parameters, operation)                                                          \
	do {                                                                                       \
		(parameters)->func = (operation)->u.launch.function;                               \
		(parameters)->gridDimX = (operation)->u.launch.grid[0];                            \
		(parameters)->gridDimY = (operation)->u.launch.grid[1];                            \
		(parameters)->gridDimZ = (operation)->u.launch.grid[2];                            \
		(parameters)->blockDimX = (operation)->u.launch.block[0];                          \
		(parameters)->blockDimY = (operation)->u.launch.block[1];                          \
		(parameters)->blockDimZ = (operation)->u.launch.block[2];                          \
		(parameters)->sharedMemBytes = (operation)->u.launch.shared_bytes;                 \
		(parameters)->kernelParams = (operation)->u.launch.parameters;                     \
		(parameters)->extra = NULL;                                                        \
	} while (0)

static struct graph_node *node_of(CUgraphNode handle, CUgraphNodeType type)
{
	struct graph_node *node = graph_node_get(handle);

	return node && node->type == type ? node : NULL;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphKernelNodeGetParams,
		  (CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
		  (handle, parameters))
{
	struct graph_node *node = node_of(handle, CU_GRAPH_NODE_TYPE_KERNEL);

	if (!node)
		return CUDA_ERROR_INVALID_VALUE;
	GET_KERNEL(parameters, &node->operation);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphKernelNodeGetParams_v2,
		  (CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v2 *parameters),
		  (handle, parameters))
{
	struct graph_node *node = node_of(handle, CU_GRAPH_NODE_TYPE_KERNEL);

	if (!node)
		return CUDA_ERROR_INVALID_VALUE;
	GET_KERNEL(parameters, &node->operation);
	parameters->kern = NULL;
	parameters->ctx = NULL;
	return CUDA_SUCCESS;
}

static CUresult set(struct graph_node *node, const struct operation *operation)
{
	if (!node || (operation->kind == OPERATION_KERNEL && !operation->u.launch.kernel))
		return CUDA_ERROR_INVALID_VALUE;
	graph_node_set_operation(node, operation);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphKernelNodeSetParams_v2,
		  (CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS_v2 *parameters),
		  (handle, parameters))
{
	struct operation operation = KERNEL_OPERATION(parameters, launched(parameters));

	return set(node_of(handle, CU_GRAPH_NODE_TYPE_KERNEL), &operation);
}

static CUresult set_executable(CUgraphExec exec_handle, CUgraphNode handle,
			       const struct operation *operation)
{
	struct graph_exec *exec = graph_exec_get(exec_handle);
	struct graph_node *node = node_of(handle, CU_GRAPH_NODE_TYPE_KERNEL);

	return exec && node ? set(graph_exec_node(exec, node), operation)
			    : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphExecKernelNodeSetParams,
		  (CUgraphExec exec, CUgraphNode node,
		   const CUDA_KERNEL_NODE_PARAMS_v1 *parameters),
		  (exec, node, parameters))
{
	struct operation operation = KERNEL_OPERATION(parameters, parameters->func);

	return set_executable(exec, node, &operation);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphExecKernelNodeSetParams_v2,
		  (CUgraphExec exec, CUgraphNode node,
		   const CUDA_KERNEL_NODE_PARAMS_v2 *parameters),
		  (exec, node, parameters))
{
	struct operation operation = KERNEL_OPERATION(parameters, launched(parameters));

	return set_executable(exec, node, &operation);
}

static CUresult set_child(CUgraphExec exec_handle, CUgraphNode handle, CUgraph child_handle)
{
	struct graph_exec *exec = graph_exec_get(exec_handle);
	struct graph_node *original = node_of(handle, CU_GRAPH_NODE_TYPE_GRAPH);
	struct graph_node *node = exec && original ? graph_exec_node(exec, original) : NULL;
	struct graph *child = graph_get(child_handle), *clone;

	if (!node || !child || child->nodes.count != node->child->nodes.count)
		return CUDA_ERROR_INVALID_VALUE;
	clone = graph_clone(child);
	if (!clone)
		return CUDA_ERROR_OUT_OF_MEMORY;
	graph_take_ids(clone, node->child);
	graph_destroy(node->child);
	node->child = clone;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphExecChildGraphNodeSetParams,
		  (CUgraphExec exec, CUgraphNode node, CUgraph child), (exec, node, child))
{
	return set_child(exec, node, child);
}

#if CUDA_VERSION >= 12020
SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphExecNodeSetParams,
		  (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *any), (exec, node, any))
{
	const CUDA_KERNEL_NODE_PARAMS_v3 *parameters = &any->kernel;
	struct operation operation = KERNEL_OPERATION(parameters, parameters->func);

	return any->type == CU_GRAPH_NODE_TYPE_GRAPH ? set_child(exec, node, any->graph.graph)
						     : set_executable(exec, node, &operation);
}
#endif

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddMemcpyNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   const CUDA_MEMCPY3D *copy, CUcontext context),
		  (node, graph, dependencies, count, copy, context))
{
	struct operation operation;
	CUresult result = copy_of_3d(copy, &operation);

	(void)context;
	operation.asynchronous = true;
	return result == CUDA_SUCCESS ? add(node, graph, dependencies, count,
					    CU_GRAPH_NODE_TYPE_MEMCPY, &operation, NULL)
				      : result;
}

static CUmemorytype type_of(const struct copy_side *side)
{
	return side->kind == MEMORY_PAGEABLE || side->kind == MEMORY_PINNED ? CU_MEMORYTYPE_HOST
									    : CU_MEMORYTYPE_DEVICE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphMemcpyNodeGetParams,
		  (CUgraphNode handle, CUDA_MEMCPY3D *copy), (handle, copy))
{
	struct graph_node *node = node_of(handle, CU_GRAPH_NODE_TYPE_MEMCPY);
	const struct copy_side *from, *to;

	if (!node)
		return CUDA_ERROR_INVALID_VALUE;
	from = &node->operation.u.copy.from;
	to = &node->operation.u.copy.to;
	*copy = (CUDA_MEMCPY3D){
		.srcMemoryType = type_of(from),
		.srcHost = from->address,
		.srcDevice = (CUdeviceptr)from->address,
		.srcPitch = from->pitch,
		.srcHeight = from->height,
		.dstMemoryType = type_of(to),
		.dstHost = to->address,
		.dstDevice = (CUdeviceptr)to->address,
		.dstPitch = to->pitch,
		.dstHeight = to->height,
		.WidthInBytes = node->operation.u.copy.row_bytes,
		.Height = node->operation.u.copy.rows,
		.Depth = node->operation.u.copy.slices,
	};
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddMemsetNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context),
		  (node, graph, dependencies, count, fill, context))
{
	struct operation operation = {
		.kind = OPERATION_MEMSET,
		.bytes = fill->width * fill->height * fill->elementSize,
		.asynchronous = true,
		.u.memset = {(char *)fill->dst, fill->pitch, fill->width, fill->height,
			     fill->elementSize, fill->value, memory_kind_at((void *)fill->dst)},
	};

	(void)context;
	return add(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_MEMSET, &operation, NULL);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphMemsetNodeGetParams,
		  (CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS *fill), (handle, fill))
{
	struct graph_node *node = node_of(handle, CU_GRAPH_NODE_TYPE_MEMSET);

	if (!node)
		return CUDA_ERROR_INVALID_VALUE;
	*fill = (CUDA_MEMSET_NODE_PARAMS){
		.dst = (CUdeviceptr)node->operation.u.memset.address,
		.pitch = node->operation.u.memset.pitch,
		.value = node->operation.u.memset.value,
		.elementSize = node->operation.u.memset.element,
		.width = node->operation.u.memset.width,
		.height = node->operation.u.memset.rows,
	};
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddHostNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   const CUDA_HOST_NODE_PARAMS *host),
		  (node, graph, dependencies, count, host))
{
	struct operation operation = {.kind = OPERATION_HOST, .u.host = {host->fn, host->userData}};

	return add(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_HOST, &operation, NULL);
}

/* The address is there at once, as in a capture. */
SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddMemAllocNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   CUDA_MEM_ALLOC_NODE_PARAMS *parameters),
		  (node, graph, dependencies, count, parameters))
{
	CUresult result =
		add(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_MEM_ALLOC, NULL, NULL);
	struct allocation *allocation;

	if (result != CUDA_SUCCESS)
		return result;
	allocation = memory_allocate(MEMORY_DEVICE, parameters->bytesize);
	if (!allocation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	parameters->dptr = (CUdeviceptr)allocation->address;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddMemFreeNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   CUdeviceptr pointer),
		  (node, graph, dependencies, count, pointer))
{
	if (!memory_find((const void *)pointer))
		return CUDA_ERROR_INVALID_VALUE;
	return add(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_MEM_FREE, NULL, NULL);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddEmptyNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,
		   size_t count),
		  (node, graph, dependencies, count))
{
	return add(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_EMPTY, NULL, NULL);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddChildGraphNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   CUgraph child_handle),
		  (node, graph, dependencies, count, child_handle))
{
	struct graph *child = graph_get(child_handle);
	struct graph_node *added;
	CUresult result;

	if (!child)
		return CUDA_ERROR_INVALID_VALUE;
	result = add(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_GRAPH, NULL, &added);
	if (result == CUDA_SUCCESS)
		added->child = graph_clone(child);
	return result;
}

static CUresult add_event(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
			  size_t count, CUgraphNodeType type, CUevent event)
{
	struct graph_node *added;
	CUresult result = add(node, graph, dependencies, count, type, NULL, &added);

	if (result == CUDA_SUCCESS)
		added->event = event;
	return result;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddEventRecordNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   CUevent event),
		  (node, graph, dependencies, count, event))
{
	return add_event(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphAddEventWaitNode,
		  (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
		   CUevent event),
		  (node, graph, dependencies, count, event))
{
	return add_event(node, graph, dependencies, count, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGraphNodeSetEnabled,
		  (CUgraphExec exec_handle, CUgraphNode handle, unsigned int enabled),
		  (exec_handle, handle, enabled))
{
	struct graph_exec *exec = graph_exec_get(exec_handle);
	struct graph_node *original = graph_node_get(handle);
	struct graph_node *node = exec && original ? graph_exec_node(exec, original) : NULL;

	if (!node)
		return CUDA_ERROR_INVALID_VALUE;
	node->disabled = !enabled;
	return CUDA_SUCCESS;
}
