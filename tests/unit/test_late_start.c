/* SPDX-License-Identifier: MIT */
/* What CUPTI is reckoned to cost launches, and when it is started: on a clock of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cupti/kinds.h"
#include "cupti/library.h"
#include "preload/base/settings.h"
#include "preload/handles/graph.h"
#include "preload/recording/late_start.h"
#include "preload/recording/rows.h"
#include "tests/unit/made_run.h"

#define MS 1000000u

struct options settings;
_Atomic bool mode_begun;

static struct operation kernel, graph;
static struct row kernel_row, graph_row;
static struct graph_contents contents = {.recorded = 200};
static struct cupti_functions functions = {.version = 130000};
static bool program_used_cupti;
static int started, refusal;
static uint64_t now;

struct operation *operation_first(void)
{
	return &kernel;
}

const struct cupti_functions *library_functions(void)
{
	return &functions;
}

static unsigned forgotten;

void operation_forget_kernels(void)
{
	forgotten++;
}

bool kinds_program_ever(void)
{
	return program_used_cupti;
}

static int start(const struct cupti_settings *wanted, char *reason, size_t size)
{
	assert_true(wanted->graph_nodes);
	snprintf(reason, size, "%s", refusal ? "refused" : "");
	started++;
	return refusal;
}

static int begin(void **state)
{
	(void)state;
	kernel = (struct operation){.kind = ROW_KERNEL, .rows = {&kernel_row}, .next = &graph};
	graph = (struct operation){.kind = ROW_GRAPH, .rows = {&graph_row}, .contents = &contents};
	kernel_row = graph_row = (struct row){.events = {.count = 100}};
	settings = (struct options){.budget = 5};
	program_used_cupti = false;
	mode_begun = true;
	started = refusal = 0;
	now = 1000000 * (uint64_t)MS;
	if (make_run(0))
		return -1;
	late_start_plan(&(struct cupti_settings){.graph_nodes = true}, start, 0.05, now);
	return 0;
}

static int end(void **state)
{
	(void)state;
	session_close(run.session);
	return 0;
}

/* Lets `count` stretches of 20 ms pass with `launches` launches of the kernel each; returns in how
 * many of them CUPTI was started. */
static unsigned stretches(unsigned count, unsigned launches)
{
	unsigned starts = 0;

	for (unsigned i = 0; i < count; i++) {
		struct launch_costs costs;

		now += 20 * MS;
		kernel.calls += launches;
		costs = launch_costs_take(true, 20 * MS);
		starts += late_start_update(&costs, 20 * MS, now);
	}
	return starts;
}

static const char *note(unsigned index)
{
	return session_string(run.session, run.header->notes[index]);
}

static void queued_launches_cost_the_device_and_others_the_host(void **state)
{
	struct launch_costs costs;

	(void)state;
	kernel.calls = 1000;
	costs = launch_costs_take(true, 20 * MS);
	assert_int_equal(costs.launches, 1000);
	assert_true(costs.standing == 1000 * 100.0 && costs.recording == 1000 * 300.0);
	kernel_row.gated = 70;
	kernel_row.may_wait = 30;
	kernel.calls = 3000;
	costs = launch_costs_take(true, 20 * MS);
	assert_true(costs.standing == 2000 * 2000.0 && costs.recording == 2000 * 2000.0);
	assert_int_equal(launch_costs_take(true, 20 * MS).launches, 0);
}

static void copies_are_recorded_all_the_time_so_they_are_a_cost_of_their_own(void **state)
{
	const struct launch_costs dear = {.launches = 1, .copies = 10 * MS};
	struct launch_costs costs;

	(void)state;
	kernel.kind = ROW_MEMCPY;
	kernel.calls = 1000;
	costs = launch_costs_take(true, 20 * MS);
	kernel.kind = ROW_KERNEL;
	assert_true(costs.standing == 1000 * 100.0 && costs.copies == 1000 * 1300.0 &&
		    costs.recording == 0);
	/* CUPTI is not started where they alone take more than fits. */
	for (int i = 0; i < 1000; i++)
		assert_false(late_start_update(&dear, 20 * MS, now += 20 * MS));
}

static void copies_of_a_graph_are_no_part_of_what_windows_take(void **state)
{
	struct graph_contents mixed = {.nodes = 200, .recorded = 200, .copies = 50};
	struct launch_costs costs;

	(void)state;
	atomic_store(&graph.contents, &mixed);
	graph.calls = 1;
	costs = launch_costs_take(false, 20 * MS);
	assert_true(costs.copies == 50 * 300.0 && costs.recording == 150 * 1200.0);
}

static void a_graph_costs_by_its_nodes_and_more_if_it_was_made_before(void **state)
{
	struct launch_costs costs;

	(void)state;
	graph_row.events.total = 100 * 20 * MS; /* its launch takes all of the time */
	graph.calls = 1;
	costs = launch_costs_take(false, 20 * MS);
	assert_true(costs.standing == 200 * 12.0 && costs.recording == 200 * 1200.0);
	graph.calls = 2;
	assert_true(launch_costs_take(true, 20 * MS).standing == 200 * 100.0);
	graph_row.gated = 100;
	graph.calls = 3;
	assert_true(launch_costs_take(true, 20 * MS).standing == 2000.0 + 200 * 500.0);
}

