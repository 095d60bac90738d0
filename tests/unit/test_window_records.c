/* SPDX-License-Identifier: MIT */
/* How long the records of a recording window are waited for. */
#include "preload/recording/recording.h"
#include "tests/unit/own_process.h"
#include "tests/unit/test.h"

#define MS     1000000ull
#define CLOSED (1000 * MS)

static void prepare(void)
{
}

/* What the library keeps is a process's. */
#define CHILD_TEST(name) TEST_IN_CHILD(name, prepare())

/* A window with `launches` graph launches, before which 40 were seen. */
static void pass_a_window(unsigned launches, uint64_t closed)
{
	window_records_begin(40);
	for (unsigned i = 0; i < launches; i++)
		window_records_expect();
	window_records_await(closed);
}

CHILD_TEST(all_launches_but_the_last_are_enough_and_a_moment_for_their_nodes)
{
	pass_a_window(3, CLOSED);
	assert_false(window_records_have_come(CLOSED, 40));
	assert_false(window_records_have_come(CLOSED + MS, 41));
	assert_false(window_records_have_come(CLOSED + 2 * MS, 42));
	assert_true(window_records_have_come(CLOSED + 3 * MS, 42));
}

CHILD_TEST(queued_launches_are_waited_for_300_ms_and_100_once_they_did_not_come)
{
	pass_a_window(3, CLOSED);
	assert_false(window_records_have_come(CLOSED + 300 * MS - 1, 41));
	assert_true(window_records_have_come(CLOSED + 300 * MS, 41));
	pass_a_window(3, 2 * CLOSED);
	assert_false(window_records_have_come(2 * CLOSED + 100 * MS - 1, 41));
	assert_true(window_records_have_come(2 * CLOSED + 100 * MS, 41));
	/* Once. */
	pass_a_window(3, 3 * CLOSED);
	assert_false(window_records_have_come(3 * CLOSED + 300 * MS - 1, 41));
}

CHILD_TEST(records_that_are_there_when_the_time_is_over_are_not_missed)
{
	pass_a_window(3, CLOSED);
	assert_true(window_records_have_come(CLOSED + 400 * MS, 43));
	pass_a_window(3, 2 * CLOSED);
	assert_false(window_records_have_come(2 * CLOSED + 300 * MS - 1, 41));
}

CHILD_TEST(without_a_launch_nobody_knows_whether_records_come)
{
	pass_a_window(0, CLOSED);
	assert_false(window_records_have_come(CLOSED + 100 * MS - 1, 50));
	assert_true(window_records_have_come(CLOSED + 100 * MS, 50));
	/* That says nothing of the next one. */
	pass_a_window(1, 2 * CLOSED);
	assert_true(!window_records_have_come(2 * CLOSED, 39));
	assert_false(window_records_have_come(2 * CLOSED + 300 * MS - 1, 39));
}

CHILD_TEST(cupti_is_flushed_for_them_every_25_ms)
{
	assert_false(recording_wants_flush(CLOSED));
	pass_a_window(1, CLOSED);
	assert_false(recording_wants_flush(CLOSED + 25 * MS - 1));
	assert_true(recording_wants_flush(CLOSED + 25 * MS));
	assert_false(recording_wants_flush(CLOSED + 50 * MS - 1));
	assert_true(recording_wants_flush(CLOSED + 50 * MS));
}
