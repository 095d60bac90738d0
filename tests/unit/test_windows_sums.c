/* SPDX-License-Identifier: MIT */
/* Launches and graphs that were recorded in windows: which records are of one launch, which graph
 * it is of, and what the rows then say of all launches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/handles/graph_contents.h"
#include "preload/recording/launches.h"
#include "preload/recording/row_totals.h"
#include "preload/recording/sums.h"

enum { FIRST, SECOND, GRAPH, SAME_GRAPH, VARIABLE_GRAPH, COPY, OPERATIONS };

static struct session *session;
static struct operation every_tests[16][OPERATIONS], *operations; /* of the present test */
static struct row rows[OPERATIONS][2];
static struct operation *first_operation;
static struct graph_contents *contents[3];

struct operation *operation_first(void)
{
	return first_operation;
}

static struct row *row_of(struct operation *operation, int device)
{
	return device < 2 ? operation->rows[device] : NULL;
}

/* What launches.c says of complete launches. */
static struct {
	unsigned nodes, graphs;
	struct operation *node, *graph;
	uint32_t node_device, graph_device;
	uint64_t node_ns, graph_ns, all_ns;
} taken;

static void take_node(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	taken.nodes++;
	taken.node = operation;
	taken.node_device = device;
	taken.node_ns = nanoseconds;
	taken.all_ns += nanoseconds;
}

static void take_graph(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	taken.graphs++;
	taken.graph = operation;
	taken.graph_device = device;
	taken.graph_ns = nanoseconds;
}

static struct graph_contents *graph_of(unsigned first, unsigned second)
{
	struct graph_contents *made = calloc(1, sizeof(*made) + 2 * sizeof(struct graph_part));

	made->parts[made->part_count++] =
		(struct graph_part){.operation = &operations[FIRST], .count = first};
	if (second)
		made->parts[made->part_count++] =
			(struct graph_part){.operation = &operations[SECOND], .count = second};
	made->nodes = made->recorded = first + second;
	made->kernels = first * graph_contents_kernel_mark(&operations[FIRST]) +
			second * graph_contents_kernel_mark(&operations[SECOND]);
	return made;
}

/* What the sums know of an operation they never forget, so each test has operations of its own. */
static int start(void **state)
{
	static uint32_t index, tests;

	(void)state;
	if (session_create(&session, NULL, 0))
		return -1;
	memset(rows, 0, sizeof(rows));
	operations = every_tests[tests++];
	memset(&taken, 0, sizeof(taken));
	first_operation = NULL;
	for (unsigned i = 0; i < OPERATIONS; i++) {
		operations[i] = (struct operation){.index = index++,
						   .kind = ROW_KERNEL,
						   .rows = {&rows[i][0], &rows[i][1]},
						   .next = first_operation};
		first_operation = &operations[i];
	}
	operations[COPY].kind = ROW_MEMCPY;
	operations[GRAPH].kind = operations[SAME_GRAPH].kind = operations[VARIABLE_GRAPH].kind =
		ROW_GRAPH;
	contents[0] = graph_of(2, 1);
	atomic_store(&operations[GRAPH].contents, contents[0]);
	contents[1] = contents[2] = NULL;
	launches_start(take_node, take_graph);
	sums_start(session, row_of);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	launches_end(true, UINT64_MAX);
	sums_close_window(false);
	for (unsigned i = 0; i < 3; i++)
		free(contents[i]);
	session_close(session);
	return 0;
}

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

static void nodes_with_one_correlation_id_are_a_launch(void **state)
{
	uint64_t before = launches_seen();

	(void)state;
	correlation++;
	record(SECOND, 100, 110);
	record(FIRST, 120, 150);
	record(FIRST, 90, 95);
	assert_int_equal(launches_seen() - before, 1);
	assert_int_equal(taken.nodes, 0);
	launches_end(false, 0);
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
	launches_end(false, 0);
	assert_int_equal(taken.nodes, 3);
}

static void a_launch_that_fits_no_graph_is_left_out(void **state)
{
	(void)state;
	correlation++;
	record(FIRST, 100, 110);
	record(SECOND, 120, 130);
	launches_end(false, 0);
	assert_int_equal(taken.nodes + taken.graphs, 0);
	/* A copy in it is a node, but no kernel that it is known by. */
	correlation++;
	record(FIRST, 100, 110);
	record(SECOND, 120, 130);
	record(COPY, 130, 140);
	record(FIRST, 140, 150);
	launches_end(false, 0);
	assert_int_equal(taken.nodes, 4);
	assert_int_equal(taken.graphs, 1);
}

