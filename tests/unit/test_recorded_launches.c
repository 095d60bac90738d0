/* SPDX-License-Identifier: MIT */
/* What becomes of records once calls are no longer matched with them: in a run that begins with
 * events alone, while everything is recorded, and in windows. */
#include "tests/unit/recording_neighbours.h"

TEST(until_a_graph_is_made_all_is_matched, false)
{
	assert_int_equal(following, 1);
	assert_int_equal(watched, 1);
	assert_int_equal(starts + plans, 0);
	run_for(100 * MS);
	assert_true(recording_matches());
	assert_true(recording_is_complete());
	operation_names_reused = true;
	assert_true(recording_knows_kernels());
	recording_record(&kernel, &(struct activity){.start = 1, .end = 5, .device = 1});
	assert_int_equal(added_ns + nodes_added, 0);
	recording_finish();
	assert_int_equal(updates + closed + finishes, 0);
	instantiation_ever = true;
	run_for(PERIOD);
	assert_false(recording_matches());
	assert_true(recording_is_complete());
	assert_int_equal(starts, 1);
	assert_false(recording_knows_kernels());
	operation_names_reused = false;
	assert_true(recording_knows_kernels());
}

TEST(records_go_to_their_launch_or_to_their_operation, false)
{
	instantiation_ever = true;
	run_for(PERIOD);
	recording_record(&kernel,
			 &(struct activity){.start = 10, .end = 50, .device = 1, .bytes = 3});
	assert_int_equal(added_ns, 40);
	assert_int_equal(nodes_added, 0);
	recording_record(&kernel, &(struct activity){.start = 10, .end = 50, .graph_node = 7});
	assert_int_equal(nodes_added, 1);
	assert_int_equal(added_ns, 40);
	assert_true(settled > 0);
}

TEST(nodes_and_launches_come_into_their_rows, false)
{
	struct row *row = rows_of(&kernel, 0);

	row->calls = 2;
	instantiation_ever = true;
	run_for(PERIOD);
	recording_node(&kernel, 0, 25);
	assert_int_equal(count(COUNTER_cupti_records), 1);
	assert_int_equal(count(COUNTER_graph_nodes), 1);
	assert_int_equal(row->cupti.count, 1);
	assert_int_equal(row->cupti.total, 25);
	assert_int_equal(row->graph_records, 1);
	recording_graph(&kernel, 0, 75);
	assert_int_equal(row->cupti.count, 2);
	assert_int_equal(row->cupti.total, 100);
	assert_int_equal(row->graph_records, 1);
	/* All launches were counted before: this one is another graph's. */
	recording_graph(&kernel, 0, 75);
	assert_int_equal(row->cupti.count, 2);
	no_rows = true;
	recording_node(&kernel, 0, 25);
	recording_graph(&kernel, 0, 75);
	assert_int_equal(count(COUNTER_graph_nodes), 2);
	assert_int_equal(row->cupti.count, 2);
}

TEST(rows_are_updated_five_times_a_second, false)
{
	instantiation_ever = true;
	run_for(PERIOD);
	updates = 0;
	run_for(1000 * MS);
	assert_int_equal(updates, 5);
	/* All that is recorded is not taken in stretches. */
	assert_int_equal(closed, 0);
}

TEST(with_a_budget_the_run_begins_without_cupti, true)
{
	assert_int_equal(plans, 1);
	assert_int_equal(starts, 1);
	assert_true(told_off && told_windows);
	assert_false(recording_matches());
	assert_false(recording_is_complete());
	run_for(100 * MS);
	assert_int_equal(cost_elapsed, 20 * MS);
	assert_true(costs_late);
	assert_int_equal(pauses, 0);
	assert_int_equal(settled, 0);
	recording_finish();
	assert_int_equal(finishes, 1);
	assert_true(ended_off);
	assert_int_equal(ended_since, 0);
}

static void start_cupti(void)
{
	run_for(100 * MS);
	assert_int_equal(late_begins, 0);
	started_now = cupti_is_active = true;
	closed = 0;
	run_for(20 * MS);
	assert_int_equal(late_begins, 1);
	/* The first stretch is as long as the others. */
	run_for(170 * MS);
	assert_int_equal(closed, 0);
	assert_false(recording_matches());
	assert_false(recording_is_complete());
	assert_int_equal(pauses, 0);
}

