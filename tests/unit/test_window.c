/* SPDX-License-Identifier: MIT */
/* When the profiling window opens and closes, and what lies in it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/settings.h"
#include "preload/launch/window.h"
#include "report/session/session.h"
#include "tests/unit/made_run.h"

#define SECOND	 1000000000ull
#define REALTIME (1000 * SECOND) /* is so much ahead */

_Atomic int lifecycle_state = LIFECYCLE_RUNNING, count_only_blocks;
_Atomic bool mode_begun;
bool mode_counting = true, mode_counting_outside;
static bool start_off;
static uint64_t now = 50 * SECOND;

bool settings_begin_later(void)
{
	return start_off;
}

/* In place of the kernel's. */
int clock_read(clockid_t clock, struct timespec *time)
{
	uint64_t value = now + (clock == CLOCK_REALTIME ? REALTIME : 0);

	time->tv_sec = (time_t)(value / SECOND);
	time->tv_nsec = (long)(value % SECOND);
	return 0;
}

/* Opens the window if it is shut, with no plan. */
static int start_open(void **state)
{
	(void)state;
	now += 100000 * SECOND;
	atomic_store(&count_only_blocks, 0);
	window_start(&(struct window_plan){.from_start = true});
	assert_true(window_is_open());
	assert_int_equal(atomic_load(&count_only_blocks), 0);
	return 0;
}

/* Whether it is open after so long. */
static bool open_after(double seconds)
{
	now += (uint64_t)(seconds * 1e9);
	window_update();
	assert_int_equal(atomic_load(&count_only_blocks), !window_is_open());
	assert_false(window_is_due());
	return window_is_open();
}

static void with_start_off_nothing_begins_before_it_opens(void **state)
{
	(void)state;
	assert_true(mode_begun);
	window_start(&(struct window_plan){.from_start = false});
	assert_true(mode_begun);
	start_off = true;
	window_start(&(struct window_plan){.from_start = false});
	assert_false(mode_begun);
	window_set(false);
	assert_false(mode_begun);
	window_set(true);
	assert_true(mode_begun);
	window_set(false);
	assert_true(mode_begun);
	start_off = false;
}

static void what_launches_may_do_depends_on_the_side_of_it(void **state)
{
	(void)state;
	mode_counting_outside = true;
	window_set(false);
	assert_int_equal(atomic_load(&count_only_blocks), COUNT_ONLY_OUTSIDE);
	window_set(true);
	assert_int_equal(atomic_load(&count_only_blocks), 0);
	mode_counting = false;
	atomic_store(&count_only_blocks, 0);
	window_start(&(struct window_plan){.from_start = false});
	assert_int_equal(atomic_load(&count_only_blocks), COUNT_ONLY_OUTSIDE);
	window_set(true);
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	window_set(false);
	assert_int_equal(atomic_load(&count_only_blocks), COUNT_ONLY_OUTSIDE);
	mode_counting_outside = false;
	atomic_store(&count_only_blocks, 0);
	window_start(&(struct window_plan){.from_start = true});
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	window_set(false);
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	mode_counting = true;
}

static void the_program_opens_and_closes_it(void **state)
{
	uint64_t opened, closed;

	(void)state;
	assert_false(window_changed_between(0, UINT64_MAX));
	closed = now += SECOND;
	window_set(false);
	window_set(false);
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	opened = now += SECOND;
	window_set(true);
	assert_int_equal(atomic_load(&count_only_blocks), 0);
	assert_true(open_after(1000));
	closed += REALTIME;
	opened += REALTIME;
	assert_true(window_was_open(closed - 1));
	assert_false(window_was_open(closed));
	assert_false(window_was_open(opened - 1));
	assert_true(window_was_open(opened));
	assert_true(window_changed_between(closed, closed));
	assert_true(window_changed_between(closed - 1, closed + 1));
	assert_false(window_changed_between(closed + 1, opened - 1));
	assert_true(window_changed_between(closed + 1, opened));
	assert_false(window_changed_between(opened + 1, UINT64_MAX));
	assert_false(window_changed_between(0, closed - 1));
	/* In a child of fork the lock may be held for ever. */
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	window_set(false);
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	assert_true(window_is_open());
}

static void the_last_1024_changes_are_remembered(void **state)
{
	uint64_t first;

	(void)state;
	/* Closed in even seconds from the first, open in odd ones. */
	first = now + SECOND + REALTIME;
	for (unsigned i = 0; i < 1030; i++) {
		now += SECOND;
		window_set(i % 2 != 0);
	}
	assert_false(window_was_open(first + 6 * SECOND));
	assert_true(window_was_open(first + 7 * SECOND));
	assert_false(window_was_open(first + 1028 * SECOND));
	assert_true(window_was_open(first + 1029 * SECOND));
	assert_true(window_changed_between(first + 6 * SECOND, first + 6 * SECOND));
	assert_false(window_changed_between(first, first + 5 * SECOND + 5));
	assert_true(window_changed_between(first + 1029 * SECOND, UINT64_MAX));
}

static void a_delay_opens_it_and_a_duration_closes_it(void **state)
{
	(void)state;
	window_start(&(struct window_plan){.from_start = true, .delay = 2, .duration = 3});
	assert_false(window_is_open());
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	assert_false(open_after(1.75));
	now += SECOND / 4;
	assert_true(window_is_due());
	assert_true(open_after(0));
	assert_true(open_after(2.75));
	assert_false(open_after(0.25));
	assert_false(open_after(100));
	/* Without a delay the duration counts from the start, and without one it stays open. */
	atomic_store(&count_only_blocks, 0);
	window_start(&(struct window_plan){.from_start = true, .duration = 3});
	assert_true(open_after(2.75));
	assert_false(open_after(0.25));
	atomic_store(&count_only_blocks, 0);
	window_start(&(struct window_plan){.from_start = true, .delay = 1});
	assert_true(open_after(1));
	assert_true(open_after(100));
	/* Ages are no reason to begin at once. */
	atomic_store(&count_only_blocks, 0);
	window_start(&(struct window_plan){.from_start = true, .delay = 1e15});
	assert_false(open_after(1e6));
}

