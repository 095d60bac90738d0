/* SPDX-License-Identifier: MIT */
/* Which version of an updated graph a window was of, and what that says of all its launches. */
#include "tests/unit/window_launches.h"

#include "preload/recording/sums.h"

/* SAME_GRAPH is a version of GRAPH. */
BEFORE_EACH
{
	operations[SAME_GRAPH].version_of = &operations[GRAPH];
	operations[SAME_GRAPH].rows[0] = &rows[GRAPH][0];
	operations[SAME_GRAPH].rows[1] = &rows[GRAPH][1];
	atomic_store(&operations[SAME_GRAPH].contents, contents[0]);
	versions_window_taken();
}

static void calls(unsigned which, unsigned count)
{
	operations[which].calls += count;
	rows[GRAPH][0].calls += count;
}

TEST(a_window_in_which_one_version_was_launched_is_of_that)
{
	calls(SAME_GRAPH, 5);
	versions_window_opens();
	calls(GRAPH, 1);
	/* Some calls that were made in it may not be counted yet. */
	assert_null(versions_in_window(contents[0]->kernels));
	versions_window_was_closed();
	assert_ptr_equal(versions_in_window(contents[0]->kernels), &operations[GRAPH]);
	assert_null(versions_in_window(contents[0]->kernels + 1));
	/* What comes later is not of it. */
	calls(SAME_GRAPH, 1);
	versions_window_was_closed();
	assert_ptr_equal(versions_in_window(contents[0]->kernels), &operations[GRAPH]);
	versions_window_taken();
	assert_null(versions_in_window(contents[0]->kernels));
	versions_window_was_closed();
	assert_null(versions_in_window(contents[0]->kernels));
	versions_window_opens();
	calls(SAME_GRAPH, 1);
	versions_window_was_closed();
	assert_ptr_equal(versions_in_window(contents[0]->kernels), &operations[SAME_GRAPH]);
}

TEST(a_window_of_two_versions_is_of_none)
{
	versions_window_opens();
	calls(GRAPH, 1);
	calls(SAME_GRAPH, 1);
	versions_window_was_closed();
	assert_null(versions_in_window(contents[0]->kernels));
	versions_window_opens();
	versions_window_was_closed();
	assert_null(versions_in_window(contents[0]->kernels));
}

static void add_launch(uint64_t first_ns)
{
	const struct launch_part parts[] = {{&operations[FIRST], 2, first_ns},
					    {&operations[SECOND], 1, 30}};
	struct operation *graph;

	assert_true(sums_add_launch(contents[0]->kernels, 0, parts, 2, &graph));
	/* The row is that of both. */
	assert_ptr_equal(graph, &operations[GRAPH]);
}

/* One in ten launches of a version, each in a window of its own. */
static void window_of(unsigned which, uint64_t first_ns)
{
	calls(which, 9);
	versions_window_opens();
	calls(which, 1);
	add_launch(first_ns);
	versions_window_was_closed();
	sums_close_window(true);
}

TEST(launches_of_each_version_are_like_those_of_its_windows)
{
	for (unsigned i = 0; i < 4; i++) {
		window_of(GRAPH, 100);
		window_of(SAME_GRAPH, 700);
	}
	/* One more of each, which no window was of: they were known apart before. */
	calls(GRAPH, 60);
	sums_update_rows();
	assert_int_equal(rows[FIRST][0].node_calls, 280);
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 100 * 100 + 40 * 700);
	assert_true(rows[FIRST][0].windows_error < 1e-6);
	assert_int_equal((int)(rows[SECOND][0].windows_total + 0.5), 140 * 30);
}

TEST(of_a_version_with_few_windows_less_is_known)
{
	for (unsigned i = 0; i < 20; i++)
		window_of(GRAPH, 100);
	window_of(SAME_GRAPH, 700);
	window_of(SAME_GRAPH, 700);
	sums_update_rows();
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 200 * 100 + 20 * 700);
	assert_true(rows[FIRST][0].windows_error > 100);
}

TEST(versions_that_do_not_differ_are_not_told_apart)
{
	for (unsigned i = 0; i < 4; i++) {
		window_of(GRAPH, 100 + 10 * (i % 2));
		window_of(SAME_GRAPH, 110 - 10 * (i % 2));
	}
	sums_update_rows();
	assert_int_equal((int)(rows[FIRST][0].windows_total + 0.5), 8400);
	/* As without versions: from seven differences, of 4.9 degrees of freedom. */
	assert_int_equal((int)(rows[FIRST][0].windows_error / 10), 39);
}

TEST(a_window_that_is_not_known_to_be_of_one_version_counts_for_all)
{
	for (unsigned i = 0; i < 8; i++) {
		calls(i % 2 ? GRAPH : SAME_GRAPH, 10);
		add_launch(i % 2 ? 100 : 700);
		sums_close_window(true);
	}
	sums_update_rows();
	assert_true(rows[FIRST][0].windows_error > 1000);
}
