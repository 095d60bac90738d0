/* SPDX-License-Identifier: MIT */
/* For the tests of preload/handles/graph.c: a driver with graphs that the test makes. */
#ifndef KTIME_TESTS_UNIT_GRAPH_DRIVER_H
#define KTIME_TESTS_UNIT_GRAPH_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/handles/graph.h"
#include "preload/handles/operation.h"

#define MOST   20 /* nodes of a graph, and kernels */
#define SECOND 1000000000ull

struct driver driver;
_Atomic int lifecycle_state = LIFECYCLE_RUNNING;
static struct operation kernels[MOST], fixed[FIXED_OPERATION_COUNT], graphs[128];
static char graph_names[128][32];
static unsigned graph_count, forgotten;
static uint64_t now = 1000 * SECOND, reading_takes;

/* In place of the kernel's. */
int clock_read(clockid_t clock, struct timespec *time)
{
	(void)clock;
	time->tv_sec = (time_t)(now / SECOND);
	time->tv_nsec = (long)(now % SECOND);
	return 0;
}

struct operation *operation_fixed(enum fixed_operation which)
{
	return &fixed[which];
}

struct operation *operation_of_kernel(CUfunction function)
{
	return &kernels[(uintptr_t)function - 1];
}

struct operation *operation_named(enum row_kind kind, const char *name)
{
	struct operation *operation = &graphs[graph_count];

	assert_int_equal(kind, ROW_GRAPH);
	snprintf(graph_names[graph_count], sizeof(graph_names[0]), "%s", name);
	operation->name = graph_names[graph_count++];
	operation->kind = kind;
	return operation;
}

struct operation *operation_version(struct operation *of)
{
	struct operation *version = operation_named(ROW_GRAPH, of->name);

	version->version_of = of;
	return version;
}

void operation_forget_kernels(void)
{
	forgotten++;
}

enum fixed_operation copy_direction(struct copy_end *source, struct copy_end *destination)
{
	assert_int_equal((uintptr_t)source->host, 0x10);
	assert_int_equal(source->pointer, 0x20);
	assert_int_equal((uintptr_t)destination->host, 0x30);
	assert_int_equal(destination->pointer, 0x40);
	return source->type == CU_MEMORYTYPE_HOST ? OPERATION_COPY_HTOD : OPERATION_COPY_DTOH;
}

/* The graphs of the test: CUgraph is the address of one, a node its number below. */
struct graph {
	size_t count;
	CUgraphNode nodes[MOST];
};
static struct node {
	CUgraphNodeType type;
	uintptr_t kernel;
	CUmemorytype source, destination;
	const struct graph *below;
	bool refused, by_kernel;
} nodes[64];

static CUgraphNode node(unsigned number)
{
	return (CUgraphNode)(uintptr_t)(number + 1);
}

static struct node *of(CUgraphNode handle)
{
	return &nodes[(uintptr_t)handle - 1];
}

static bool list_refused;

static CUresult get_nodes(CUgraph handle, CUgraphNode *list, size_t *count)
{
	const struct graph *graph = (const struct graph *)handle;

	if (!graph)
		return CUDA_ERROR_INVALID_VALUE;
	if (!list) {
		now += reading_takes;
		*count = graph->count;
		return CUDA_SUCCESS;
	}
	memcpy(list, graph->nodes, *count * sizeof(*list));
	return list_refused ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

static CUresult get_type(CUgraphNode handle, CUgraphNodeType *type)
{
	*type = of(handle)->type;
	return CUDA_SUCCESS;
}

static CUresult get_kernel(CUgraphNode handle, void *parameters)
{
	CUDA_KERNEL_NODE_PARAMS_v2 *found = parameters;

	if (of(handle)->by_kernel)
		found->kern = (CUkernel)of(handle)->kernel;
	else
		found->func = (CUfunction)of(handle)->kernel;
	return of(handle)->refused ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult get_copy(CUgraphNode handle, CUDA_MEMCPY3D *copy)
{
	copy->srcMemoryType = of(handle)->source;
	copy->srcHost = (const void *)0x10;
	copy->srcDevice = 0x20;
	copy->dstMemoryType = of(handle)->destination;
	copy->dstHost = (void *)0x30;
	copy->dstDevice = 0x40;
	return of(handle)->refused ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult get_child(CUgraphNode handle, CUgraph *below)
{
	*below = (CUgraph)of(handle)->below;
	return of(handle)->refused ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUgraphExec exec(uintptr_t number)
{
	return (CUgraphExec)number;
}

static struct operation *make(uintptr_t number, const struct graph *graph)
{
	CUgraphExec made = exec(number);

	graph_instantiated(&made, (CUgraph)graph, CUDA_SUCCESS);
	return graph_operation(made);
}

/* Two kernels, the first of which runs twice, and a node that does nothing on the device. */
static const struct graph plain = {
	4, {(CUgraphNode)1, (CUgraphNode)2, (CUgraphNode)3, (CUgraphNode)4}};

static int start(void **state)
{
	(void)state;
	driver.cuGraphGetNodes = get_nodes;
	driver.cuGraphNodeGetType = get_type;
	driver.cuGraphKernelNodeGetParams_v2 = get_kernel;
	driver.cuGraphMemcpyNodeGetParams = get_copy;
	driver.cuGraphChildGraphNodeGetGraph = get_child;
	memset(nodes, 0, sizeof(nodes));
	for (unsigned i = 0; i < MOST; i++) {
		static char names[MOST][8];

		snprintf(names[i], sizeof(names[i]), "k%u", i + 1);
		kernels[i] =
			(struct operation){.kind = ROW_KERNEL, .index = 50 + i, .name = names[i]};
	}
	for (unsigned i = 0; i < FIXED_OPERATION_COUNT; i++)
		fixed[i] = (struct operation){.kind = ROW_MEMCPY, .name = "copy"};
	fixed[OPERATION_UNKNOWN_KERNEL] = (struct operation){.kind = ROW_KERNEL, .name = "unknown"};
	nodes[0] = nodes[2] = (struct node){.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = 1};
	nodes[1] = (struct node){.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = 2, .by_kernel = true};
	nodes[3] = (struct node){.type = CU_GRAPH_NODE_TYPE_EMPTY};
	list_refused = false;
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	for (uintptr_t i = 1; i < 50; i++)
		graph_ending(exec(i));
	return 0;
}

static const struct graph_contents *contents_of(struct operation *operation)
{
	return atomic_load(&operation->contents);
}

#define GRAPHS(test) cmocka_unit_test_setup_teardown(test, start, stop)

#endif
