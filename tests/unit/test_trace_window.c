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
#include "preload/base/clock.h"
#include "preload/base/settings.h"
#include "preload/recording/recording.h"
#include "preload/recording/rows.h"
#include "report/options/options.h"
#include "tests/unit/made_run.h"

#define SECOND 1000000000ull

static bool active;
static uint64_t now;

_Atomic bool mode_cupti;

int clock_read(clockid_t clock, struct timespec *time)
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
	return make_run(0);
}

static int end(void **state)
{
	(void)state;
	trace_window_close();
	session_close(run.session);
	return 0;
}

static void records(unsigned count)
{
	const struct trace_record record = {.kind = ROW_KERNEL, .start = 1};

	while (count--)
		assert_int_equal(session_trace(run.session, &record), 0);
}

static void are_kept(unsigned count)
{
	const struct trace_record *record;
	unsigned kept = 0;

	session_for_each_trace (run.session, record)
		kept++;
	assert_int_equal(kept, count);
	assert_int_equal(run.header->counters[COUNTER_trace_records], count);
	assert_int_equal(run.header->counters[COUNTER_trace_lost], 0);
}

static void a_trace_begins_anew_and_is_forgotten_at_its_end(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(trace_window_open(TRACE_GPU, SECOND), 0);
		assert_true(trace_window_is_open());
		assert_int_equal(run.header->trace_on, 1);
		are_kept(0);
		/* More than a segment each time. */
		records(20000 * i);
		are_kept(20000 * i);
	}
	trace_window_close();
	assert_false(trace_window_is_open());
	assert_int_equal(run.header->trace_on, 0);
	are_kept(0);
}

static uint64_t last_start(void)
{
	const struct trace_record *record;
	uint64_t last = 0;

	session_for_each_trace (run.session, record)
		last = record->start > last ? record->start : last;
	return last;
}

static void of_too_many_the_newest_are_kept_and_the_others_counted(void **state)
{
	const uint64_t *counters = run.header->counters;
	const struct trace_record *record;
	uint64_t least = TRACE_WINDOW_BYTES / 2 / sizeof(*record), kept = 0, first = UINT64_MAX;

	(void)state;
	assert_int_equal(trace_window_open(TRACE_GPU, SECOND), 0);
	for (uint64_t i = 1; i <= 1000000; i++)
		session_trace(run.session, &(struct trace_record){.kind = ROW_KERNEL, .start = i});
	session_for_each_trace (run.session, record) {
		kept++;
		first = record->start < first ? record->start : first;
	}
	assert_int_equal(counters[COUNTER_trace_records], kept);
	assert_int_equal(counters[COUNTER_trace_lost], 1000000 - kept);
	assert_true(kept > least && kept < 1000000);
	assert_int_equal(first, 1000000 - kept + 1);
	assert_int_equal(last_start(), 1000000);
	/* The next one begins anew. */
	assert_int_equal(trace_window_open(TRACE_GPU, SECOND), 0);
	are_kept(0);
}

static void one_that_is_copied_takes_no_more(void **state)
{
	(void)state;
	/* There is none to stop. */
	trace_window_stop();
	assert_int_equal(trace_window_close(), -ENODATA);
	assert_int_equal(trace_window_open(TRACE_GPU, SECOND), 0);
	records(3);
	trace_window_stop();
	assert_int_equal(run.header->trace_on, TRACE_STAYS);
	assert_true(trace_window_is_open());
	are_kept(3);
	assert_int_equal(trace_window_close(), 0);
	assert_int_equal(run.header->trace_on, TRACE_NONE);
	are_kept(0);
	assert_int_equal(trace_window_close(), -ENODATA);
	/* That of a whole run goes on. */
	run.header->trace_on = TRACE_GROWS;
	trace_window_stop();
	assert_int_equal(run.header->trace_on, TRACE_GROWS);
}

static void it_takes_what_was_asked_for(void **state)
{
	(void)state;
	assert_true(trace_window_takes(ROW_KERNEL) && trace_window_takes(ROW_DRIVER_API));
	assert_int_equal(trace_window_open(TRACE_GPU, SECOND), 0);
	assert_true(trace_window_takes(ROW_KERNEL) && !trace_window_takes(ROW_DRIVER_API));
	assert_int_equal(trace_window_open(TRACE_API, SECOND), 0);
	assert_true(!trace_window_takes(ROW_MEMCPY) && trace_window_takes(ROW_RUNTIME_API));
	assert_int_equal(trace_window_open(TRACE_GPU | TRACE_API, SECOND), 0);
	assert_true(trace_window_takes(ROW_MEMCPY) && trace_window_takes(ROW_RUNTIME_API));
	trace_window_close();
	assert_true(trace_window_takes(ROW_KERNEL) && trace_window_takes(ROW_DRIVER_API));
}

static void without_cupti_there_is_none(void **state)
{
	(void)state;
	active = false;
	assert_int_equal(trace_window_open(TRACE_GPU, SECOND), -EOPNOTSUPP);
	active = true;
	/* Launches that are count-only leave no record of the call. */
	mode_cupti = false;
	assert_int_equal(trace_window_open(TRACE_API, SECOND), -EOPNOTSUPP);
	assert_int_equal(trace_window_open(TRACE_GPU | TRACE_API, SECOND), -EOPNOTSUPP);
	assert_int_equal(run.header->trace_on, 0);
	assert_int_equal(trace_window_open(TRACE_GPU, SECOND), 0);
}

static void a_trace_of_the_run_is_left_alone(void **state)
{
	(void)state;
	run.header->trace_on = 1;
	records(3);
	assert_int_equal(trace_window_open(TRACE_GPU, SECOND), -EEXIST);
	trace_window_close();
	assert_int_equal(run.header->trace_on, 1);
	are_kept(3);
}

static void it_ends_by_itself_if_nobody_ends_it(void **state)
{
	(void)state;
	assert_int_equal(trace_window_open(TRACE_GPU, 2 * SECOND), 0);
	records(1);
	now += 22 * SECOND - 1;
	trace_window_update();
	assert_true(trace_window_is_open());
	now++;
	trace_window_update();
	assert_false(trace_window_is_open());
	are_kept(0);
	/* A duration may be anything. */
	assert_int_equal(trace_window_open(TRACE_GPU, UINT64_MAX), 0);
	now += 1000000 * SECOND;
	trace_window_update();
	assert_true(trace_window_is_open());
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(of_too_many_the_newest_are_kept_and_the_others_counted),
		TEST(one_that_is_copied_takes_no_more),
		TEST(a_trace_begins_anew_and_is_forgotten_at_its_end),
		TEST(it_takes_what_was_asked_for),
		TEST(without_cupti_there_is_none),
		TEST(a_trace_of_the_run_is_left_alone),
		TEST(it_ends_by_itself_if_nobody_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
