/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph_contents.h"

#include <stdlib.h>
#include <string.h>

#include "preload/handles/copy_direction.h"
#include "report/session/grow.h"

/* How deep child graphs are followed; a bound in case they are not a tree. Chosen. */
#define NESTING		 16
/* CU_GRAPH_NODE_TYPE_CONDITIONAL, since CUDA 12.3. */
#define NODE_CONDITIONAL 13
/* CU_GRAPH_NODE_TYPE_MEM_ALLOC, since CUDA 11.4. */
#define NODE_ALLOCATES	 10

/* CUDA_KERNEL_NODE_PARAMS_v2, which toolkits before 12.0 do not declare. */
struct kernel_node {
	CUfunction function;
	unsigned grid[3], block[3], shared;
	void **parameters, **extra;
	void *kernel, *context;
};

struct operation *graph_contents_kernel(const void *parameters)
{
	const struct kernel_node *node = parameters;

	return operation_of_kernel(node->function ? node->function : (CUfunction)node->kernel);
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
	/* FNV-1a with its 64-bit prime, a word at a time instead of a byte. */
	return (digest ^ value) * 0x100000001b3ull;
}

uint64_t graph_contents_parameters(const void *parameters)
{
	const struct kernel_node *kernel = parameters;
	uint64_t digest = mix(0, kernel->shared);

	for (int i = 0; i < 3; i++)
		digest = mix(mix(digest, kernel->grid[i]), kernel->block[i]);
	return digest;
}

static struct operation *operation_of_copy(CUgraphNode handle)
{
	CUDA_MEMCPY3D copy;

	memset(&copy, 0, sizeof(copy));
	if (!driver.cuGraphMemcpyNodeGetParams ||
	    driver.cuGraphMemcpyNodeGetParams(handle, &copy) != CUDA_SUCCESS)
		return NULL;
	return operation_fixed(copy_direction(
		copy.srcMemoryType,
		copy.srcMemoryType == CU_MEMORYTYPE_HOST ? (CUdeviceptr)(uintptr_t)copy.srcHost
							 : copy.srcDevice,
		copy.dstMemoryType,
		copy.dstMemoryType == CU_MEMORYTYPE_HOST ? (CUdeviceptr)(uintptr_t)copy.dstHost
							 : copy.dstDevice));
}

static struct operation *operation_of_node(struct graph_node *node)
{
	struct kernel_node parameters;

	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		memset(&parameters, 0, sizeof(parameters));
		if (!driver.cuGraphKernelNodeGetParams_v2 ||
		    driver.cuGraphKernelNodeGetParams_v2(node->handle, &parameters) != CUDA_SUCCESS)
			return operation_fixed(OPERATION_UNKNOWN_KERNEL);
		node->parameters = graph_contents_parameters(&parameters);
		return graph_contents_kernel(&parameters);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return operation_of_copy(node->handle);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return operation_fixed(OPERATION_MEMSET);
	default:
		return NULL;
	}
}

void graph_contents_add(struct graph_nodes *nodes, const struct graph_node *node)
{
	if (nodes->count == nodes->room) {
		size_t room = nodes->room ? 2 * nodes->room : 16;
		struct graph_node *larger =
			grow(nodes->nodes, nodes->count * sizeof(*larger), room * sizeof(*larger));

		if (!larger)
			return;
		nodes->nodes = larger;
		nodes->room = room;
	}
	nodes->nodes[nodes->count++] = *node;
}

static void read_nodes(struct graph_nodes *nodes, CUgraph graph, CUgraphNode child, int depth)
{
	CUgraphNode *handles = NULL;
	size_t count = 0;

	if (depth > NESTING || !driver.cuGraphGetNodes || !driver.cuGraphNodeGetType ||
	    driver.cuGraphGetNodes(graph, NULL, &count) != CUDA_SUCCESS || count == 0)
		return;
	handles = calloc(count, sizeof(*handles));
	if (!handles || driver.cuGraphGetNodes(graph, handles, &count) != CUDA_SUCCESS)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		struct graph_node node = {
			.handle = handles[i], .child = child, .type = CU_GRAPH_NODE_TYPE_EMPTY};
		CUgraph below;

		driver.cuGraphNodeGetType(node.handle, &node.type);
		node.operation = operation_of_node(&node);
		graph_contents_add(nodes, &node);
		if (node.type == CU_GRAPH_NODE_TYPE_GRAPH && driver.cuGraphChildGraphNodeGetGraph &&
		    driver.cuGraphChildGraphNodeGetGraph(node.handle, &below) == CUDA_SUCCESS)
			read_nodes(nodes, below, child ? child : node.handle, depth + 1);
	}
	free(handles);
}

void graph_contents_read(struct graph_nodes *nodes, CUgraph graph, CUgraphNode child)
{
	read_nodes(nodes, graph, child, child ? 1 : 0);
}

static void add_part(struct graph_contents *contents, struct operation *operation)
{
	uint32_t i;

	for (i = 0; i < contents->part_count; i++)
		if (contents->parts[i].operation == operation)
			break;
	if (i == contents->part_count)
		contents->parts[contents->part_count++] =
			(struct graph_part){.operation = operation};
	contents->parts[i].count++;
}

struct graph_contents *graph_contents_sum(const struct graph_nodes *nodes)
{
	struct graph_contents *contents =
		calloc(1, sizeof(*contents) + nodes->count * sizeof(contents->parts[0]));

	if (!contents)
		return NULL;
	contents->digest = 0xcbf29ce484222325ull; /* FNV-1a's offset basis */
	for (size_t i = 0; i < nodes->count; i++) {
		const struct graph_node *node = &nodes->nodes[i];

		if (node->disabled)
			continue;
		contents->nodes++;
		contents->allocations += (int)node->type == NODE_ALLOCATES;
		contents->variable |= (int)node->type >= NODE_CONDITIONAL;
		contents->digest = mix(contents->digest, node->type + 1);
		if (!node->operation)
			continue;
		contents->digest = mix(contents->digest, (uintptr_t)node->operation);
		contents->recorded++;
		add_part(contents, node->operation);
		if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
			contents->kernels += graph_contents_kernel_mark(node->operation);
		else
			contents->copies++;
	}
	return contents;
}
