/* SPDX-License-Identifier: MIT */
/* Whether windows whose records are not those of what was launched in them are found, and no
 * others. */
#include "preload/handles/graph.h"
#include "preload/recording/recording.h"
#include "tests/unit/own_process.h"
#include "tests/unit/test.h"

#define MS     1000000ull
#define LENGTH (4 * MS) /* of a window */
#define NODES  10

static struct graph_contents contents = {.recorded = NODES + 2, .copies = 2};
static struct operation graph = {.kind = ROW_GRAPH}, kernel = {.kind = ROW_KERNEL};
static struct stream stream, other;
static uint64_t now = 1000 * MS;
static const struct window_check *found;

/* How the windows of a test differ from sound ones, in which ten launches leave their records. */
static struct how {
	unsigned missing; /* launches without records */
	bool alone;	  /* no graphs */
	bool variable, unpassed, of_two_streams, of_two_threads, without_times, at_edges;
} how;

static void call(uint64_t started, uint64_t ended, const struct stream *in, uint32_t thread)
{
	struct in_flight launch = {.operation = how.alone ? &kernel : &graph,
				   .stream = (struct stream *)in,
				   .started = started,
				   .ended = ended,
				   .thread = thread};

	window_check_call(&launch, how.alone ? NULL : &contents);
}

static void records(uint64_t start)
{
	struct activity activity = {.kind = ACTIVITY_KERNEL,
				    .start = how.without_times ? 0 : start,
				    .graph_node = !how.alone,
				    .buffer_thread = 1};

	for (unsigned i = 0; i < (how.alone ? 1 : NODES); i++)
		window_check_record(&activity);
}

/* A window with ten launches, and the time up to the next one. */
static void pass_a_window(struct how like)
{
	uint64_t opened = now;

	how = like;
	contents.variable = how.variable;
	window_check_open(opened, opened);
	if (how.at_edges)
		call(opened - MS, opened + MS, &stream, 1);
	for (unsigned i = 0; i < 10; i++) {
		call(opened + MS + i, opened + MS + i,
		     i % 2 && how.of_two_streams ? &other : &stream,
		     i % 2 && how.of_two_threads ? 2 : 1);
		if (i >= how.missing)
			records(opened + 2 * MS + i);
	}
	window_check_close(opened + LENGTH);
	if (how.at_edges)
		call(opened + MS, opened + LENGTH + MS, &stream, 1);
	if (!how.unpassed)
		window_check_passed(&(struct in_flight){
			.operation = &graph, .stream = &stream, .started = opened + LENGTH + MS});
	now = opened + 200 * MS;
	found = window_check_result();
}

static void prepare(void)
{
	pass_a_window((struct how){0});
	assert_null(found);
}

/* What the library keeps is a process's. */
#define CHILD_TEST(name) TEST_IN_CHILD(name, prepare())

CHILD_TEST(the_third_window_that_lacks_records_ends_them)
{
	/* Each is compared when records of the next one have come. */
	for (int i = 0; i < 3; i++) {
		pass_a_window((struct how){.missing = 5});
		assert_null(found);
	}
	pass_a_window((struct how){0});
	assert_non_null(found);
	assert_true(found->graphs);
	assert_int_equal(found->windows, 3);
	assert_int_equal(found->kernels, 300);
	assert_int_equal(found->records, 150);
}

CHILD_TEST(kernels_that_were_launched_by_themselves_are_compared_too)
{
	for (int i = 0; i < 4; i++)
		pass_a_window((struct how){.missing = 2, .alone = true});
	assert_non_null(found);
	assert_false(found->graphs);
	assert_int_equal(found->kernels, 30);
	assert_int_equal(found->records, 24);
}

static void expect_nothing_of(struct how like)
{
	for (int i = 0; i < 10; i++) {
		pass_a_window(like);
		assert_null(found);
	}
}

CHILD_TEST(one_launch_of_each_window_may_be_missing)
{
	expect_nothing_of((struct how){.missing = 1});
}

CHILD_TEST(calls_in_progress_when_kernels_were_turned_on_or_off_need_no_records)
{
	expect_nothing_of((struct how){.missing = 1, .at_edges = true});
}

CHILD_TEST(how_many_records_a_conditional_node_leaves_is_not_known)
{
	expect_nothing_of((struct how){.missing = 5, .variable = true});
}

CHILD_TEST(what_the_device_may_not_have_come_to_is_not_missed)
{
	expect_nothing_of((struct how){.missing = 5, .unpassed = true});
}

CHILD_TEST(one_thread_and_stream_alone_is_compared)
{
	expect_nothing_of((struct how){.missing = 5, .of_two_streams = true});
	expect_nothing_of((struct how){.missing = 5, .of_two_threads = true});
}

CHILD_TEST(records_without_times_are_records)
{
	/* They say nothing of when they were: the next window's show that all have come. */
	pass_a_window((struct how){.without_times = true});
	expect_nothing_of((struct how){0});
}

CHILD_TEST(records_that_come_in_the_next_window_are_of_theirs)
{
	uint64_t opened = now;

	for (int i = 0; i < 3; i++) {
		opened = now;
		pass_a_window((struct how){.missing = 5});
		window_check_open(now, now);
		for (int k = 0; k < 5; k++)
			records(opened + 3 * MS);
		records(now);
		window_check_close(now + LENGTH);
		assert_null(window_check_result());
		now += 200 * MS;
	}
	expect_nothing_of((struct how){0});
}

CHILD_TEST(late_faults_end_nothing)
{
	for (int i = 0; i < 20; i++)
		pass_a_window((struct how){0});
	expect_nothing_of((struct how){.missing = 5});
}
