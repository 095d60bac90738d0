/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph_nodes.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cupti/cupti.h"
#include "preload/base/atomics.h"
#include "preload/base/lifecycle_state.h"
#include "preload/nvtx/range_thread.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/* How deep child graphs are followed, each by a call of the same functions, which take up to 300
 * bytes of the program's stack. Chosen. */
#define NESTING	  128
/* Nodes whose ranges are kept, a hundred bytes each. Chosen. */
#define MOST_KEPT 1000000u

/* A node that was made in a range. */
struct kept {
	struct entry entry; /* by its handle */
	struct node_place place;
};

static struct {
	pthread_mutex_t lock;
	struct entry *nodes;
	/* Read without the lock. */
	_Atomic bool some, had_destroyed;
} kept = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};
_Atomic uint64_t graph_nodes_lost;

bool graph_nodes_have_ranges(void)
{
	return load_relaxed(&kept.some) && !lifecycle_forked();
}

bool graph_nodes_have_holes(void)
{
	return load_relaxed(&kept.had_destroyed);
}

static const struct node_place nowhere;

static struct node_place place_now(void)
{
	const uint16_t path = range_now();

	return (struct node_place){.thread = path != PATHS_OUTSIDE ? (uint32_t)pthread_self() : 0,
				   .started = range_started_now(),
				   .path = path};
}

static struct kept *kept_locked(CUgraphNode handle, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)handle};

	return entry_of(&kept.nodes, key, add ? sizeof(struct kept) : 0);
}

/* Where a node was made; `otherwise` if it was made in no range. */
static struct node_place place_of(CUgraphNode handle, struct node_place otherwise)
{
	const struct kept *node;

	pthread_mutex_lock(&kept.lock);
	node = kept_locked(handle, false);
	if (node)
		otherwise = node->place;
	pthread_mutex_unlock(&kept.lock);
	return otherwise;
}

/* A handle may be that of a node that has ended unseen. */
static void set_place(CUgraphNode handle, struct node_place place)
{
	const bool in_range = node_place_is_somewhere(place);
	struct kept *node;

	pthread_mutex_lock(&kept.lock);
	node = kept_locked(handle, in_range && HASH_COUNT(kept.nodes) < MOST_KEPT);
	if (node && in_range) {
		node->place = place;
		store_relaxed(&kept.some, true);
	} else if (node) {
		HASH_DEL(kept.nodes, &node->entry);
		free(node);
	} else if (in_range) {
		add_relaxed(&graph_nodes_lost, 1);
	}
	pthread_mutex_unlock(&kept.lock);
}

/* The nodes that the stream's next operation would depend on. */
static size_t dependencies_of(CUstream stream, const CUgraphNode **nodes)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	size_t number = 0;
	const void *edges;
	CUresult result = CUDA_ERROR_NOT_SUPPORTED;

	/* Since CUDA 12.3; the older one refuses where an edge has properties, as behind a
	 * programmatic launch. */
	if (driver.cuStreamGetCaptureInfo_v3)
		result = driver.cuStreamGetCaptureInfo_v3(stream, &status, NULL, NULL, nodes,
							  &edges, &number);
	return result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? number : 0;
}

void graph_node_captured(CUstream stream)
{
	const struct node_place place = place_now();
	const CUgraphNode *nodes = NULL;
	int saved_errno = errno;
	size_t number;

	if (!node_place_is_somewhere(place) && !graph_nodes_have_ranges())
		return;
	number = dependencies_of(stream, &nodes);
	for (size_t i = 0; i < number; i++)
		set_place(nodes[i], place);
	errno = saved_errno;
}

void graph_node_added(const CUgraphNode *node, CUresult result)
{
	const struct node_place place = place_now();

	if (result != CUDA_SUCCESS || !node || !lifecycle_running() ||
	    (!node_place_is_somewhere(place) && !graph_nodes_have_ranges()))
		return;
	set_place(*node, place);
}

/* A graph's nodes; the caller frees the list. Their number; 0 if there are none. -errno if they are
 * not known. */
static ssize_t handles_of(CUgraph graph, CUgraphNode **handles)
{
	size_t number = 0;

	*handles = NULL;
	if (!driver.cuGraphGetNodes || driver.cuGraphGetNodes(graph, NULL, &number) != CUDA_SUCCESS)
		return -ENOTSUP;
	if (number == 0)
		return 0;
	*handles = calloc(number, sizeof(**handles));
	if (!*handles)
		return -ENOMEM;
	return driver.cuGraphGetNodes(graph, *handles, &number) == CUDA_SUCCESS ? (ssize_t)number
										: -ENOTSUP;
}

