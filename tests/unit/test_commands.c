/* SPDX-License-Identifier: MIT */
/* What a program does that is given commands by the page of its profile, and in which order. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "preload/launch/window.h"
#include "preload/recording/commands.h"
#include "preload/recording/late_start.h"
#include "preload/recording/recording.h"
#include "preload/recording/rows.h"
#include "report/control/control.h"
#include "report/options/options.h"
#include "tests/unit/made_run.h"

static struct control_page *page;
static char steps[128];
static int answer;
_Atomic bool window_open;

static void step(const char *name)
{
	strcat(strcat(steps, *steps ? " " : ""), name);
}

static void collect(void)
{
	/* Nobody copies the profile meanwhile. */
	assert_int_equal(page->updating % 2, 1);
	step("collect");
}

void deferred_start_now(void (*the_collect)(void))
{
	assert_true(the_collect == collect);
	step("start");
}

static bool due;

bool window_is_due(void)
{
	return due;
}

void window_update(void)
{
	if (due) {
		step("open");
		window_open = true;
	}
	due = false;
}

int window_command(bool on, uint64_t open_ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%llu", on ? "+" : "-", (unsigned long long)open_ns);
	step(text);
	window_open = on;
	return answer;
}

int trace_window_open(unsigned what, uint64_t duration)
{
	char text[32];

	snprintf(text, sizeof(text), "trace%u:%llu", what, (unsigned long long)duration);
	step(text);
	return answer;
}

void recording_update_rows(void)
{
	step("rows");
}

void trace_window_stop(void)
{
	step("stop");
}

int trace_window_close(void)
{
	step("close");
	return answer;
}

static int trace_updates;

void trace_window_update(void)
{
	trace_updates++;
}

static int begin(void **state)
{
	(void)state;
	*steps = '\0';
	answer = 0;
	window_open = false;
	if (make_run(0))
		return -1;
	page = (struct control_page *)((char *)run.header + run.header->control);
	commands_start(collect);
	return 0;
}

static int end(void **state)
{
	(void)state;
	commands_writing(false);
	session_close(run.session);
	return 0;
}

/* What is done for a command in one period. */
static void is(enum control_command command, uint64_t duration, const char *expected)
{
	page->command = command;
	page->duration = duration;
	page->request++;
	*steps = '\0';
	commands_writing(true);
	commands_update();
	assert_string_equal(steps, expected);
	assert_true(page->answered == page->request);
	assert_int_equal(page->result, answer);
	assert_int_equal(page->open, window_open);
	/* Once. */
	*steps = '\0';
	window_open = false;
	commands_update();
	assert_string_equal(steps, "");
}

static void each_command_is_carried_out_once(void **state)
{
	(void)state;
	is(CONTROL_ON, 7, "start +7");
	is(CONTROL_OFF, 7, "-0");
	is(CONTROL_TRACE_GPU, 8, "start trace1:8");
	is(CONTROL_TRACE_API, 9, "start trace2:9");
	is(CONTROL_TRACE_BOTH, 10, "start trace3:10");
	is(CONTROL_TRACE_END, 0, "close");
	is(CONTROL_COLLECT, 0, "collect rows stop");
	answer = -EALREADY;
	is(CONTROL_ON, 0, "start +0");
	is(CONTROL_TRACE_GPU, 0, "start trace1:0");
	is(CONTROL_TRACE_END, 0, "close");
	answer = -EINVAL;
	is(CONTROL_NONE, 0, "");
	is((enum control_command)1000, 0, "");
}

static void a_command_from_before_the_first_period_is_carried_out(void **state)
{
	(void)state;
	page->command = CONTROL_OFF;
	page->request++;
	commands_start(collect);
	commands_update();
	assert_string_equal(steps, "-0");
	assert_int_equal(page->answered, 1);
}

static void a_traced_window_is_looked_after_in_each_period(void **state)
{
	(void)state;
	trace_updates = 0;
	commands_update();
	commands_update();
	assert_int_equal(trace_updates, 2);
}

static void a_program_that_opens_its_window_starts_cupti(void **state)
{
	(void)state;
	window_open = true;
	commands_update();
	assert_string_equal(steps, "start");
	assert_int_equal(page->open, 1);
}

static void cupti_is_started_before_the_window_opens_by_the_clock(void **state)
{
	(void)state;
	due = true;
	commands_update();
	/* Again, as it would be where the program has opened it: that does nothing. */
	assert_string_equal(steps, "start open start");
	assert_int_equal(page->open, 1);
}

/* The number is even while the collector rests for the one who copies, odd before and after. */
static void a_copy_has_time(void **state)
{
	uint32_t before;

	(void)state;
	commands_writing(true);
	before = page->updating;
	assert_int_equal(before % 2, 1);
	commands_writing(true);
	assert_int_equal(page->updating, before);
	page->command = CONTROL_COLLECT;
	page->request++;
	commands_update();
	assert_int_equal(page->updating, before + 2);
	/* After another command the profile may be copied until the next period. */
	page->command = CONTROL_OFF;
	page->request++;
	commands_update();
	assert_int_equal(page->updating, before + 3);
	commands_writing(false);
	assert_int_equal(page->updating, before + 3);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(each_command_is_carried_out_once),
		TEST(a_command_from_before_the_first_period_is_carried_out),
		TEST(a_traced_window_is_looked_after_in_each_period),
		TEST(a_program_that_opens_its_window_starts_cupti),
		TEST(cupti_is_started_before_the_window_opens_by_the_clock),
		TEST(a_copy_has_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
