/* SPDX-License-Identifier: MIT */
/* Which graphs run copies and memsets alone, by the numbers that CUPTI's records have of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cupti/cupti.h"
#include "preload/handles/graph.h"
#include "tests/unit/own_process.h"

static bool active = true;
static int error;
static unsigned asked;

bool cupti_active(void)
{
	return active;
}

int cupti_graph_id(CUgraphExec graph, uint32_t *graph_id)
{
	asked++;
	*graph_id = (uint32_t)(uintptr_t)graph;
	return error;
}

#define TEST(name) TEST_IN_CHILD(name, (void)0)

static struct graph_contents contents;

/* A launch of a graph with this number. */
static void launch(uintptr_t number)
{
	static struct operation graph = {.kind = ROW_GRAPH};

	atomic_store(&graph.contents, &contents);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	copy_graphs_launched((CUgraphExec)number, &graph);
}

TEST(a_graph_without_kernels_is_known_by_its_number)
{
	contents.copies = 2;
	launch(7);
	launch(7);
	assert_int_equal(asked, 2);
	/* Nothing says yet that records have these numbers. */
	assert_int_equal(copy_graphs_has(8), COPY_GRAPH_UNKNOWN);
	assert_int_equal(copy_graphs_has(7), COPY_GRAPH_YES);
	assert_int_equal(copy_graphs_has(8), COPY_GRAPH_NO);
	assert_int_equal(copy_graphs_has(0), COPY_GRAPH_NO);
}

TEST(of_other_graphs_cupti_is_not_asked)
{
	launch(7);
	contents.copies = contents.kernels = 1;
	launch(7);
	contents.kernels = 0;
	contents.variable = true;
	launch(7);
	contents.variable = false;
	active = false;
	launch(7);
	copy_graphs_launched((CUgraphExec)7, &(struct operation){.kind = ROW_GRAPH});
	assert_int_equal(asked, 0);
	active = true;
	launch(7);
	assert_int_equal(asked, 1);
}

TEST(without_a_number_no_other_is_known_not_to_be_one)
{
	contents.copies = 1;
	launch(7);
	error = -EINVAL;
	launch(8);
	assert_int_equal(copy_graphs_has(7), COPY_GRAPH_YES);
	assert_int_equal(copy_graphs_has(8), COPY_GRAPH_UNKNOWN);
}

TEST(a_number_makes_room_for_one_that_comes_much_later)
{
	contents.copies = 1;
	for (uintptr_t number = 1; number <= 4096; number++)
		launch(number);
	assert_int_equal(copy_graphs_has(1), COPY_GRAPH_YES);
	assert_int_equal(copy_graphs_has(4096), COPY_GRAPH_YES);
	assert_int_equal(copy_graphs_has(4097), COPY_GRAPH_NO);
	launch(4097);
	assert_int_equal(copy_graphs_has(1), COPY_GRAPH_UNKNOWN);
	assert_int_equal(copy_graphs_has(4097), COPY_GRAPH_YES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_graph_without_kernels_is_known_by_its_number),
		cmocka_unit_test(of_other_graphs_cupti_is_not_asked),
		cmocka_unit_test(without_a_number_no_other_is_known_not_to_be_one),
		cmocka_unit_test(a_number_makes_room_for_one_that_comes_much_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
