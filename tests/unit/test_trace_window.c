/* SPDX-License-Identifier: MIT */
/* The trace of a window: when there is one, of what, and that nothing of it stays. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "cupti/cupti.h"
#include "preload/base/mode.h"
#include "preload/recording/trace_window.h"
#include "report/options/options.h"

#define SECOND 1000000000ull

static struct session *session;
static bool active;
static uint64_t now;

_Atomic bool mode_cupti;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){(time_t)(now / SECOND), (long)(now % SECOND)};
	return 0;
}

bool cupti_active(void)
{
	return active;
}

static int begin(void **state)
{
	(void)state;
	active = true;
	mode_cupti = true;
	now = 100 * SECOND;
	return session_create(&session, NULL, 0);
}

static int end(void **state)
{
	(void)state;
	trace_window_close();
	session_close(session);
	return 0;
}

static void records(unsigned count)
{
	const struct trace_record record = {.kind = ROW_KERNEL, .start = 1};

	while (count--)
		assert_int_equal(session_trace(session, &record), 0);
}

static void are_kept(unsigned count)
{
	const struct trace_record *record;
	unsigned kept = 0;

	session_for_each_trace (session, record)
		kept++;
	assert_int_equal(kept, count);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], count);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 0);
}

static void a_trace_begins_anew_and_is_forgotten_at_its_end(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(trace_window_open(session, TRACE_GPU, SECOND), 0);
		assert_true(trace_window_is_open());
		assert_int_equal(session_header(session)->trace_on, 1);
		are_kept(0);
		/* More than a segment each time. */
		records(20000 * i);
		are_kept(20000 * i);
	}
	trace_window_close();
	assert_false(trace_window_is_open());
	assert_int_equal(session_header(session)->trace_on, 0);
	are_kept(0);
}

static void it_takes_what_was_asked_for(void **state)
{
	(void)state;
	assert_true(trace_window_takes(ROW_KERNEL) && trace_window_takes(ROW_DRIVER_API));
	assert_int_equal(trace_window_open(session, TRACE_GPU, SECOND), 0);
	assert_true(trace_window_takes(ROW_KERNEL) && !trace_window_takes(ROW_DRIVER_API));
	assert_int_equal(trace_window_open(session, TRACE_API, SECOND), 0);
	assert_true(!trace_window_takes(ROW_MEMCPY) && trace_window_takes(ROW_RUNTIME_API));
	assert_int_equal(trace_window_open(session, TRACE_GPU | TRACE_API, SECOND), 0);
	assert_true(trace_window_takes(ROW_MEMCPY) && trace_window_takes(ROW_RUNTIME_API));
	trace_window_close();
	assert_true(trace_window_takes(ROW_KERNEL) && trace_window_takes(ROW_DRIVER_API));
}

static void without_cupti_there_is_none(void **state)
{
	(void)state;
	active = false;
	assert_int_equal(trace_window_open(session, TRACE_GPU, SECOND), -EOPNOTSUPP);
	active = true;
	/* Launches that are count-only leave no record of the call. */
	mode_cupti = false;
	assert_int_equal(trace_window_open(session, TRACE_API, SECOND), -EOPNOTSUPP);
	assert_int_equal(trace_window_open(session, TRACE_GPU | TRACE_API, SECOND), -EOPNOTSUPP);
	assert_int_equal(session_header(session)->trace_on, 0);
	assert_int_equal(trace_window_open(session, TRACE_GPU, SECOND), 0);
}

static void a_trace_of_the_run_is_left_alone(void **state)
{
	(void)state;
	session_header(session)->trace_on = 1;
	records(3);
	assert_int_equal(trace_window_open(session, TRACE_GPU, SECOND), -EEXIST);
	trace_window_close();
	assert_int_equal(session_header(session)->trace_on, 1);
	are_kept(3);
}

static void it_ends_by_itself_if_nobody_ends_it(void **state)
{
	(void)state;
	assert_int_equal(trace_window_open(session, TRACE_GPU, 2 * SECOND), 0);
	records(1);
	now += 22 * SECOND - 1;
	trace_window_update();
	assert_true(trace_window_is_open());
	now++;
	trace_window_update();
	assert_false(trace_window_is_open());
	are_kept(0);
	/* A duration may be anything. */
	assert_int_equal(trace_window_open(session, TRACE_GPU, UINT64_MAX), 0);
	now += 1000000 * SECOND;
	trace_window_update();
	assert_true(trace_window_is_open());
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_trace_begins_anew_and_is_forgotten_at_its_end),
		TEST(it_takes_what_was_asked_for),
		TEST(without_cupti_there_is_none),
		TEST(a_trace_of_the_run_is_left_alone),
		TEST(it_ends_by_itself_if_nobody_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
