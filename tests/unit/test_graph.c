/* SPDX-License-Identifier: MIT */
/* Executable graphs: which NVTX range a record of a node belongs to, and when that is not said. */
#include <errno.h>
#include <unistd.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/handles/graph.h"
#include "preload/handles/stream.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"
#include "tests/unit/test.h"

struct launch_state launch_state = {.needs = 1, .lifecycle = LIFECYCLE_RUNNING};
struct driver driver;
_Atomic int64_t cupti_clock_behind;
_Atomic bool context_several_devices;

/* A kernel, a copy and a memset; handles are the addresses of the types. */
static CUgraphNodeType types[3];
static uint16_t path;
static uint32_t started;
static useconds_t reading_us;
static uint32_t id;	    /* CUPTI's of the executable graph; 0: it does not say */
static uint64_t cupti_node; /* CUPTI's number of each node; 0: it does not say */

#define GRAPH	   ((CUgraph)types)
#define NODE(i)	   ((CUgraphNode)&types[i])
#define EXECUTABLE ((CUgraphExec)types)

uint16_t range_now(void)
{
	return path;
}

uint32_t range_started_now(void)
{
	return started;
}

bool cupti_active(void)
{
	return true;
}

int cupti_graph_id(CUgraphExec graph, uint32_t *graph_id)
{
	assert_ptr_equal(graph, EXECUTABLE);
	*graph_id = id;
	return id ? 0 : -ENOTSUP;
}

int cupti_graph_node_id(CUgraphNode node, uint64_t *node_id)
{
	assert_non_null(node);
	*node_id = cupti_node;
	return cupti_node ? 0 : -ENOTSUP;
}

static CUresult get_nodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	assert_ptr_equal(graph, GRAPH);
	if (reading_us)
		usleep(reading_us);
	*count = 3;
	for (int i = 0; nodes && i < 3; i++)
		nodes[i] = NODE(i);
	return CUDA_SUCCESS;
}

static CUresult get_type(CUgraphNode node, CUgraphNodeType *type)
{
	*type = *(const CUgraphNodeType *)node;
	return CUDA_SUCCESS;
}

/* Makes the nodes in paths 5, 6 and 7. */
BEFORE_EACH
{
	static uint32_t ids;

	driver.cuGraphGetNodes = get_nodes;
	driver.cuGraphNodeGetType = get_type;
	types[0] = CU_GRAPH_NODE_TYPE_KERNEL;
	types[1] = CU_GRAPH_NODE_TYPE_MEMCPY;
	types[2] = CU_GRAPH_NODE_TYPE_MEMSET;
	id = ++ids;
	for (int i = 0; i < 3; i++) {
		CUgraphNode node = NODE(i);

		path = (uint16_t)(5 + i);
		graph_node_added(&node, CUDA_SUCCESS);
	}
	path = PATHS_OUTSIDE;
	graph_range_counts = (struct graph_range_counts){0};
}

AFTER_EACH
{
	graph_ending(EXECUTABLE);
	graph_nodes_end(GRAPH);
}

/* Of a launch whose record began at this time. */
static uint64_t mark_at(uint64_t time)
{
	return graph_mark(&(struct activity){.graph = id, .start = time});
}

static uint64_t instantiate(void)
{
	CUgraphExec executable = EXECUTABLE;

	graph_instantiated(&executable, GRAPH, CUDA_SUCCESS);
	return mark_at(1);
}

static uint16_t path_of(enum activity_kind kind, uint32_t number, uint64_t launched)
{
	struct activity activity = {
		.kind = kind, .graph = id, .graph_node = 1ull << 32 | number, .start = 1};

	return graph_node_place(&activity, launched).path;
}

TEST(a_node_is_of_the_start_end_ranges_that_were_open_when_it_was_made)
{
	struct activity activity = {
		.kind = ACTIVITY_MEMCPY, .graph = id, .graph_node = 1ull << 32 | 1, .start = 1};
	CUgraphNode node = NODE(1);
	uint64_t mark = instantiate();

	graph_ending(EXECUTABLE);
	started = 5;
	graph_node_added(&node, CUDA_SUCCESS);
	started = 0;
	activity.graph = ++id;
	assert_int_not_equal(instantiate(), mark);
	assert_int_equal(graph_node_place(&activity, 0).started, 5);
	assert_int_equal(graph_node_place(&activity, 0).path, PATHS_OUTSIDE);
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 0), 5);
}

TEST(a_record_belongs_to_the_range_that_its_node_was_made_in)
{
	uint64_t mark = instantiate();

	assert_int_not_equal(mark, 0);
	assert_int_equal(mark_at(1), mark);
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), 5);
	assert_int_equal(path_of(ACTIVITY_MEMCPY, 1, 1), 6);
	assert_int_equal(path_of(ACTIVITY_MEMSET, 2, 1), 7);
	assert_int_equal(graph_range_counts.records, 3);
	/* It still does once the graphs have ended. */
	graph_ending(EXECUTABLE);
	graph_nodes_end(GRAPH);
	assert_int_equal(path_of(ACTIVITY_MEMSET, 2, 1), 7);
}

