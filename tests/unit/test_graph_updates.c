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

/* By the graph that it was updated from, if it lived for 20 ms. */
static void versions_of_a_graph_are_counted_apart(void **state)
{
	/* plain's nodes, in another graph. */
	static const struct graph same = {
		4, {(CUgraphNode)1, (CUgraphNode)2, (CUgraphNode)3, (CUgraphNode)4}};
	struct operation *first = make(1, &plain), *second;
	unsigned before = forgotten;

	(void)state;
	now += 20000000;
	graph_updated(exec(1), (CUgraph)&same, CUDA_SUCCESS);
	assert_int_equal(forgotten, before + 1);
	second = graph_operation(exec(1));
	assert_ptr_not_equal(second, first);
	assert_ptr_equal(second->version_of, first);
	now += 20000000;
	graph_updated(exec(1), (CUgraph)&same, CUDA_SUCCESS);
	assert_int_equal(forgotten, before + 1);
	graph_updated(exec(1), (CUgraph)&plain, CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), first);
	now += 20000000;
	graph_updated(exec(1), (CUgraph)&same, CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), second);
	assert_int_equal(forgotten, before + 3);
	/* Another executable graph has it as well. */
	assert_ptr_equal(make(2, &same), second);
	now += 1;
	graph_updated(exec(2), (CUgraph)&plain, CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(2)), first);
}

static void versions_that_live_shortly_are_the_first(void **state)
{
	static const struct graph same[2] = {
		{4, {(CUgraphNode)1, (CUgraphNode)2, (CUgraphNode)3, (CUgraphNode)4}},
		{4, {(CUgraphNode)1, (CUgraphNode)2, (CUgraphNode)3, (CUgraphNode)4}}};
	struct operation *first = make(1, &plain);
	unsigned before;

	(void)state;
	now += 19999999;
	graph_updated(exec(1), (CUgraph)&same[0], CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), first);
	/* Nothing is looked up again for the next ones. */
	before = forgotten;
	for (int i = 0; i < 10; i++) {
		now += 19999999;
		graph_updated(exec(1), (CUgraph)&same[(i + 1) % 2], CUDA_SUCCESS);
		assert_ptr_equal(graph_operation(exec(1)), first);
	}
	assert_int_equal(forgotten, before);
	now += 20000000;
	graph_updated(exec(1), (CUgraph)&same[1], CUDA_SUCCESS);
	assert_ptr_not_equal(graph_operation(exec(1)), first);
	assert_int_equal(forgotten, before + 1);
}

static void sixteen_versions_are_told_apart(void **state)
{
	static const struct graph other = {2, {(CUgraphNode)6, (CUgraphNode)1}};
	static struct graph same[17];
	struct operation *first, *versions[17];

	(void)state;
	nodes[5] = (struct node){.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = 9};
	first = make(1, &other);
	for (unsigned i = 0; i < 17; i++) {
		same[i] = other;
		now += SECOND;
		graph_updated(exec(1), (CUgraph)&same[i], CUDA_SUCCESS);
		versions[i] = graph_operation(exec(1));
	}
	for (unsigned i = 0; i < 15; i++)
		for (unsigned k = 0; k < i; k++)
			assert_ptr_not_equal(versions[i], versions[k]);
	assert_ptr_equal(versions[15], first);
	assert_ptr_equal(versions[16], first);
}

static const void *of_blocks(uintptr_t kernel, unsigned blocks)
{
	static CUDA_KERNEL_NODE_PARAMS_v2 parameters;

	parameters = (CUDA_KERNEL_NODE_PARAMS_v2){.func = (CUfunction)kernel, .gridDimX = blocks};
	return &parameters;
}

static void a_kernel_node_of_another_size_is_another_version(void **state)
{
	struct operation *first = make(1, &plain), *second;

	(void)state;
	now += SECOND;
	/* What is changed before a launch is one change. */
	graph_kernel_changed(exec(1), node(1), of_blocks(2, 5), CUDA_SUCCESS);
	graph_kernel_changed(exec(1), node(2), of_blocks(1, 7), CUDA_SUCCESS);
	second = graph_operation(exec(1));
	assert_ptr_equal(second->version_of, first);
	now += SECOND;
	graph_kernel_changed(exec(1), node(1), of_blocks(2, 7), CUDA_SUCCESS);
	graph_kernel_changed(exec(1), node(2), of_blocks(1, 5), CUDA_SUCCESS);
	assert_ptr_not_equal(graph_operation(exec(1)), second);
	assert_ptr_equal(graph_operation(exec(1))->version_of, first);
	now += SECOND;
	graph_kernel_changed(exec(1), node(2), of_blocks(1, 0), CUDA_SUCCESS);
	graph_kernel_changed(exec(1), node(1), of_blocks(2, 0), CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), first);
	now += SECOND;
	graph_kernel_changed(exec(1), node(2), of_blocks(1, 7), CUDA_SUCCESS);
	graph_kernel_changed(exec(1), node(1), of_blocks(2, 5), CUDA_SUCCESS);
	assert_ptr_equal(graph_operation(exec(1)), second);
}

/* The last one: the time that reading took is the run's. */
static void updates_are_read_for_a_hundredth_of_the_time(void **state)
{
	const struct graph other = {4, {node(5), node(1), node(2), node(3)}};
	struct operation *operation = make(1, &plain), *updated;
	uint64_t before = graph_updates_unread;

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
	assert_int_equal(graph_updates_unread, 0);
	assert_ptr_equal(graph_operation(exec(1)), operation);
	/* Of the 10 ms since, a hundredth is 0.1 ms. */
	reading_takes = 200000;
	graph_updated(exec(1), (CUgraph)&plain, CUDA_SUCCESS);
	assert_int_equal(graph_updates_unread, 0);
	graph_updated(exec(1), (CUgraph)&other, CUDA_SUCCESS);
	assert_int_equal(graph_updates_unread, 1);
	assert_ptr_equal(graph_operation(exec(1)), operation);
	now += 10000000;
	graph_updated(exec(1), (CUgraph)&other, CUDA_SUCCESS);
	assert_int_equal(graph_updates_unread, 1);
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
		GRAPHS(versions_of_a_graph_are_counted_apart),
		GRAPHS(versions_that_live_shortly_are_the_first),
		GRAPHS(sixteen_versions_are_told_apart),
		GRAPHS(a_kernel_node_of_another_size_is_another_version),
		GRAPHS(updates_are_read_for_a_hundredth_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
