/* SPDX-License-Identifier: MIT */
/* Under which operation a graph's launches are counted: read from its nodes when it is made. */
#include "tests/unit/graph_driver.h"

static void a_graph_is_known_by_what_its_nodes_do(void **state)
{
	struct operation *operation = make(1, &plain);
	const struct graph_contents *contents = contents_of(operation);

	(void)state;
	assert_string_equal(operation->name, "[CUDA graph 1]");
	assert_string_equal(operation->kernels_listed, "k1\nk2");
	assert_int_equal(contents->nodes, 4);
	assert_int_equal(contents->recorded, 3);
	assert_int_equal(contents->copies, 0);
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
	assert_int_equal(contents->copies, 3);
	assert_ptr_equal(contents->parts[0].operation, &fixed[OPERATION_MEMSET]);
	assert_ptr_equal(contents->parts[1].operation, &fixed[OPERATION_COPY_HTOD]);
	assert_ptr_equal(contents->parts[2].operation, &fixed[OPERATION_COPY_DTOH]);
	assert_int_equal(contents->kernels, 0);
	assert_true(contents->variable);
	assert_string_equal(graph_operation(exec(1))->kernels_listed, "");
	nodes[3].type = (CUgraphNodeType)12;
	assert_false(contents_of(make(1, &plain))->variable);
}

static void graphs_that_allocate_are_in_a_list(void **state)
{
	struct operation *before = graph_allocating_first(), *first, *second;

	(void)state;
	nodes[3].type = CU_GRAPH_NODE_TYPE_MEM_FREE;
	assert_int_equal(contents_of(make(1, &plain))->allocations, 0);
	assert_ptr_equal(graph_allocating_first(), before);
	nodes[3].type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
	first = make(1, &plain);
	assert_int_equal(contents_of(first)->allocations, 1);
	assert_int_equal(contents_of(first)->nodes, 4);
	assert_int_equal(contents_of(first)->recorded, 3);
	nodes[1].type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
	second = make(2, &plain);
	assert_int_equal(contents_of(second)->allocations, 2);
	assert_ptr_equal(graph_allocating_first(), second);
	assert_ptr_equal(second->allocating, first);
	assert_ptr_equal(first->allocating, before);
	/* One of the same nodes is there already. */
	assert_ptr_equal(make(3, &plain), second);
	assert_ptr_equal(graph_allocating_first(), second);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		GRAPHS(a_graph_is_known_by_what_its_nodes_do),
		GRAPHS(copies_and_memsets_are_parts_too),
		GRAPHS(graphs_that_allocate_are_in_a_list),
		GRAPHS(what_the_driver_does_not_say_is_unknown),
		GRAPHS(child_graphs_are_read_sixteen_deep),
		GRAPHS(sixteen_kernels_are_listed),
		GRAPHS(a_graph_that_ends_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
