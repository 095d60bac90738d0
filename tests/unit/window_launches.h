/* SPDX-License-Identifier: MIT */
/* For the tests of launches and sums of windows: operations, graphs, and what is made of them. */
#ifndef KTIME_TESTS_UNIT_WINDOW_LAUNCHES_H
#define KTIME_TESTS_UNIT_WINDOW_LAUNCHES_H

#include <math.h>

#include "preload/handles/graph.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/sums.h"
#include "preload/recording/recording.h"
#include "preload/recording/rows.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

enum { FIRST, SECOND, GRAPH, SAME_GRAPH, VARIABLE_GRAPH, COPY, OPERATIONS };

static struct operation every_tests[16][OPERATIONS], *operations; /* of the present test */
static struct row rows[OPERATIONS][2];
static struct operation *first_operation;
static struct graph_contents *contents[3];

struct operation *operation_first(void)
{
	return first_operation;
}

static enum copy_graph copy_graph; /* whether the records' graph is one without kernels */

enum copy_graph copy_graphs_has(uint32_t number)
{
	assert_int_equal(number, 0);
	return copy_graph;
}

/* No node was made in a range: tests/preload/ranges.bats has those. */
struct node_place graph_node_place(const struct activity *activity, uint64_t launched)
{
	assert_non_null(activity);
	assert_int_equal(launched, 0);
	return (struct node_place){0};
}

uint64_t graph_mark(const struct activity *activity)
{
	assert_int_equal(activity->graph, 0);
	return 0;
}

struct range_place ranges_in_path(uint32_t thread, uint16_t path)
{
	assert_int_equal(thread, 0);
	return (struct range_place){.range = path};
}

struct range_path paths_of(uint16_t path)
{
	assert_int_not_equal(path, PATHS_OUTSIDE);
	return (struct range_path){.style = RANGE_PUSH_POP};
}

uint16_t started_path(unsigned bit)
{
	assert_int_not_equal(bit, 0);
	return PATHS_OUTSIDE;
}

double ranges_calls_in(uint16_t path, const struct row *row)
{
	assert_int_not_equal(path, PATHS_OUTSIDE);
	assert_non_null(row);
	return 0;
}

/* What was told last of a range. */
static struct told_last {
	uint32_t path;
	const struct row *row;
	struct range_told told;
	bool estimated;
} in_range;

void ranges_tell(const struct range_place *place, const struct row *row, struct range_told *told,
		 const struct range_told *now, bool estimated)
{
	if (now->calls + now->untimed > 0)
		in_range = (struct told_last){place->range, row, *now, estimated};
	*told = *now;
}

struct row *rows_of(struct operation *operation, int device)
{
	return device < 2 ? operation->rows[device] : NULL;
}

/* What sums.c says of complete launches. */
static struct {
	unsigned nodes, graphs;
	struct operation *node, *graph;
	uint32_t node_device, graph_device;
	uint64_t node_ns, graph_ns, all_ns;
} taken;

void recording_node(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	taken.nodes++;
	taken.node = operation;
	taken.node_device = device;
	taken.node_ns = nanoseconds;
	taken.all_ns += nanoseconds;
}

void recording_graph(struct operation *operation, uint32_t device, uint64_t nanoseconds)
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
BEFORE_EACH
{
	static uint32_t index, tests;

	assert_int_equal(make_run(0), 0);
	memset(rows, 0, sizeof(rows));
	operations = every_tests[tests++];
	memset(&taken, 0, sizeof(taken));
	first_operation = NULL;
	copy_graph = COPY_GRAPH_UNKNOWN;
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
	sums_start();
}

AFTER_EACH
{
	launches_end(true, UINT64_MAX, UINT64_MAX);
	sums_close_window(false);
	for (unsigned i = 0; i < 3; i++)
		free(contents[i]);
	session_close(run.session);
}

#endif