static void of_two_graphs_with_the_same_kernels_neither_gets_the_launch(void **state)
{
	(void)state;
	contents[1] = graph_of(2, 1);
	atomic_store(&operations[SAME_GRAPH].contents, contents[1]);
	correlation++;
	record(FIRST, 100, 110);
	record(FIRST, 110, 120);
	record(SECOND, 120, 130);
	launches_end(false, 0);
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

static void a_launch_is_settled_a_second_after_its_last_node(void **state)
{
	const uint64_t second = 1000000000;

	(void)state;
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

static void when_recording_is_turned_off_each_streams_last_launch_is_left_out(void **state)
{
	(void)state;
	launch_at(100);
	launch_at(200);
	launch_at(300);
	launches_end(true, 0);
	assert_int_equal(taken.graphs, 2);
	/* And those that began before it was turned on. */
	launch_at(100);
	launch_at(200);
	launch_at(300);
	launches_end(true, 101);
	assert_int_equal(taken.graphs, 3);
	launch_at(100);
	launch_at(200);
	launches_end(true, 100);
	assert_int_equal(taken.graphs, 4);
}

static void a_launch_whose_ends_are_lost_is_left_out(void **state)
{
	(void)state;
	/* In one stream they cannot overlap. */
	correlation++;
	record(FIRST, 100, 1000);
	record(FIRST, 110, 1000);
	record(SECOND, 120, 1000);
	launches_end(false, 0);
	assert_int_equal(taken.graphs, 0);
	/* Half of it may be two branches of the graph. */
	correlation++;
	record(FIRST, 100, 200);
	record(FIRST, 100, 200);
	record(SECOND, 199, 200);
	launches_end(false, 0);
	assert_int_equal(taken.graphs, 1);
	correlation++;
	record(FIRST, 100, 200);
	record(FIRST, 100, 200);
	record(SECOND, 198, 200);
	launches_end(false, 0);
	assert_int_equal(taken.graphs, 1);
	/* It overlaps the next one in its stream. */
	launch_at(100);
	launch_at(129);
	launches_end(false, 0);
	assert_int_equal(taken.graphs, 2);
	launch_at(100);
	launch_at(130);
	launches_end(false, 0);
	assert_int_equal(taken.graphs, 4);
}

static void no_more_than_4096_launches_are_kept(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4096; i++)
		launch_at(100 * i);
	assert_int_equal(taken.graphs, 0);
	launch_at(100 * 4096);
	assert_int_equal(taken.graphs, 1);
	launches_end(false, 0);
	assert_int_equal(taken.graphs, 4097);
}

/* The sums themselves. */
static void add_launch(uint64_t first_ns, uint64_t second_ns)
{
	const struct launch_part parts[] = {{&operations[FIRST], 2, first_ns},
					    {&operations[SECOND], 1, second_ns}};
	struct operation *graph;

	assert_true(sums_add_launch(contents[0]->kernels, 0, parts, 2, &graph));
	assert_ptr_equal(graph, &operations[GRAPH]);
}

static void a_graph_that_was_recorded_whole_is_exact(void **state)
{
	(void)state;
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
	assert_int_equal(session_header(session)->counters[COUNTER_graph_node_calls], 6);
}

static void launches_between_windows_are_like_those_in_them(void **state)
{
	(void)state;
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

static void windows_that_differ_say_how_exact_the_total_is(void **state)
{
	(void)state;
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

static void a_graph_of_which_nothing_is_recorded_is_asked_for_once(void **state)
{
	(void)state;
	assert_false(sums_lack_a_graph());
	rows[GRAPH][1].calls = 3;
	assert_true(sums_lack_a_graph());
	assert_false(sums_lack_a_graph());
	sums_update_rows();
	assert_int_equal(rows[FIRST][1].node_calls, 6);
	assert_true(isnan(rows[FIRST][1].windows_error));
	assert_true(rows[FIRST][1].windows_total == 0);
	/* One with nothing that is recorded is not. */
	contents[1] = graph_of(1, 0);
	contents[1]->recorded = 0;
	atomic_store(&operations[SAME_GRAPH].contents, contents[1]);
	rows[SAME_GRAPH][0].calls = 1;
	assert_false(sums_lack_a_graph());
}

static void of_variable_graphs_the_number_is_estimated(void **state)
{
	const struct launch_part parts[] = {{&operations[FIRST], 3, 90}};
	struct operation *graph;

	(void)state;
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

static void launches_by_themselves_are_summed_by_operation(void **state)
{
	(void)state;
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
	assert_true(isnan(rows[SECOND][0].windows_error));
}

static void what_was_recorded_before_the_windows_is_certain(void **state)
{
	(void)state;
	rows[COPY][1].cupti.count = rows[COPY][1].calls = 4;
	rows[COPY][1].cupti.total = 400;
	sums_start(session, row_of);
	sums_update_rows();
	assert_true(rows[COPY][1].windows_total == 0);
	sums_add(&operations[COPY], 1, 200);
	rows[COPY][1].calls = 7;
	sums_close_window(true);
	sums_update_rows();
	assert_int_equal((int)(rows[COPY][1].windows_total + 0.5), 400 + 3 * (100 + 200) / 2);
	assert_true(isnan(rows[COPY][1].windows_error));
}

#define SUMS(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SUMS(nodes_with_one_correlation_id_are_a_launch),
		SUMS(a_launch_that_fits_no_graph_is_left_out),
		SUMS(of_two_graphs_with_the_same_kernels_neither_gets_the_launch),
		SUMS(a_launch_is_settled_a_second_after_its_last_node),
		SUMS(when_recording_is_turned_off_each_streams_last_launch_is_left_out),
		SUMS(a_launch_whose_ends_are_lost_is_left_out),
		SUMS(no_more_than_4096_launches_are_kept),
		SUMS(a_graph_that_was_recorded_whole_is_exact),
		SUMS(launches_between_windows_are_like_those_in_them),
		SUMS(windows_that_differ_say_how_exact_the_total_is),
		SUMS(a_graph_of_which_nothing_is_recorded_is_asked_for_once),
		SUMS(of_variable_graphs_the_number_is_estimated),
		SUMS(launches_by_themselves_are_summed_by_operation),
		SUMS(what_was_recorded_before_the_windows_is_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
