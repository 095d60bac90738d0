/* SPDX-License-Identifier: MIT */
/* Under which operation a graph's launches are counted: read from its nodes when it is made, and
 * followed through the updates of the executable graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "preload/base/lifecycle_state.h"
#include "preload/handles/copy_direction.h"
#include "preload/handles/graph.h"
#include "preload/handles/graph_contents.h"

#define MOST   20 /* nodes of a graph, and kernels */
#define SECOND 1000000000ull

struct driver driver;
_Atomic int lifecycle_state = LIFECYCLE_RUNNING;
static struct operation kernels[MOST], fixed[FIXED_OPERATION_COUNT], graphs[64];
static char graph_names[64][32];
static unsigned graph_count, forgotten;
static uint64_t now = 1000 * SECOND, reading_takes;

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *time)
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

void operation_forget_kernels(void)
{
	forgotten++;
}

enum fixed_operation copy_direction(CUmemorytype source, CUdeviceptr source_pointer,
				    CUmemorytype destination, CUdeviceptr destination_pointer)
{
	assert_int_equal(source_pointer, source == CU_MEMORYTYPE_HOST ? 0x10 : 0x20);
	assert_int_equal(destination_pointer, destination == CU_MEMORYTYPE_HOST ? 0x30 : 0x40);
	return source == CU_MEMORYTYPE_HOST ? OPERATION_COPY_HTOD : OPERATION_COPY_DTOH;
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

static void a_graph_is_known_by_what_its_nodes_do(void **state)
{
	struct operation *operation = make(1, &plain);
	const struct graph_contents *contents = contents_of(operation);

	(void)state;
	assert_string_equal(operation->name, "[CUDA graph 1]");
	assert_string_equal(operation->kernels_listed, "k1\nk2");
	assert_int_equal(contents->nodes, 4);
	assert_int_equal(contents->recorded, 3);
	assert_int_equal(contents->part_count, 2);
	assert_ptr_equal(contents->parts[0].operation, &kernels[0]);
	assert_int_equal(contents->parts[0].count, 2);
	assert_ptr_equal(contents->parts[1].operation, &kernels[1]);
	assert_int_equal(contents->parts[1].count, 1);
	assert_false(contents->variable);
	assert_true(contents->kernels == 2 * graph_contents_kernel_mark(&kernels[0]) +
						 graph_contents_kernel_mark(&kernels[1]));
	/* A graph of the same nodes is the same to the user. */
	assert_ptr_equal(make(2, &plain), operation);
	nodes[1].kernel = 3;
	assert_ptr_not_equal(make(3, &plain), operation);
	assert_string_equal(graph_operation(exec(3))->name, "[CUDA graph 2]");
	assert_ptr_equal(graph_operation(exec(1)), operation);
	/* One with a node more that does nothing is another graph. */
	nodes[1].kernel = 2;
	nodes[3].type = CU_GRAPH_NODE_TYPE_HOST;
	assert_ptr_not_equal(make(4, &plain), operation);
}

static void copies_and_memsets_are_parts_too(void **state)
{
	const struct graph_contents *contents;

	(void)state;
	nodes[0] = (struct node){.type = CU_GRAPH_NODE_TYPE_MEMSET};
	nodes[1] = (struct node){.type = CU_GRAPH_NODE_TYPE_MEMCPY,
				 .source = CU_MEMORYTYPE_HOST,
				 .destination = CU_MEMORYTYPE_DEVICE};
	nodes[2] = (struct node){.type = CU_GRAPH_NODE_TYPE_MEMCPY,
				 .source = CU_MEMORYTYPE_DEVICE,
				 .destination = CU_MEMORYTYPE_HOST};
	/* A type that ktime does not know may run anything: conditional nodes are 13. */
	nodes[3].type = (CUgraphNodeType)13;
	contents = contents_of(make(1, &plain));
	assert_int_equal(contents->part_count, 3);
	assert_ptr_equal(contents->parts[0].operation, &fixed[OPERATION_MEMSET]);
	assert_ptr_equal(contents->parts[1].operation, &fixed[OPERATION_COPY_HTOD]);
	assert_ptr_equal(contents->parts[2].operation, &fixed[OPERATION_COPY_DTOH]);
	assert_int_equal(contents->kernels, 0);
	assert_true(contents->variable);
	assert_string_equal(graph_operation(exec(1))->kernels_listed, "");
	nodes[3].type = (CUgraphNodeType)12;
	assert_false(contents_of(make(1, &plain))->variable);
}

static void what_the_driver_does_not_say_is_unknown(void **state)
{
	const struct graph_contents *contents;
	CUgraphExec failed = exec(9);

	(void)state;
	nodes[0].refused = true;
	nodes[2] = (struct node){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .refused = true};
	contents = contents_of(make(1, &plain));
	assert_int_equal(contents->recorded, 2);
	assert_ptr_equal(contents->parts[0].operation, &fixed[OPERATION_UNKNOWN_KERNEL]);
	/* An older driver lacks the functions. */
	driver.cuGraphKernelNodeGetParams_v2 = NULL;
	driver.cuGraphMemcpyNodeGetParams = NULL;
	contents = contents_of(make(1, &plain));
	assert_int_equal(contents->parts[0].count, 2);
	driver.cuGraphNodeGetType = NULL;
	assert_int_equal(contents_of(make(1, &plain))->nodes, 0);
	driver.cuGraphNodeGetType = get_type;
	list_refused = true;
	assert_int_equal(contents_of(make(1, &plain))->nodes, 0);
	assert_int_equal(contents_of(make(1, NULL))->nodes, 0);
	/* A graph that was not made, and one that ktime has not seen being made. */
	graph_instantiated(&failed, (CUgraph)&plain, CUDA_ERROR_INVALID_VALUE);
	graph_instantiated(NULL, (CUgraph)&plain, CUDA_SUCCESS);
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	graph_instantiated(&failed, (CUgraph)&plain, CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(failed), &fixed[OPERATION_UNKNOWN_GRAPH]);
}

static void child_graphs_are_read_sixteen_deep(void **state)
{
	static struct graph nested[20];
	const struct graph_contents *contents;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		nested[i] = (struct graph){2, {node(10 + i), node(0)}};
		nodes[10 + i] =
			(struct node){.type = CU_GRAPH_NODE_TYPE_GRAPH, .below = &nested[i + 1]};
	}
	nodes[29].type = CU_GRAPH_NODE_TYPE_EMPTY;
	contents = contents_of(make(1, &nested[0]));
	/* The graph itself, and 16 below it. */
	assert_int_equal(contents->parts[0].count, 17);
	assert_int_equal(contents->nodes, 34);
	nodes[10].refused = true;
	assert_int_equal(contents_of(make(1, &nested[0]))->parts[0].count, 1);
	driver.cuGraphChildGraphNodeGetGraph = NULL;
	assert_int_equal(contents_of(make(1, &nested[1]))->parts[0].count, 1);
}