/* If the driver does not say, one that ktime does not know. */
#define TYPE_UNKNOWN ((CUgraphNodeType)INT_MAX)
static CUgraphNodeType type_of(CUgraphNode node)
{
	CUgraphNodeType type;

	return driver.cuGraphNodeGetType && driver.cuGraphNodeGetType(node, &type) == CUDA_SUCCESS
		       ? type
		       : TYPE_UNKNOWN;
}

/* The graph of a node that has one, or NULL; `depth`: of the graph that the node is in. */
static CUgraph child_of(CUgraphNode node, CUgraphNodeType type, int depth)
{
	CUgraph child = NULL;

	if (type != CU_GRAPH_NODE_TYPE_GRAPH || depth >= NESTING ||
	    !driver.cuGraphChildGraphNodeGetGraph ||
	    driver.cuGraphChildGraphNodeGetGraph(node, &child) != CUDA_SUCCESS)
		return NULL;
	return child;
}

/* A clone has its nodes in the same order. */
static void clone_places(CUgraph clone, CUgraph graph, int depth)
{
	CUgraphNode *nodes, *clones;
	ssize_t number = handles_of(graph, &nodes), cloned = handles_of(clone, &clones);

	for (ssize_t i = 0; i < number && number == cloned; i++) {
		CUgraph from = child_of(nodes[i], type_of(nodes[i]), depth);
		CUgraph to = from ? child_of(clones[i], type_of(clones[i]), depth) : NULL;

		set_place(clones[i], place_of(nodes[i], nowhere));
		if (to)
			clone_places(to, from, depth + 1);
	}
	free(nodes);
	free(clones);
}

void graph_cloned(const CUgraph *clone, CUgraph graph, CUresult result)
{
	if (result == CUDA_SUCCESS && clone && graph_nodes_have_ranges())
		clone_places(*clone, graph, 0);
}

void graph_child_added(const CUgraphNode *node, CUgraph graph, CUresult result)
{
	CUgraph child;

	graph_node_added(node, result);
	if (result != CUDA_SUCCESS || !node || !graph_nodes_have_ranges())
		return;
	child = child_of(*node, type_of(*node), 0);
	if (child)
		clone_places(child, graph, 1);
}

static void forget_nodes(CUgraph graph, int depth);

static void forget_node(CUgraphNode node, int depth)
{
	CUgraph child = child_of(node, type_of(node), depth);

	if (child)
		forget_nodes(child, depth + 1);
	set_place(node, nowhere);
}

static void forget_nodes(CUgraph graph, int depth)
{
	CUgraphNode *nodes;
	ssize_t number = handles_of(graph, &nodes);

	for (ssize_t i = 0; i < number; i++)
		forget_node(nodes[i], depth);
	free(nodes);
}

void graph_nodes_end(CUgraph graph)
{
	if (graph && graph_nodes_have_ranges())
		forget_nodes(graph, 0);
}

void graph_node_ends(CUgraphNode node)
{
	store_relaxed(&kept.had_destroyed, true);
	if (node && graph_nodes_have_ranges())
		forget_node(node, 0);
}

void graph_node_set_kernel(struct graph_node *node, const CUDA_KERNEL_NODE_PARAMS_v2 *kernel)
{
	uint64_t digest = digest_with(0, kernel->sharedMemBytes);

	digest = digest_with(digest_with(digest, kernel->gridDimX), kernel->blockDimX);
	digest = digest_with(digest_with(digest, kernel->gridDimY), kernel->blockDimY);
	node->parameters = digest_with(digest_with(digest, kernel->gridDimZ), kernel->blockDimZ);
	node->operation =
		operation_of_kernel(kernel->func ? kernel->func : (CUfunction)kernel->kern);
}

static struct operation *operation_of_copy(CUgraphNode handle)
{
	CUDA_MEMCPY3D copy;

	memset(&copy, 0, sizeof(copy));
	if (!driver.cuGraphMemcpyNodeGetParams ||
	    driver.cuGraphMemcpyNodeGetParams(handle, &copy) != CUDA_SUCCESS)
		return NULL;
	return operation_fixed(copy_direction(
		&(struct copy_end){copy.srcMemoryType, copy.srcDevice, copy.srcHost},
		&(struct copy_end){copy.dstMemoryType, copy.dstDevice, copy.dstHost}));
}

