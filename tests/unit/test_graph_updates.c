/* SPDX-License-Identifier: MIT */
/* Executable graphs that the program changes: under which operation they are launched then. */
#include "tests/unit/graph_driver.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		GRAPHS(updates_are_followed_only_once_that_is_asked_for),
		GRAPHS(a_kernel_node_may_get_another_kernel),
		GRAPHS(a_node_that_is_disabled_is_not_counted),
		GRAPHS(an_update_takes_the_kernels_of_another_graph),
		GRAPHS(a_child_graph_may_be_put_in_anothers_place),
		GRAPHS(updates_are_read_for_a_hundredth_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