static void sixteen_kernels_are_listed(void **state)
{
	struct graph wide = {.count = 18};

	(void)state;
	for (unsigned i = 0; i < 18; i++) {
		nodes[20 + i] = (struct node){.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = i + 1};
		wide.nodes[i] = node(20 + i);
	}
	nodes[20].type = CU_GRAPH_NODE_TYPE_MEMSET;
	assert_string_equal(
		make(1, &wide)->kernels_listed,
		"k2\nk3\nk4\nk5\nk6\nk7\nk8\nk9\nk10\nk11\nk12\nk13\nk14\nk15\nk16\nk17");
	assert_int_equal(contents_of(graph_operation(exec(1)))->nodes, 18);
}

static void a_graph_that_ends_is_forgotten(void **state)
{
	unsigned before = forgotten;

	(void)state;
	make(1, &plain);
	graph_ending(exec(2));
	assert_int_equal(forgotten, before);
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	graph_ending(exec(1));
	assert_int_equal(forgotten, before);
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	graph_ending(exec(1));
	assert_int_equal(forgotten, before + 1);
	assert_ptr_equal(graph_operation(exec(1)), &fixed[OPERATION_UNKNOWN_GRAPH]);
}

static const void *runs(uintptr_t kernel)
{
	static CUDA_KERNEL_NODE_PARAMS_v2 parameters;

	parameters = (CUDA_KERNEL_NODE_PARAMS_v2){.func = (CUfunction)kernel};
	return &parameters;
}