/* The collector is there while other threads are still begun, which may take a while. */
static void what_is_due_before_ktime_runs_is_done_then(void **state)
{
	(void)state;
	atomic_store(&count_only_blocks, 0);
	window_start(&(struct window_plan){.from_start = true, .delay = 1, .duration = 2});
	atomic_store(&lifecycle_state, LIFECYCLE_STARTING);
	assert_true(open_after(1));
	assert_false(open_after(2));
	assert_int_equal(window_command(true, 0), 0);
	assert_true(open_after(0));
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
}

static void a_window_that_lasts_until_the_next_one_leaves_nothing_out(void **state)
{
	struct window_plan plan = {.from_start = true, .every = 2, .duration = 1.75};

	(void)state;
	window_start(&plan);
	assert_false(window_stays_open());
	plan.duration = 2;
	window_start(&plan);
	assert_true(window_stays_open());
	/* A second where nothing is said. */
	plan = (struct window_plan){.from_start = true, .every = 1};
	window_start(&plan);
	assert_true(window_stays_open());
	plan.from_start = false;
	window_start(&plan);
	assert_false(window_stays_open());
	plan = (struct window_plan){.from_start = true, .duration = 3};
	window_start(&plan);
	assert_false(window_stays_open());
}

static void every_so_often_it_opens_for_a_second(void **state)
{
	(void)state;
	window_start(&(struct window_plan){.from_start = true, .every = 10});
	assert_true(open_after(0.75));
	assert_false(open_after(0.25));
	assert_false(open_after(8.75));
	assert_true(open_after(0.25));
	assert_false(open_after(1));
	/* The process was stopped: the windows of that time are not made up for. */
	assert_true(open_after(9 + 25));
	assert_false(open_after(1));
	assert_false(open_after(3.75));
	assert_true(open_after(0.25));
	/* With a delay and a duration. */
	window_start(
		&(struct window_plan){.from_start = true, .every = 10, .delay = 4, .duration = 2});
	atomic_store(&count_only_blocks, 1);
	assert_false(open_after(3.75));
	assert_true(open_after(0.25));
	assert_false(open_after(2));
	assert_true(open_after(8));
	assert_true(open_after(1.75));
	assert_false(open_after(0.25));
}

static void a_plan_is_for_runs_that_are_profiled_from_their_start(void **state)
{
	(void)state;
	window_start(&(struct window_plan){.every = 10, .delay = 1});
	assert_false(window_is_open());
	assert_false(open_after(100));
	/* What the program opens closes after the duration that was asked for, if any. */
	window_set(true);
	assert_true(open_after(100));
}

static void a_command_takes_the_place_of_the_plan(void **state)
{
	(void)state;
	window_start(&(struct window_plan){.from_start = true, .every = 10, .duration = 2});
	assert_int_equal(window_command(false, 5 * SECOND), 0);
	assert_false(open_after(0));
	assert_false(open_after(50));
	assert_int_equal(window_command(true, 3 * SECOND), 0);
	assert_true(open_after(2.75));
	assert_false(open_after(0.25));
	assert_int_equal(window_command(true, 0), 0);
	assert_true(open_after(1000));
}

/* The last one: it has no end. */
static void a_timeout_closes_it_for_good(void **state)
{

	(void)state;
	assert_int_equal(make_run(0), 0);
	window_start(&(struct window_plan){.from_start = true, .timeout = 4.5, .every = 2});
	now += 4 * SECOND;
	assert_true(window_is_due());
	window_update();
	assert_true(window_is_open());
	assert_int_equal(run.header->note_count, 0);
	now += SECOND / 2;
	window_update();
	assert_false(window_is_open());
	now += 100 * SECOND;
	assert_false(window_is_due());
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	window_set(true);
	assert_false(window_is_open());
	assert_int_equal(window_command(true, 0), -EALREADY);
	now += 100 * SECOND;
	window_update();
	assert_false(window_is_open());
	assert_int_equal(run.header->note_count, 1);
	assert_string_equal(session_string(run.session, run.header->notes[0]),
			    "Profiling ended 4.5 s after the driver's initialisation (--timeout).");
	session_close(run.session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_program_opens_and_closes_it, start_open),
		cmocka_unit_test_setup(what_launches_may_do_depends_on_the_side_of_it, start_open),
		cmocka_unit_test_setup(with_start_off_nothing_begins_before_it_opens, start_open),
		cmocka_unit_test_setup(the_last_1024_changes_are_remembered, start_open),
		cmocka_unit_test_setup(a_delay_opens_it_and_a_duration_closes_it, start_open),
		cmocka_unit_test_setup(what_is_due_before_ktime_runs_is_done_then, start_open),
		cmocka_unit_test_setup(a_window_that_lasts_until_the_next_one_leaves_nothing_out,
				       start_open),
		cmocka_unit_test_setup(every_so_often_it_opens_for_a_second, start_open),
		cmocka_unit_test_setup(a_plan_is_for_runs_that_are_profiled_from_their_start,
				       start_open),
		cmocka_unit_test_setup(a_command_takes_the_place_of_the_plan, start_open),
		cmocka_unit_test_setup(a_timeout_closes_it_for_good, start_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
