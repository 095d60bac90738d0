/* SPDX-License-Identifier: MIT */
/* What happens, and in which order, when CUPTI is started as the profiling window opens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cupti/library.h"
#include "preload/base/clock.h"
#include "preload/base/settings.h"
#include "preload/handles/graph.h"
#include "preload/handles/stream.h"
#include "preload/recording/late_start.h"
#include "preload/recording/rows.h"
#include "tests/unit/made_run.h"

uint64_t mode_cupti_since;

static struct cupti_functions functions = {.version = 130001};
_Atomic int count_only_blocks;
static int refusal;
static char steps[128];

static void step(const char *name)
{
	strcat(strcat(steps, *steps ? " " : ""), name);
}

const struct cupti_functions *library_functions(void)
{
	return &functions;
}

void mode_begin_cupti(bool started)
{
	step(started ? "begin" : "without");
}

void instantiation_tell(bool off, bool windows)
{
	step(off ? "off" : "on");
	assert_true(off == windows);
}

_Atomic bool instantiation_ever;

void stream_forget_cached(void)
{
	assert_int_equal(mode_cupti_since, 0);
	step("forget");
}

void operation_forget_kernels(void)
{
	step("operations");
}

/* What begins from here on has its record. */
static void collect(void)
{
	assert_true(refusal || (mode_cupti_since > 0 && mode_cupti_since <= clock_ticks()));
	step("collect");
}

static int start(const struct cupti_settings *wanted, char *reason, size_t size)
{
	/* No launch may leave no record from here on. */
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	assert_true(wanted->serial_kernels);
	step("start");
	snprintf(reason, size, "%s", refusal ? "CUPTI refuses" : "CUPTI leaves something out");
	return refusal;
}

static int begin(void **state)
{
	(void)state;
	*steps = '\0';
	atomic_store(&count_only_blocks, 0);
	refusal = 0;
	mode_cupti_since = 0;
	if (make_run(0))
		return -1;
	deferred_start_plan(&(struct cupti_settings){.serial_kernels = true}, start);
	return 0;
}

static int end(void **state)
{
	(void)state;
	session_close(run.session);
	return 0;
}

static const char *note(void)
{
	const struct session_header *header = run.header;

	return header->note_count == 1 ? session_string(run.session, header->notes[0]) : "";
}

static void what_was_called_before_waits_for_no_record(void **state)
{
	(void)state;
	deferred_start_now(collect);
	assert_string_equal(steps, "off start begin on forget operations collect");
	assert_int_equal(run.header->cupti_active, 1);
	assert_int_equal(run.header->cupti_version, 130001);
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	assert_string_equal(note(), "CUPTI leaves something out");
	deferred_start_now(collect);
	assert_string_equal(steps, "off start begin on forget operations collect");
}

static void a_refusal_is_said_and_final(void **state)
{
	(void)state;
	refusal = -5;
	deferred_start_now(collect);
	deferred_start_now(collect);
	assert_string_equal(steps, "off start without");
	assert_int_equal(run.header->cupti_active, 0);
	assert_string_equal(note(), "CUPTI refuses");
	assert_int_equal(atomic_load(&count_only_blocks), 0);
}

static void whole_graphs_are_not_traced_from_the_middle_on(void **state)
{
	(void)state;
	instantiation_ever = true;
	deferred_start_now(collect);
	assert_string_equal(steps, "off without");
	assert_non_null(strstr(note(), "CUPTI was not started: the program had made graphs"));
	/* Their nodes are. */
	*steps = '\0';
	deferred_start_plan(&(struct cupti_settings){.serial_kernels = true, .graph_nodes = true},
			    start);
	deferred_start_now(collect);
	instantiation_ever = false;
	assert_string_equal(steps, "off start begin on forget operations collect");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(what_was_called_before_waits_for_no_record),
		TEST(a_refusal_is_said_and_final),
		TEST(whole_graphs_are_not_traced_from_the_middle_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