static void updates_are_followed_only_once_that_is_asked_for(void **state)
{
	struct operation *operation = make(1, &plain);

	(void)state;
	graph_kernel_changed(exec(1), node(1), runs(5), CUDA_SUCCESS);
	graph_node_enabled(exec(1), node(1), false, CUDA_SUCCESS);
	graph_updated(exec(1), (CUgraph)&plain, CUDA_SUCCESS);
	graph_child_changed(exec(1), node(1), (CUgraph)&plain, CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), operation);
	graph_follow_updates();
	/* Its nodes were not kept. */
	graph_kernel_changed(exec(1), node(1), runs(5), CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), operation);
}

static void a_kernel_node_may_get_another_kernel(void **state)
{
	struct operation *operation = make(1, &plain), *changed;
	unsigned before = forgotten;

	(void)state;
	graph_kernel_changed(exec(1), node(1), runs(5), CUDA_ERROR_INVALID_VALUE);
	graph_kernel_changed(exec(1), node(1), NULL, CUDA_SUCCESS);
	graph_kernel_changed(exec(1), node(1), runs(2), CUDA_SUCCESS);
	graph_kernel_changed(exec(1), node(17), runs(5), CUDA_SUCCESS);
	graph_kernel_changed(exec(7), node(1), runs(5), CUDA_SUCCESS);
	assert_int_equal(forgotten, before);
	graph_kernel_changed(exec(1), node(1), runs(5), CUDA_SUCCESS);
	/* What the threads know is forgotten once, however many nodes change. */
	graph_kernel_changed(exec(1), node(2), runs(6), CUDA_SUCCESS);
	assert_int_equal(forgotten, before + 1);
	changed = graph_operation(exec(1));
	assert_ptr_not_equal(changed, operation);
	assert_string_equal(changed->kernels_listed, "k1\nk5\nk6");
	graph_kernel_changed(exec(1), node(1), runs(2), CUDA_SUCCESS);
	graph_kernel_changed(exec(1), node(2), runs(1), CUDA_SUCCESS);
	assert_int_equal(forgotten, before + 2);
	assert_ptr_equal(graph_operation(exec(1)), operation);
	/* ktime has ended. */
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	graph_kernel_changed(exec(1), node(1), runs(5), CUDA_SUCCESS);
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	assert_ptr_equal(graph_operation(exec(1)), operation);
}

static void a_node_that_is_disabled_is_not_counted(void **state)
{
	struct operation *operation = make(1, &plain);
	const struct graph_contents *contents;
	unsigned before = forgotten;

	(void)state;
	graph_node_enabled(exec(1), node(0), true, CUDA_SUCCESS);
	graph_node_enabled(exec(1), node(0), false, CUDA_ERROR_INVALID_VALUE);
	graph_node_enabled(exec(1), node(17), false, CUDA_SUCCESS);
	assert_int_equal(forgotten, before);
	graph_node_enabled(exec(1), node(0), false, CUDA_SUCCESS);
	assert_int_equal(forgotten, before + 1);
	contents = contents_of(graph_operation(exec(1)));
	assert_int_equal(contents->nodes, 3);
	assert_ptr_equal(contents->parts[0].operation, &kernels[1]);
	assert_int_equal(contents->parts[1].count, 1);
	graph_node_enabled(exec(1), node(0), true, CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), operation);
}

static void an_update_takes_the_kernels_of_another_graph(void **state)
{
	const struct graph other = {4, {node(5), node(1), node(6), node(3)}};
	const struct graph shorter = {1, {node(6)}};
	struct operation *operation = make(1, &plain);
	unsigned before = forgotten;

	(void)state;
	nodes[5] = (struct node){.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = 1};
	nodes[6] = (struct node){.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = 7};
	graph_updated(exec(1), (CUgraph)&other, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	graph_updated(exec(1), (CUgraph)&plain, CUDA_SUCCESS);
	graph_updated(exec(1), (CUgraph)&shorter, CUDA_SUCCESS);
	graph_updated(exec(7), (CUgraph)&other, CUDA_SUCCESS);
	assert_int_equal(forgotten, before);
	graph_updated(exec(1), (CUgraph)&other, CUDA_SUCCESS);
	assert_int_equal(forgotten, before + 1);
	assert_string_equal(graph_operation(exec(1))->kernels_listed, "k1\nk2\nk7");
	/* Its nodes still have the first graph's names. */
	graph_kernel_changed(exec(1), node(2), runs(1), CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), operation);
}

