/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "preload/base/lifecycle_state.h"
#include "preload/handles/operation.h"

/* How many kernels a row lists. The graph of a neural network has hundreds of nodes but some ten
 * kernels. */
#define LISTED_KERNELS 16
/* How deep child graphs are followed; a bound in case they are not a tree. Chosen. */
#define NESTING	       16

struct executable {
	CUgraphExec exec;
	struct operation *operation;
	UT_hash_handle link;
};

struct shape {
	uint64_t digest;
	struct operation *operation;
	UT_hash_handle link;
};

struct contents {
	uint64_t digest;
	uint32_t nodes;
	const char *kernels[LISTED_KERNELS];
	unsigned kernel_count;
};

/* CUDA_KERNEL_NODE_PARAMS_v2, which toolkits before 12.0 do not declare. */
struct kernel_node {
	CUfunction function;
	unsigned grid[3], block[3], shared;
	void **parameters, **extra;
	void *kernel, *context;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct executable *executables;
static struct shape *shapes;
static unsigned shape_count;

static uint64_t mix(uint64_t digest, uint64_t value)
{
	/* FNV-1a with its 64-bit prime, a word at a time instead of a byte. */
	return (digest ^ value) * 0x100000001b3ull;
}

static void add_kernel(struct contents *contents, CUgraphNode node)
{
	struct kernel_node parameters;
	struct operation *operation;
	unsigned i;

	memset(&parameters, 0, sizeof(parameters));
	if (!driver.cuGraphKernelNodeGetParams_v2 ||
	    driver.cuGraphKernelNodeGetParams_v2(node, &parameters) != CUDA_SUCCESS)
		return;
	operation = operation_of_kernel(parameters.function ? parameters.function
							    : (CUfunction)parameters.kernel);
	contents->digest = mix(contents->digest, (uintptr_t)operation);
	for (i = 0; i < contents->kernel_count; i++)
		if (contents->kernels[i] == operation->name)
			return;
	if (i < LISTED_KERNELS)
		contents->kernels[contents->kernel_count++] = operation->name;
}

static void read_nodes(struct contents *contents, CUgraph graph, int depth)
{
	CUgraphNode *nodes = NULL;
	size_t count = 0;

	if (depth > NESTING || !driver.cuGraphGetNodes || !driver.cuGraphNodeGetType ||
	    driver.cuGraphGetNodes(graph, NULL, &count) != CUDA_SUCCESS || count == 0)
		return;
	nodes = calloc(count, sizeof(*nodes));
	if (!nodes || driver.cuGraphGetNodes(graph, nodes, &count) != CUDA_SUCCESS)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
		CUgraph child;

		driver.cuGraphNodeGetType(nodes[i], &type);
		contents->digest = mix(contents->digest, type + 1);
		contents->nodes++;
		if (type == CU_GRAPH_NODE_TYPE_KERNEL)
			add_kernel(contents, nodes[i]);
		else if (type == CU_GRAPH_NODE_TYPE_GRAPH && driver.cuGraphChildGraphNodeGetGraph &&
			 driver.cuGraphChildGraphNodeGetGraph(nodes[i], &child) == CUDA_SUCCESS)
			read_nodes(contents, child, depth + 1);
	}
	free(nodes);
}

static char *list_kernels(const struct contents *contents)
{
	size_t size = 1;
	char *list;

	for (unsigned i = 0; i < contents->kernel_count; i++)
		size += strlen(contents->kernels[i]) + 1;
	list = malloc(size);
	if (list)
		list[0] = '\0';
	/* One per line, as demangled names contain commas and spaces. */
	for (unsigned i = 0; list && i < contents->kernel_count; i++) {
		strcat(list, contents->kernels[i]);
		strcat(list, i + 1 < contents->kernel_count ? "\n" : "");
	}
	return list;
}

static struct operation *operation_of_shape_locked(const struct contents *contents)
{
	struct operation *operation;
	struct shape *shape = NULL;
	char name[64];

	HASH_FIND(link, shapes, &contents->digest, sizeof(contents->digest), shape);
	if (shape)
		return shape->operation;
	shape = calloc(1, sizeof(*shape));
	if (!shape)
		return operation_fixed(OPERATION_UNKNOWN_GRAPH);
	snprintf(name, sizeof(name), "[CUDA graph %u]", ++shape_count);
	shape->digest = contents->digest;
	operation = operation_named(ROW_GRAPH, name);
	operation->nodes = contents->nodes;
	operation->kernels_listed = list_kernels(contents);
	shape->operation = operation;
	HASH_ADD(link, shapes, digest, sizeof(shape->digest), shape);
	if (!shape->link.tbl)
		free(shape);
	return operation;
}

void graph_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result)
{
	struct contents contents = {.digest = 0xcbf29ce484222325ull}; /* FNV-1a's offset basis */
	struct executable *executable = NULL;

	if (result != CUDA_SUCCESS || !exec || !lifecycle_running())
		return;
	read_nodes(&contents, graph, 0);
	pthread_mutex_lock(&lock);
	HASH_FIND(link, executables, exec, sizeof(*exec), executable);
	if (!executable) {
		executable = calloc(1, sizeof(*executable));
		if (executable) {
			executable->exec = *exec;
			HASH_ADD(link, executables, exec, sizeof(executable->exec), executable);
			if (!executable->link.tbl) {
				free(executable);
				executable = NULL;
			}
		}
	}
	if (executable)
		executable->operation = operation_of_shape_locked(&contents);
	pthread_mutex_unlock(&lock);
}

void graph_ending(CUgraphExec exec)
{
	struct executable *executable = NULL;

	if (lifecycle_forked())
		return;
	pthread_mutex_lock(&lock);
	HASH_FIND(link, executables, &exec, sizeof(exec), executable);
	if (executable) {
		HASH_DELETE(link, executables, executable);
		free(executable);
		/* Threads cache the operations of graphs like those of kernels, and the driver may
		 * reuse the handle. */
		operation_forget_kernels();
	}
	pthread_mutex_unlock(&lock);
}

struct operation *graph_operation(CUgraphExec exec)
{
	struct executable *executable = NULL;
	struct operation *operation;

	pthread_mutex_lock(&lock);
	HASH_FIND(link, executables, &exec, sizeof(exec), executable);
	operation = executable ? executable->operation : operation_fixed(OPERATION_UNKNOWN_GRAPH);
	pthread_mutex_unlock(&lock);
	return operation;
}
