/* SPDX-License-Identifier: MIT */
/* What the rows say of all launches, of which some were recorded in windows. */
#include "tests/unit/window_launches.h"

/* The sums themselves. */
static void add_launch(uint64_t first_ns, uint64_t second_ns)
{
	const struct launch_part parts[] = {{&operations[FIRST], 2, first_ns},
					    {&operations[SECOND], 1, second_ns}};
	struct operation *graph;

	assert_true(sums_add_launch(contents[0]->kernels, 0, parts, 2, &graph));
	assert_ptr_equal(graph, &operations[GRAPH]);
}

TEST(a_graph_that_was_recorded_whole_is_exact)
{
	rows[GRAPH][0].calls = 2;
	add_launch(100, 30);
	add_launch(102, 31);
	sums_update_rows();
	assert_int_equal(rows[FIRST][0].node_calls, 4);
	assert_int_equal(rows[SECOND][0].node_calls, 2);
	assert_int_equal(rows[FIRST][1].node_calls, 0);
	/* Nothing is estimated. */
	assert_true(rows[FIRST][0].windows_total == 0);
	assert_true(rows[FIRST][0].windows_error == 0);
	assert_int_equal(rows[FIRST][0].node_calls_estimated, 0);
	assert_int_equal(run.header->counters[COUNTER_graph_node_calls], 6);
}

TEST(launches_between_windows_are_like_those_in_them)
{
	for (unsigned i = 1; i <= 4; i++) {
		add_launch(100, 30);
		rows[GRAPH][0].calls = 10 * i;
		sums_close_window(true);
	}
	sums_update_rows();
	assert_int_equal(rows[FIRST][0].node_calls, 80);
	assert_int_equal(rows[SECOND][0].node_calls, 40);
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 4000);
	assert_int_equal((int)(rows[SECOND][0].windows_total + 0.5), 1200);
	assert_true(rows[FIRST][0].windows_error < 1e-6);
	/* A window that is open is not settled, but counts; what comes after is like the last. */
	add_launch(160, 60);
	rows[GRAPH][0].calls = 41;
	sums_update_rows();
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 4160);
	sums_close_window(false);
	rows[GRAPH][0].calls = 51;
	sums_update_rows();
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 5160);
	assert_int_equal(rows[FIRST][0].node_calls, 102);
}

TEST(windows_that_differ_say_how_exact_the_total_is)
{
	for (unsigned i = 1; i <= 4; i++) {
		add_launch(100 + 10 * (i % 2), 30);
		rows[GRAPH][0].calls = 10 * i;
		sums_close_window(true);
	}
	sums_update_rows();
	/* Launches between two windows are like the mean of the two. */
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 1100 + 3 * 1050);
	assert_true(rows[FIRST][0].windows_error > 1);
	assert_true(rows[SECOND][0].windows_error < 1e-6);
}

TEST(a_graph_of_which_nothing_is_recorded_is_asked_for_once)
{
	assert_false(sums_lack_a_graph());
	rows[GRAPH][1].calls = 3;
	assert_true(sums_lack_a_graph());
	assert_false(sums_lack_a_graph());
	sums_update_rows();
	assert_int_equal(rows[FIRST][1].node_calls, 6);
	assert_false(rows[FIRST][1].known & ERROR_KNOWN);
	assert_true(rows[FIRST][1].windows_total == 0);
	/* One with nothing that is recorded is not. */
	contents[1] = graph_of(1, 0);
	contents[1]->recorded = 0;
	atomic_store(&operations[SAME_GRAPH].contents, contents[1]);
	rows[SAME_GRAPH][0].calls = 1;
	assert_false(sums_lack_a_graph());
}

TEST(nodes_of_a_graph_of_which_nothing_is_recorded_are_counted_in_their_ranges)
{
	struct graph_part ranged = {&operations[FIRST], 1, {.path = 7}};
	const struct launch_part parts[] = {{&operations[FIRST], 2, 100},
					    {&operations[SECOND], 1, 30}};
	struct operation *graph;

	contents[0]->ranged = &ranged;
	contents[0]->ranged_count = 1;
	rows[GRAPH][0].calls = 3;
	sums_update_rows();
	rows[GRAPH][0].calls = 5;
	sums_update_rows();
	assert_int_equal(in_range.path, 7);
	assert_ptr_equal(in_range.row, &rows[FIRST][0]);
	assert_true(in_range.told.untimed == 5 && in_range.told.calls == 0);
	/* Of the nodes. */
	assert_true(rows[GRAPH][0].ranged > 0.33 && rows[GRAPH][0].ranged < 0.34);
	/* Once a launch was recorded its times stand for all. */
	assert_true(sums_add_launch(contents[0]->kernels, 0, parts, 2, &graph));
	sums_add_in_range(&operations[FIRST], ranged.place, 60);
	sums_update_rows();
	assert_true(in_range.told.untimed == 0 && in_range.told.calls == 5);
	assert_true(in_range.estimated);
	/* Of the time. */
	assert_true(rows[GRAPH][0].ranged > 0.46 && rows[GRAPH][0].ranged < 0.47);
}