TEST(once_cupti_is_started_everything_is_recorded_in_stretches, true)
{
	start_cupti();
	assert_false(told_off || told_windows);
	closed = random_closed = updates = 0;
	run_for(1000 * MS);
	assert_int_equal(pauses, 0);
	assert_int_equal(updates, 5);
	assert_int_equal(random_closed, 5);
	recording_finish();
	assert_false(ended_off);
	assert_true(ended_since > 0);
}

TEST(what_cupti_costs_beyond_three_tenths_of_the_budget_begins_windows, true)
{
	start_cupti();
	/* 0.2 s of them were given in advance: 1.2 ms. */
	costs.recording = 1100000;
	costs.standing = 500;
	run_for(20 * MS);
	assert_int_equal(pauses, 0);
	assert_int_equal(count(COUNTER_cupti_standing_ns), 500);
	assert_int_equal(count(COUNTER_cupti_added_ns), 500);
	costs.recording = 1100000;
	run_for(40 * MS);
	assert_true(paused);
	assert_int_equal(pauses, 1);
	assert_int_equal(count(COUNTER_windows), 1);
	assert_true(count(COUNTER_windows_ns) >= 20 * MS);
	assert_true(told_off && told_windows);
	assert_string_equal(
		session_string(run.session, run.header->notes[0]),
		"Kernels are recorded in windows: recording all of them would exceed the budget of "
		"2 %. All calls are counted.");
	/* A graph's launch is no longer the same as others: only events time it. */
	recording_graph(&kernel, 0, 75);
	assert_int_equal(rows_of(&kernel, 0)->cupti.count, 0);
	/* Windows open again, and are taken as random ones. */
	random_closed = 0;
	run_for(12000 * MS);
	assert_true(pauses > 10);
	assert_true(random_closed > 5);
	assert_true(count(COUNTER_windows) > 5);
}

TEST(a_clock_of_the_programs_does_not_say_when_a_window_opened, true)
{
	realtime = false;
	start_cupti();
	recording_finish();
	assert_int_equal(ended_since, 0);
}

TEST(where_cupti_cannot_be_paused_it_stays_on, true)
{
	start_cupti();
	can_pause = false;
	costs.recording = 100000000;
	run_for(40 * MS);
	assert_true(pauses > 0);
	assert_false(paused);
	/* None was closed. */
	assert_int_equal(count(COUNTER_windows), 0);
	assert_int_equal(count(COUNTER_windows_ns), 0);
	can_pause = true;
	run_for(5 * MS);
	assert_int_equal(count(COUNTER_windows), 1);
	assert_true(count(COUNTER_windows_ns) < 1000 * MS);
}

TEST(updates_that_were_not_read_are_said, false)
{
	instantiation_ever = true;
	run_for(PERIOD);
	graph_updates_unread = 3;
	recording_finish();
	assert_string_equal(session_string(run.session, run.header->notes[0]),
			    "3 updates of graphs were not read, as that would have taken more than "
			    "1 % of the time: their launches are counted as those before.");
	assert_int_equal(closed, 1);
	assert_int_equal(finishes, 1);
	assert_true(updates > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(until_a_graph_is_made_all_is_matched),
		cmocka_unit_test(records_go_to_their_launch_or_to_their_operation),
		cmocka_unit_test(nodes_and_launches_come_into_their_rows),
		cmocka_unit_test(rows_are_updated_five_times_a_second),
		cmocka_unit_test(with_a_budget_the_run_begins_without_cupti),
		cmocka_unit_test(once_cupti_is_started_everything_is_recorded_in_stretches),
		cmocka_unit_test(what_cupti_costs_beyond_three_tenths_of_the_budget_begins_windows),
		cmocka_unit_test(a_clock_of_the_programs_does_not_say_when_a_window_opened),
		cmocka_unit_test(where_cupti_cannot_be_paused_it_stays_on),
		cmocka_unit_test(updates_that_were_not_read_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