/* Reads what a node does; false if the driver does not say. Not inlined: it needs more of the stack
 * than the function that calls itself for child graphs. */
static __attribute__((noinline)) bool read_operation(struct graph_node *node)
{
	CUDA_KERNEL_NODE_PARAMS_v2 kernel;

	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		memset(&kernel, 0, sizeof(kernel));
		if (driver.cuGraphKernelNodeGetParams_v2 &&
		    driver.cuGraphKernelNodeGetParams_v2(node->handle, &kernel) == CUDA_SUCCESS) {
			graph_node_set_kernel(node, &kernel);
			return true;
		}
		node->operation = operation_fixed(OPERATION_UNKNOWN_KERNEL);
		return false;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		node->operation = operation_of_copy(node->handle);
		return node->operation;
	case CU_GRAPH_NODE_TYPE_MEMSET:
		node->operation = operation_fixed(OPERATION_MEMSET);
		return true;
	default:
		return true;
	}
}

/* Finds a node's range, where some node was made in one, and its number if it is in no child graph:
 * where none was ever destroyed, that is its place; CUPTI knows it in any case. */
static void find_place(struct graph_nodes *nodes, struct graph_node *node)
{
	uint64_t id;

	node->place = place_of(node->handle, node->place);
	nodes->in_ranges |=
		node_place_is_somewhere(node->place) && (node->type == CU_GRAPH_NODE_TYPE_KERNEL ||
							 node->type == CU_GRAPH_NODE_TYPE_MEMCPY ||
							 node->type == CU_GRAPH_NODE_TYPE_MEMSET);
	if (node->child || !graph_nodes_have_holes())
		return;
	/* No graph has 2^32 nodes. */
	if (cupti_graph_node_id(node->handle, &id) || (uint32_t)id == UINT32_MAX)
		nodes->incomplete = true;
	else
		node->number = (uint32_t)id;
}

static void add_node(struct graph_nodes *nodes, const struct graph_node *node)
{
	nodes->variable |= (int)node->type >= NODE_CONDITIONAL;
	if (node->number >= nodes->numbers)
		nodes->numbers = node->number + 1;
	if (LIST_HAS_ROOM(nodes->nodes, nodes->count, nodes->room))
		nodes->nodes[nodes->count++] = *node;
	else
		nodes->lacking = true;
}

/* Adds the nodes of a graph, and those of its child graphs; `child` and `place`: of these nodes, as
 * far as they have none of their own. */
static void read_nodes(struct graph_nodes *nodes, CUgraph graph, CUgraphNode child,
		       struct node_place place, int depth, bool operations)
{
	const bool ranges = graph_nodes_have_ranges();
	const uint32_t first_number = nodes->numbers;
	const size_t first = nodes->count;
	CUgraphNode *handles;
	ssize_t number = handles_of(graph, &handles);
	size_t end;

	nodes->lacking |= number < 0;
	for (ssize_t i = 0; i < number; i++) {
		struct graph_node node = {.handle = handles[i],
					  .child = child,
					  .type = type_of(handles[i]),
					  .number = first_number + (uint32_t)i,
					  .place = place};

		nodes->unread |= operations && !read_operation(&node);
		if (ranges)
			find_place(nodes, &node);
		add_node(nodes, &node);
	}
	free(handles);
	end = nodes->count;
	for (size_t i = first; i < end; i++) {
		const struct graph_node node = nodes->nodes[i];
		CUgraph below = child_of(node.handle, node.type, depth);

		nodes->lacking |= !below && node.type == CU_GRAPH_NODE_TYPE_GRAPH;
		/* Of the last nodes that a graph had before nobody knows. */
		nodes->incomplete |= below && graph_nodes_have_holes();
		if (below)
			read_nodes(nodes, below, child ? child : node.handle, node.place, depth + 1,
				   operations);
	}
}

void graph_nodes_read(struct graph_nodes *nodes, CUgraph graph, CUgraphNode child, bool operations)
{
	read_nodes(nodes, graph, child, nowhere, child ? 1 : 0, operations);
}

void graph_nodes_free(struct graph_nodes *nodes)
{
	free(nodes->nodes);
	*nodes = (struct graph_nodes){0};
}