TEST(of_variable_graphs_the_number_is_estimated)
{
	const struct launch_part parts[] = {{&operations[FIRST], 3, 90}};
	struct operation *graph;

	/* No graph that it could be of. */
	assert_false(sums_add_launch(4711, 0, parts, 1, &graph));
	contents[1] = graph_of(1, 0);
	contents[1]->variable = true;
	atomic_store(&operations[VARIABLE_GRAPH].contents, contents[1]);
	assert_true(sums_add_launch(4711, 0, parts, 1, &graph));
	assert_ptr_equal(graph, &operations[VARIABLE_GRAPH]);
	rows[VARIABLE_GRAPH][0].calls = 10;
	sums_close_window(true);
	assert_true(sums_add_launch(4712, 0, parts, 1, &graph));
	rows[VARIABLE_GRAPH][0].calls = 20;
	sums_update_rows();
	assert_int_equal(rows[FIRST][0].node_calls, 60);
	assert_int_equal(rows[FIRST][0].node_calls_estimated, 40);
	sums_close_window(true);
	sums_update_rows();
	assert_int_equal(rows[FIRST][0].node_calls, 60);
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 1800);
}

TEST(launches_by_themselves_are_summed_by_operation)
{
	sums_add(&operations[FIRST], 0, 50);
	sums_add(&operations[FIRST], 0, 70);
	rows[FIRST][0].calls = 20;
	rows[SECOND][0].calls = 5;
	sums_close_window(true);
	sums_add(&operations[FIRST], 0, 60);
	rows[FIRST][0].calls = 40;
	sums_close_window(true);
	sums_update_rows();
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 2400);
	assert_int_equal(rows[FIRST][0].node_calls, 0);
	assert_true(rows[SECOND][0].windows_total == 0);
	/* Of those that were never met nothing is known, while others of the row are. */
	rows[GRAPH][0].calls = 1;
	add_launch(100, 30);
	sums_close_window(false);
	sums_update_rows();
	assert_int_equal(rows[SECOND][0].node_calls, 1);
	assert_int_equal((int)(rows[SECOND][0].windows_total + 0.5), 30 * 6);
	assert_false(rows[SECOND][0].known & ERROR_KNOWN);
}

/* Windows of 8 copies, all recorded: 100, 200 ns and so on each. */
static void record_copies(unsigned windows)
{
	for (unsigned window = 1; window <= windows; window++) {
		for (unsigned i = 0; i < 8; i++)
			sums_add(&operations[COPY], 0, 100 * window);
		rows[COPY][0].calls += 8;
		sums_close_window(true);
	}
	sums_update_rows();
}

TEST(each_window_stands_for_as_many_again_from_before_a_late_start)
{
	rows[COPY][0].calls = 20;
	rows[GRAPH][0].calls = 20;
	sums_begin_late();
	/* 8 and 8 before it: 16 copies each; 4 of those before are left, and like all. */
	record_copies(2);
	assert_int_equal((int)(rows[COPY][0].windows_total + 0.5), 16 * 100 + 16 * 150 + 4 * 125);
	/* Of the graph's two windows each stands for 10 launches and 10 before. */
	for (unsigned i = 1; i <= 2; i++) {
		rows[GRAPH][0].calls += 10;
		add_launch(100 * i, 30);
		sums_close_window(true);
	}
	sums_update_rows();
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 20 * 100 + 20 * 150);
}

TEST(the_last_windows_stand_for_what_is_left_of_those_before)
{
	rows[COPY][0].calls = 20;
	sums_begin_late();
	record_copies(4);
	assert_int_equal((int)(rows[COPY][0].windows_total + 0.5),
			 16 * 100 + 16 * 150 + 12 * 250 + 8 * 350);
}

TEST(what_ran_before_a_late_start_alone_is_like_what_is_recorded)
{
	rows[SECOND][0].calls = 4;
	rows[GRAPH][0].calls = 10;
	sums_begin_late();
	/* Its graph is asked for all the same. */
	assert_true(sums_lack_a_graph());
	assert_false(sums_lack_a_graph());
	add_launch(100, 30);
	rows[GRAPH][0].calls = 20;
	sums_close_window(true);
	sums_update_rows();
	assert_int_equal((int)(rows[SECOND][0].windows_total + 0.5), 24 * 30);
}

TEST(what_was_recorded_before_the_windows_is_certain)
{
	rows[COPY][1].cupti.count = rows[COPY][1].calls = 4;
	rows[COPY][1].cupti.total = 400;
	sums_start();
	sums_update_rows();
	assert_true(rows[COPY][1].windows_total == 0);
	sums_add(&operations[COPY], 1, 200);
	rows[COPY][1].calls = 7;
	sums_close_window(true);
	sums_update_rows();
	assert_int_equal((int)(rows[COPY][1].windows_total + 0.5), 400 + 3 * (100 + 200) / 2);
	assert_false(rows[COPY][1].known & ERROR_KNOWN);
}

TEST(the_first_records_of_something_are_told)
{
	sums_are_fresh();
	assert_false(sums_are_fresh());
	add_launch(100, 30);
	assert_true(sums_are_fresh());
	assert_false(sums_are_fresh());
	add_launch(100, 30);
	sums_close_window(true);
	add_launch(100, 30);
	assert_false(sums_are_fresh());
	sums_add(&operations[FIRST], 1, 50);
	assert_true(sums_are_fresh());
	sums_add(&operations[FIRST], 1, 50);
	assert_false(sums_are_fresh());
	sums_add(&operations[FIRST], 0, 50);
	assert_true(sums_are_fresh());
}
