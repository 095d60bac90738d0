/* SPDX-License-Identifier: MIT */
/* Which calls that make or update graphs wait for the collector, and for what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/base/lifecycle_state.h"
#include "preload/handles/graph.h"

_Atomic int lifecycle_state = LIFECYCLE_RUNNING;

/* The collector is asked each time that a thread is about to wait, and answers at once. */
static void (*collect)(void);
static unsigned wakes;

static void wake(void)
{
	wakes++;
	collect();
}

static void turn_off(void)
{
	assert_int_equal(instantiation_count, 1);
	instantiation_tell(true, false);
}

static void turn_on(void)
{
	assert_int_equal(instantiation_count, 0);
	instantiation_tell(false, false);
}

static void close_window(void)
{
	instantiation_tell(true, true);
}

static void open_trace(void)
{
	instantiation_stays_on();
}

/* How often the collector was woken since the last time. */
static unsigned woken(void)
{
	unsigned times = wakes;

	wakes = 0;
	return times;
}

static void a_graph_is_made_while_the_kind_is_off_and_launched_once_it_is_on(void **state)
{
	(void)state;
	assert_false(instantiation_ever);
	instantiation_tell(false, false);
	collect = turn_off;
	instantiation_begin();
	assert_int_equal(woken(), 1);
	assert_true(instantiation_ever);
	collect = turn_on;
	instantiation_end();
	assert_int_equal(woken(), 1);
	assert_int_equal(instantiation_count, 0);
}

static void in_windows_a_graph_waits_for_its_end_and_an_update_for_nothing(void **state)
{
	(void)state;
	instantiation_tell(false, true);
	instantiation_update_begin();
	instantiation_end();
	assert_int_equal(woken(), 0);
	collect = close_window;
	instantiation_begin();
	assert_int_equal(woken(), 1);
	instantiation_end();
	assert_int_equal(woken(), 0);
}

static void while_the_kind_stays_on_nothing_is_waited_for(void **state)
{
	(void)state;
	instantiation_stays_on();
	instantiation_begin();
	assert_int_equal(instantiation_count, 1);
	instantiation_end();
	instantiation_update_begin();
	instantiation_end();
	assert_int_equal(woken(), 0);
	/* Nor once it is known that it stays on. */
	instantiation_tell(false, false);
	collect = open_trace;
	instantiation_begin();
	assert_int_equal(woken(), 1);
	instantiation_end();
	assert_int_equal(woken(), 0);
}

static int watch(void **state)
{
	(void)state;
	instantiation_watch(wake);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_graph_is_made_while_the_kind_is_off_and_launched_once_it_is_on),
		cmocka_unit_test(in_windows_a_graph_waits_for_its_end_and_an_update_for_nothing),
		cmocka_unit_test(while_the_kind_stays_on_nothing_is_waited_for),
	};

	return cmocka_run_group_tests(tests, watch, NULL);
}
