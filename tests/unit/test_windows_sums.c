/* SPDX-License-Identifier: MIT */
/* Which records of a window are of one launch of a graph, and which graph it is of. */
#include "tests/unit/window_launches.h"

static uint32_t correlation;

static void record(unsigned which, uint64_t began, uint64_t ended)
{
	launches_add(&operations[which],
		     &(struct activity){.kind = which == COPY ? ACTIVITY_MEMCPY : ACTIVITY_KERNEL,
					.correlation = correlation,
					.device = 1,
					.context = 3,
					.stream = 4,
					.start = began,
					.end = ended});
}

TEST(nodes_with_one_correlation_id_are_a_launch)
{
	uint64_t before = launches_seen();

	correlation++;
	record(SECOND, 100, 110);
	record(FIRST, 120, 150);
	record(FIRST, 90, 95);
	assert_int_equal(launches_seen() - before, 1);
	assert_int_equal(taken.nodes, 0);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.nodes, 3);
	assert_ptr_equal(taken.node, &operations[FIRST]);
	assert_int_equal(taken.node_ns, 5);
	assert_int_equal(taken.node_device, 1);
	assert_int_equal(taken.all_ns, 10 + 30 + 5);
	assert_int_equal(taken.graphs, 1);
	assert_ptr_equal(taken.graph, &operations[GRAPH]);
	assert_int_equal(taken.graph_device, 1);
	assert_int_equal(taken.graph_ns, 150 - 90);
	/* And once. */
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.nodes, 3);
}

TEST(a_launch_that_fits_no_graph_is_left_out)
{
	correlation++;
	record(FIRST, 100, 110);
	record(SECOND, 120, 130);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.nodes + taken.graphs, 0);
	/* A copy in it is a node, but no kernel that it is known by. */
	correlation++;
	record(FIRST, 100, 110);
	record(SECOND, 120, 130);
	record(COPY, 130, 140);
	record(FIRST, 140, 150);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.nodes, 4);
	assert_int_equal(taken.graphs, 1);
}

TEST(of_two_graphs_with_the_same_kernels_neither_gets_the_launch)
{
	contents[1] = graph_of(2, 1);
	atomic_store(&operations[SAME_GRAPH].contents, contents[1]);
	correlation++;
	record(FIRST, 100, 110);
	record(FIRST, 110, 120);
	record(SECOND, 120, 130);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.nodes, 3);
	assert_int_equal(taken.graphs, 0);
}

static void launch_at(uint64_t began)
{
	correlation++;
	record(FIRST, began, began + 10);
	record(FIRST, began + 10, began + 20);
	record(SECOND, began + 20, began + 30);
}

TEST(a_launch_is_settled_a_second_after_its_last_node)
{
	const uint64_t second = 1000000000;

	/* newest is the run's: later than in any test before. */
	launch_at(50 * second);
	launches_settle();
	assert_int_equal(taken.graphs, 0);
	launch_at(51 * second + 30 - 20);
	launches_settle();
	assert_int_equal(taken.graphs, 0);
	launch_at(51 * second + 31 - 20);
	launches_settle();
	assert_int_equal(taken.graphs, 1);
}

TEST(when_recording_is_turned_off_each_streams_last_launch_is_left_out)
{
	launch_at(100);
	launch_at(200);
	launch_at(300);
	launches_end(true, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 2);
	/* And those that began before it was turned on. */
	launch_at(100);
	launch_at(200);
	launch_at(300);
	launches_end(true, 101, UINT64_MAX);
	assert_int_equal(taken.graphs, 3);
	launch_at(100);
	launch_at(200);
	launches_end(true, 100, UINT64_MAX);
	assert_int_equal(taken.graphs, 4);
}

TEST(a_launch_whose_ends_are_lost_is_left_out)
{
	/* In one stream they cannot overlap. */
	correlation++;
	record(FIRST, 100, 1000);
	record(FIRST, 110, 1000);
	record(SECOND, 120, 1000);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 0);
	/* Half of it may be two branches of the graph. */
	correlation++;
	record(FIRST, 100, 200);
	record(FIRST, 100, 200);
	record(SECOND, 199, 200);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 1);
	correlation++;
	record(FIRST, 100, 200);
	record(FIRST, 100, 200);
	record(SECOND, 198, 200);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 1);
	/* It overlaps the next one in its stream. */
	launch_at(100);
	launch_at(129);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 2);
	launch_at(100);
	launch_at(130);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 4);
}

