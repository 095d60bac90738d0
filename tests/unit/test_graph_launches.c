/* SPDX-License-Identifier: MIT */
/* When a launch of a graph is over, of which only the records of its nodes tell. */
#include "preload/collector/records.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/rows.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

#define SECOND	   1000000000ull
/* See records.c: for how many later ones of its stream a launch is kept. */
#define LATER	   16u
/* The one that a thread's own buffers name. */
#define THREAD	   1
#define OWN_STREAM 1000 /* of the driver's own, which has no calls */

static struct match_stream *streams[8];
static unsigned ended;
static uint64_t lasted[16384]; /* by call; 0: not over */

static struct operation graph = {.kind = ROW_GRAPH};

void calls_unmatched(struct in_flight *call)
{
	(void)call;
}

/* It is over. */
void calls_take_record(const struct seen *seen)
{
	assert_false(seen->reported);
	ended++;
	lasted[seen->call->number] = seen->nanoseconds;
}

/* Nodes that were made in ranges: tests/preload/ranges.bats has those. */
void ranges_add_call(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		     double weight, enum clock_source clock)
{
	(void)place;
	(void)row;
	(void)nanoseconds;
	(void)weight;
	(void)clock;
	fail();
}

void rows_take(const struct seen *seen)
{
	assert_false(seen->timed);
}

struct row *rows_of(struct operation *operation, int device)
{
	(void)operation;
	(void)device;
	return NULL;
}

BEFORE_EACH
{
	for (unsigned i = 0; i < 8; i++)
		streams[i] = matcher_stream(1, i);
	ended = 0;
	memset(lasted, 0, sizeof(lasted));
}

AFTER_EACH
{
	graph_launches_settle(UINT64_MAX);
	for (unsigned i = 0; i < 8; i++)
		match_forget(streams[i], true);
}

static void call(uint32_t number, unsigned stream, uint64_t at)
{
	static struct in_flight calls[65536];
	static size_t used;
	struct in_flight *launch = &calls[used++];

	*launch = (struct in_flight){.started = at,
				     .ended = at + 1,
				     .operation = &graph,
				     .thread = THREAD,
				     .number = number};
	match_expect(streams[stream], launch);
}

/* The call of the last node's launch; NULL: not known. */
static const struct in_flight *launched;

/* True if it told the launch's call. */
static bool node(uint32_t correlation, unsigned stream, uint64_t at, uint64_t end)
{
	struct activity activity = {.correlation = correlation,
				    .context = 1,
				    .stream = stream,
				    .buffer_thread = THREAD,
				    .start = at,
				    .end = end};

	launched = NULL;
	return graph_launches_node(stream == OWN_STREAM ? NULL : streams[stream], &activity,
				   &launched);
}

TEST(a_launch_ends_while_the_program_goes_on)
{
	/* 100 ns apart: all within a moment. */
	for (uint32_t i = 0; i < 10000; i++) {
		call(i, 0, 100 * i);
		assert_true(node(i, 0, 100 * i, 100 * i + 50));
		assert_false(node(i, 0, 100 * i + 50, 100 * i + 90));
		graph_launches_settle(100 * i);
	}
	assert_int_equal(ended, 10000 - LATER - 1);
	assert_int_equal(lasted[0], 90);
	assert_int_equal(lasted[ended - 1], 90);
	assert_int_equal(lasted[ended], 0);
}

TEST(launches_far_apart_end_after_a_moment)
{
	for (uint32_t i = 0; i < 4; i++) {
		call(i, 0, i * 2 * SECOND);
		node(i, 0, i * 2 * SECOND, i * 2 * SECOND + 50);
		graph_launches_settle(i * 2 * SECOND);
	}
	assert_int_equal(ended, 3);
}

TEST(a_launch_that_runs_for_long_is_not_cut_by_what_other_streams_do)
{
	call(1, 0, 100);
	call(2, 0, 200);
	assert_true(node(100000, 0, 100, 200));
	for (uint32_t i = 0; i < 2000; i++) {
		call(10 + i, 1, i * SECOND / 100);
		node(10 + i, 1, i * SECOND / 100, i * SECOND / 100 + 50);
		graph_launches_settle(i * SECOND / 100);
	}
	/* Its second node ran all the while, and is not taken for the next launch. */
	assert_false(node(100000, 0, 200, 20 * SECOND));
	assert_true(node(100001, 0, 20 * SECOND, 20 * SECOND + 10));
	assert_int_equal(lasted[1], 0);
	graph_launches_settle(22 * SECOND);
	assert_int_equal(lasted[1], 20 * SECOND - 100);
}

TEST(a_node_that_comes_late_is_of_its_own_launch)
{
	for (uint32_t i = 0; i <= LATER; i++) {
		call(i, 0, 100 * i);
		assert_true(node(i, 0, 100 * i, 100 * i + 10));
		graph_launches_settle(100 * i);
	}
	assert_false(node(0, OWN_STREAM, 10, 90));
	assert_int_equal(launched->number, 0);
	assert_int_equal(ended, 0);
	call(LATER + 1, 0, 100 * (LATER + 1));
	node(LATER + 1, 0, 100 * (LATER + 1), 100 * (LATER + 1) + 10);
	assert_int_equal(ended, 1);
	assert_int_equal(lasted[0], 90);
}

TEST(a_launch_is_open_until_another_one_follows_or_no_node_comes)
{
	assert_true(graph_launches_open_since(0) == UINT64_MAX);
	call(1, 0, 100);
	call(2, 0, 1000);
	assert_true(node(1, 0, 100, 200));
	assert_int_equal(graph_launches_open_since(300), 100);
	assert_true(node(2, 0, 1000, 1200));
	assert_int_equal(graph_launches_open_since(1300), 1000);
	assert_true(graph_launches_open_since(SECOND) == UINT64_MAX);
}

TEST(the_last_launch_of_a_stream_ends_in_the_end)
{
	call(1, 0, 0);
	node(1, 0, 0, SECOND);
	graph_launches_settle(20 * SECOND);
	assert_int_equal(ended, 0);
	graph_launches_settle(40 * SECOND);
	assert_int_equal(ended, 1);
}

/* A node of the driver's own streams tells nothing; only a limited number of such launches is kept.
 */
TEST(launches_that_no_node_tells_are_given_up)
{
	const uint32_t many = 5000;

	for (uint32_t i = 0; i < many; i++)
		assert_false(node(i, OWN_STREAM, 100 * i, 100 * i + 10));
	call(0, 0, 0);
	call(many - 1, 0, 100 * (many - 1));
	assert_true(node(0, 0, 100 * many, 100 * many + 10));
	assert_true(node(many - 1, 0, 100 * many + 20, 100 * many + 30));
	graph_launches_settle(UINT64_MAX);
	assert_int_equal(ended, 2);
	/* What is left of the first one's. */
	assert_int_equal(lasted[0], 10);
}