static void a_child_graph_may_be_put_in_anothers_place(void **state)
{
	static const struct graph below = {2, {(CUgraphNode)1, (CUgraphNode)2}};
	static const struct graph deep = {1, {(CUgraphNode)9}}; /* node(8), a child graph again */
	const struct graph outer = {2, {node(7), node(2)}};
	const struct graph_contents *contents;

	(void)state;
	nodes[7] = (struct node){.type = CU_GRAPH_NODE_TYPE_GRAPH, .below = &deep};
	nodes[8] = (struct node){.type = CU_GRAPH_NODE_TYPE_GRAPH, .below = &below};
	contents = contents_of(make(1, &outer));
	assert_int_equal(contents->nodes, 5);
	assert_int_equal(contents->recorded, 3);
	graph_child_changed(exec(1), node(7), (CUgraph)&plain, CUDA_ERROR_INVALID_VALUE);
	graph_child_changed(exec(1), node(17), (CUgraph)&plain, CUDA_SUCCESS);
	assert_ptr_equal(contents_of(graph_operation(exec(1))), contents);
	/* All that was below goes. */
	graph_child_changed(exec(1), node(7), (CUgraph)&below, CUDA_SUCCESS);
	contents = contents_of(graph_operation(exec(1)));
	assert_int_equal(contents->nodes, 4);
	assert_int_equal(contents->recorded, 3);
	graph_child_changed(exec(1), node(7), (CUgraph)&plain, CUDA_SUCCESS);
	contents = contents_of(graph_operation(exec(1)));
	assert_int_equal(contents->nodes, 6);
	assert_int_equal(contents->recorded, 4);
}

/* The last one: the time that reading took is the run's. */
static void updates_are_read_for_a_hundredth_of_the_time(void **state)
{
	const struct graph other = {4, {node(5), node(1), node(2), node(3)}};
	struct operation *operation = make(1, &plain), *updated;
	uint64_t before = graph_updates_unread();

	(void)state;
	nodes[5] = (struct node){.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = 7};
	graph_follow_updates();
	assert_int_equal(before, 0);
	/* 10 ms at first. */
	reading_takes = 10000000;
	graph_updated(exec(1), (CUgraph)&other, CUDA_SUCCESS);
	updated = graph_operation(exec(1));
	assert_ptr_not_equal(updated, operation);
	reading_takes = 1;
	graph_updated(exec(1), (CUgraph)&plain, CUDA_SUCCESS);
	assert_int_equal(graph_updates_unread(), 0);
	assert_ptr_equal(graph_operation(exec(1)), operation);
	/* Of the 10 ms since, a hundredth is 0.1 ms. */
	reading_takes = 200000;
	graph_updated(exec(1), (CUgraph)&plain, CUDA_SUCCESS);
	assert_int_equal(graph_updates_unread(), 0);
	graph_updated(exec(1), (CUgraph)&other, CUDA_SUCCESS);
	assert_int_equal(graph_updates_unread(), 1);
	assert_ptr_equal(graph_operation(exec(1)), operation);
	now += 10000000;
	graph_updated(exec(1), (CUgraph)&other, CUDA_SUCCESS);
	assert_int_equal(graph_updates_unread(), 1);
	assert_ptr_equal(graph_operation(exec(1)), updated);
	reading_takes = 0;
	now += 100 * SECOND;
}

#define GRAPHS(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GRAPHS(a_graph_is_known_by_what_its_nodes_do),
		GRAPHS(copies_and_memsets_are_parts_too),
		GRAPHS(what_the_driver_does_not_say_is_unknown),
		GRAPHS(child_graphs_are_read_sixteen_deep),
		GRAPHS(sixteen_kernels_are_listed),
		GRAPHS(a_graph_that_ends_is_forgotten),
		GRAPHS(updates_are_followed_only_once_that_is_asked_for),
		GRAPHS(a_kernel_node_may_get_another_kernel),
		GRAPHS(a_node_that_is_disabled_is_not_counted),
		GRAPHS(an_update_takes_the_kernels_of_another_graph),
		GRAPHS(a_child_graph_may_be_put_in_anothers_place),
		GRAPHS(updates_are_read_for_a_hundredth_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