TEST(what_came_before_a_window_is_forgotten)
{
	uint64_t before;

	launch_at(100);
	launch_at(200);
	before = launches_seen();
	assert_int_equal(launches_begin(), before);
	launch_at(300);
	launch_at(400);
	assert_int_equal(launches_seen(), before + 2);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 2);
}

TEST(copies_alone_are_a_launch_of_a_graph_that_has_just_these)
{
	uint64_t before = launches_seen();

	/* Of a launch whose kernels were not recorded. */
	correlation++;
	record(COPY, 100, 110);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.nodes, 0);
	contents[1] = graph_of(0, 0);
	contents[1]->parts[0] = (struct graph_part){.operation = &operations[COPY], .count = 2};
	contents[1]->recorded = 2;
	atomic_store(&operations[SAME_GRAPH].contents, contents[1]);
	correlation++;
	record(COPY, 200, 210);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.nodes, 0);
	correlation++;
	record(COPY, 300, 310);
	record(COPY, 310, 320);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.nodes, 2);
	assert_ptr_equal(taken.graph, &operations[SAME_GRAPH]);
	/* Windows wait for launches with kernels. */
	assert_int_equal(launches_seen(), before);
}

/* A graph with kernels does the same: they may be all that was recorded of it. */
TEST(copies_alone_may_be_of_a_graph_whose_kernels_were_not_recorded)
{
	contents[1] = graph_of(0, 0);
	contents[1]->recorded = contents[1]->copies = contents[1]->part_count = 1;
	contents[1]->parts[0] = (struct graph_part){.operation = &operations[COPY], .count = 1};
	atomic_store(&operations[SAME_GRAPH].contents, contents[1]);
	contents[2] = graph_of(1, 1);
	contents[2]->parts[1] = contents[1]->parts[0];
	contents[2]->copies = 1;
	atomic_store(&operations[VARIABLE_GRAPH].contents, contents[2]);
	for (unsigned i = 0; i < 3; i++) {
		copy_graph = (enum copy_graph)i;
		correlation++;
		record(COPY, 100 * i, 100 * i + 10);
		launches_end(false, 0, UINT64_MAX);
		assert_int_equal(taken.graphs, copy_graph == COPY_GRAPH_UNKNOWN ? 0 : 1);
	}
	assert_ptr_equal(taken.graph, &operations[SAME_GRAPH]);
	/* One that does more cannot have left them. */
	contents[2]->parts[1].count = 2;
	copy_graph = COPY_GRAPH_UNKNOWN;
	correlation++;
	record(COPY, 1000, 1010);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 2);
}

/* They may be all that was recorded of a graph whose kernels were off. */
TEST(copies_alone_after_a_window_are_left_out)
{
	contents[1] = graph_of(0, 0);
	contents[1]->recorded = contents[1]->copies = contents[1]->part_count = 1;
	contents[1]->parts[0] = (struct graph_part){.operation = &operations[COPY], .count = 1};
	atomic_store(&operations[SAME_GRAPH].contents, contents[1]);
	for (uint64_t began = 100; began <= 500; began += 100) {
		correlation++;
		record(COPY, began, began + 10);
	}
	launches_end(true, 150, 400);
	/* Those of 200 and 300 but the last, as is any stream's. */
	assert_int_equal(taken.nodes, 1);
	assert_ptr_equal(taken.graph, &operations[SAME_GRAPH]);
	/* Kernels were recorded all the same, if their launch was called before. */
	launch_at(500);
	launch_at(600);
	launches_end(true, 150, 400);
	assert_int_equal(taken.graphs, 2);
}

TEST(no_more_than_4096_launches_are_kept)
{
	for (unsigned i = 0; i < 4096; i++)
		launch_at(100 * i);
	assert_int_equal(taken.graphs, 0);
	launch_at(100 * 4096);
	assert_int_equal(taken.graphs, 1);
	launches_end(false, 0, UINT64_MAX);
	assert_int_equal(taken.graphs, 4097);
}