TEST(a_record_of_another_kind_shows_that_numbers_do_not_fit)
{
	instantiate();
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), 5);
	assert_int_equal(path_of(ACTIVITY_KERNEL, 1, 1), PATHS_OUTSIDE);
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), PATHS_OUTSIDE);
	assert_int_equal(graph_range_counts.unfit, 1);
}

TEST(a_number_beyond_the_nodes_shows_that_numbers_do_not_fit)
{
	instantiate();
	assert_int_equal(path_of(ACTIVITY_KERNEL, 3, 1), PATHS_OUTSIDE);
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), PATHS_OUTSIDE);
	assert_int_equal(graph_range_counts.unfit, 1);
}

TEST(a_graph_with_a_conditional_node_is_not_split)
{
	types[1] = (CUgraphNodeType)13;
	assert_int_equal(instantiate(), 0);
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), PATHS_OUTSIDE);
	assert_int_equal(graph_range_counts.variable, 1);
}

/* Its records say which kernel it is. */
TEST(a_kernel_that_the_driver_does_not_tell_is_counted_by_its_records_alone)
{
	const struct graph_contents *contents;

	instantiate();
	contents = graph_contents_of(graph_operation(EXECUTABLE));
	assert_true(contents->variable);
	assert_int_equal(contents->recorded, 2);
	assert_int_equal(contents->part_count, 1);
	assert_ptr_equal(contents->parts[0].operation, operation_fixed(OPERATION_MEMSET));
}

TEST(a_graph_that_cupti_numbers_late_is_split_then_and_shares_its_row)
{
	uint32_t number = id;

	id = 0;
	assert_int_equal(instantiate(), 0);
	id = number;
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), PATHS_OUTSIDE);
	graph_launched(EXECUTABLE, graph_operation(EXECUTABLE));
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), 5);
	assert_int_equal(mark_at(1), 0);
}

TEST(launches_before_an_update_keep_their_ranges)
{
	uint64_t mark = instantiate(), updated;
	CUgraphNode node = NODE(0);

	path = 9;
	graph_node_added(&node, CUDA_SUCCESS);
	graph_updated(EXECUTABLE, GRAPH, CUDA_SUCCESS);
	updated = mark_at(UINT64_MAX);
	assert_int_not_equal(updated, mark);
	assert_int_equal(mark_at(1), mark);
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), 5);
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, UINT64_MAX), 9);
	assert_int_equal(path_of(ACTIVITY_MEMCPY, 1, UINT64_MAX), 6);
}

TEST(of_a_graph_that_is_updated_forever_the_newest_ranges_are_kept)
{
	CUgraphNode node = NODE(0);

	instantiate();
	for (int i = 0; i < 1000; i++) {
		path = (uint16_t)(8 + i % 2);
		graph_node_added(&node, CUDA_SUCCESS);
		graph_updated(EXECUTABLE, GRAPH, CUDA_SUCCESS);
	}
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, UINT64_MAX), 9);
	/* Those of before the first update are forgotten. */
	assert_int_equal(path_of(ACTIVITY_KERNEL, 0, 1), PATHS_OUTSIDE);
}

TEST(what_is_made_in_no_range_at_a_known_handle_is_in_none)
{
	for (int i = 0; i < 3; i++) {
		CUgraphNode node = NODE(i);

		graph_node_added(&node, CUDA_SUCCESS);
	}
	assert_int_equal(instantiate(), 0);
	assert_int_equal(graph_range_counts.graphs, 0);
}

/* Near the end, as it holds from then on: the numbers behind a hole are CUPTI's to say. */
TEST(where_a_node_was_destroyed_and_cupti_does_not_say_numbers_a_graph_is_not_split)
{
	graph_node_ends((CUgraphNode)&id);
	assert_int_equal(instantiate(), 0);
	assert_int_equal(graph_range_counts.unknown, 1);
	/* It is one graph, however often it is updated. */
	graph_updated(EXECUTABLE, GRAPH, CUDA_SUCCESS);
	graph_updated(EXECUTABLE, GRAPH, CUDA_SUCCESS);
	assert_int_equal(graph_range_counts.unknown, 1);
	assert_int_equal(graph_range_counts.graphs, 1);
	/* One that no graph has. */
	graph_ending(EXECUTABLE);
	cupti_node = UINT64_MAX;
	assert_int_equal(instantiate(), 0);
	cupti_node = 0;
	assert_int_equal(graph_range_counts.unknown, 2);
}

/* The last test: updates are followed from here on. */
TEST(a_child_graph_is_read_while_that_takes_little_of_the_time)
{
	instantiate();
	graph_follow_updates();
	reading_us = 1000;
	for (int i = 0; i < 1000 && !graph_updates_unread; i++)
		graph_child_changed(EXECUTABLE, NODE(0), GRAPH, CUDA_SUCCESS);
	reading_us = 0;
	assert_int_equal(graph_updates_unread, 1);
}