/* Once CUPTI is there the call shows what it adds. */
static void calls_cost_what_they_take_longer_but_no_more_than_the_device_was_idle(void **state)
{
	const uint64_t taken[] = {45000, 42000, 85000};
	struct launch_costs costs;

	(void)state;
	graph_row.events.total = 100 * 500000;
	for (unsigned i = 0; i < 3; i++)
		launch_costs_see_call(&(struct in_flight){
			.operation = &graph, .started = 7, .ended = 7 + taken[i]});
	graph.calls = 10;
	costs = launch_costs_take(false, 20 * MS);
	assert_true(costs.calls == 10 * 40000.0);
	assert_true(costs.standing == 10 * 40000.0 + 10 * 200 * 12.0);
	/* 5.0 of 5.1 ms the device was busy, and then for longer than there was time. */
	graph.calls = 20;
	assert_true(launch_costs_take(false, 5100000).calls == 100000);
	graph.calls = 30;
	assert_true(launch_costs_take(false, 4 * MS).standing == 10 * 200 * 12.0);
	/* The last device has as much time of its own. */
	graph.rows[SESSION_DEVICES - 1] = &graph_row;
	graph.calls = 40;
	assert_true(launch_costs_take(false, 3 * MS).calls == 10 * 40000.0);
	graph.rows[SESSION_DEVICES - 1] = NULL;
	/* It is shorter than without CUPTI. */
	graph.shortest_call = 1500;
	graph.calls = 41;
	assert_true(launch_costs_take(false, 20 * MS).calls == 0);
}

static void what_is_not_known_counts_as_waited_for(void **state)
{
	(void)state;
	kernel_row.events.count = 0;
	kernel.calls = 1;
	assert_true(launch_costs_take(true, 20 * MS).standing == 2000.0);
}

static void cupti_is_started_once_its_cost_has_fitted_for_two_seconds(void **state)
{
	const struct session_header *header = run.header;

	(void)state;
	/* 4,000 launches of 100 ns in 20 ms: two fifths of 5 %, and 2.8 s pay for the start. */
	assert_int_equal(stretches(139, 4000), 0);
	assert_int_equal(stretches(1, 4000), 1);
	assert_int_equal(started, 1);
	assert_int_equal(header->cupti_active, 1);
	assert_int_equal(forgotten, 1);
	assert_int_equal(header->cupti_version, 130000);
	assert_int_equal(header->counters[COUNTER_cupti_late_ns], 2800u * MS);
	assert_string_equal(note(0), "CUPTI was started 2.8 s after the first GPU work, once its "
				     "cost fitted into the budget of 5 %: earlier operations are "
				     "timed by events.");
	assert_int_equal(stretches(500, 1), 0);
	late_start_finish();
	assert_int_equal(header->note_count, 1);
}

static void a_burst_and_pauses_put_the_start_off(void **state)
{
	(void)state;
	assert_int_equal(stretches(99, 4000), 0);
	assert_int_equal(stretches(1, 4001), 0);
	assert_int_equal(stretches(99, 1), 0);
	assert_int_equal(stretches(1000, 0), 0);
	assert_int_equal(stretches(1, 1), 1);
}

static void what_never_fits_is_never_started_and_the_report_says_so(void **state)
{
	(void)state;
	assert_int_equal(stretches(5000, 4001), 0);
	late_start_finish();
	assert_string_equal(note(0), "CUPTI was not started: it would have cost more than fits "
				     "into the budget (--budget 5).");
	assert_int_equal(started, 0);
}

static void a_short_run_is_told_apart(void **state)
{
	(void)state;
	late_start_finish();
	assert_int_equal(run.header->note_count, 0);
	assert_int_equal(stretches(10, 100), 0);
	late_start_finish();
	assert_string_equal(note(0), "CUPTI was not started: the run was too short to pay for "
				     "that (--budget 5).");
}

static void a_refusal_is_said_and_final(void **state)
{
	(void)state;
	refusal = -1;
	assert_int_equal(stretches(500, 1), 0);
	assert_int_equal(started, 1);
	assert_int_equal(run.header->cupti_active, 0);
	assert_string_equal(note(0), "refused");
}

static void a_program_that_uses_cupti_has_it_for_itself(void **state)
{
	(void)state;
	program_used_cupti = true;
	assert_int_equal(stretches(500, 1), 0);
	assert_int_equal(started, 0);
}

static void nothing_is_started_before_the_window_opens(void **state)
{
	(void)state;
	mode_begun = false;
	assert_int_equal(stretches(1000, 1), 0);
	mode_begun = true;
	/* What was launched before does not count. */
	assert_int_equal(stretches(99, 1), 0);
	assert_int_equal(stretches(1, 1), 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(queued_launches_cost_the_device_and_others_the_host),
		TEST(copies_are_recorded_all_the_time_so_they_are_a_cost_of_their_own),
		TEST(copies_of_a_graph_are_no_part_of_what_windows_take),
		TEST(a_graph_costs_by_its_nodes_and_more_if_it_was_made_before),
		TEST(calls_cost_what_they_take_longer_but_no_more_than_the_device_was_idle),
		TEST(what_is_not_known_counts_as_waited_for),
		TEST(cupti_is_started_once_its_cost_has_fitted_for_two_seconds),
		TEST(a_burst_and_pauses_put_the_start_off),
		TEST(what_never_fits_is_never_started_and_the_report_says_so),
		TEST(a_short_run_is_told_apart),
		TEST(a_refusal_is_said_and_final),
		TEST(a_program_that_uses_cupti_has_it_for_itself),
		TEST(nothing_is_started_before_the_window_opens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
