/* SPDX-License-Identifier: MIT */
/* What the background thread does each period, when a context ends and at the end of the run, and
 * how long each waits. */
#include "tests/unit/collector_neighbours.h"

#define PERIOD                                                                                     \
	"[ scale drain_rings poll drain_if_due recording_update event_pools_grow "                 \
	"context_gates_update sampling_update counters_update commands_update reap "               \
	"reclaim_streams event_pools_free_ended ranges_reclaim ]"
#define REPORT                                                                                     \
	"calibration_finish force calibration_settle merge_leave drain_rings drain_counts "        \
	"give_up records_finish "                                                                  \
	"ranges_finish calls_finish timeline_settle recording_finish trace_window_close scale "    \
	"context_gates_finish "                                                                    \
	"counters_update memory_measure report"

static void note_nothing(unsigned number)
{
	assert_true(number > 0);
}

TEST(a_period_takes_what_has_arrived_and_the_last_one_reports)
{
	last_period = 2;
	at_period = note_nothing;
	assert_null(thread_of_collector(NULL));
	is("relaxed " PERIOD " " PERIOD " [ drain_rings poll drain " REPORT);
	assert_true(poll_until > now);
	/* Whoever waits for it goes on. */
	assert_true(collector_wait_finished(0));
	assert_true(collector_finish(END_OUTSIDE));
}

TEST(launches_that_leave_no_record_are_counted_each_period)
{
	mode_counting = true;
	last_period = 1;
	at_period = note_nothing;
	thread_of_collector(NULL);
	assert_non_null(strstr(done, "drain_rings drain_counts poll drain_if_due"));
}

TEST(so_are_those_outside_the_window)
{
	mode_counting_outside = true;
	last_period = 1;
	at_period = note_nothing;
	thread_of_collector(NULL);
	assert_non_null(strstr(done, "drain_rings drain_counts poll drain_if_due"));
}

TEST(while_a_signal_ends_the_process_no_thread_is_freed)
{
	last_period = 1;
	at_period = note_nothing;
	atomic_store(&lifecycle_state, LIFECYCLE_ENDING);
	thread_of_collector(NULL);
	assert_null(strstr(done, "reap"));
}

static unsigned long long asked[8];
static void pend(unsigned number)
{
	asked[number - 1] = period_asked;
	pending = number == 1 ? 63 : number == 2 ? 64 : 0;
}

TEST(with_many_pairs_in_flight_the_period_is_a_fifth)
{
	last_period = 4;
	at_period = pend;
	thread_of_collector(NULL);
	assert_int_equal(asked[0], 5 * MS);
	assert_int_equal(asked[1], 5 * MS);
	assert_int_equal(asked[2], MS);
	assert_int_equal(asked[3], 5 * MS);
}

TEST(with_cupti_a_poll_of_the_events_ends_after_2_ms)
{
	last_period = 3;
	at_period = pend;
	atomic_store(&mode_cupti, true);
	pending = 64;
	thread_of_collector(NULL);
	assert_int_equal(asked[0], MS);
	assert_int_equal(asked[1], 5 * MS);
	assert_int_equal(asked[2], MS);
}

static uint64_t until;

static void note_poll(unsigned number)
{
	until = poll_until;
	asked[number - 1] = polls;
	if (number == 2)
		now += 50 * MS;
}

TEST(with_cupti_the_events_rest_after_a_poll)
{
	last_period = 3;
	at_period = note_poll;
	atomic_store(&mode_cupti, true);
	settings.events = EVENTS_AUTO;
	each_reading = MS;
	thread_of_collector(NULL);
	/* Twenty times as long as it took. */
	assert_int_equal(asked[0], 1);
	assert_int_equal(asked[1], 1);
	assert_int_equal(asked[2], 2);
	assert_true(until > 0);
}

TEST(when_all_other_threads_have_ended_so_does_the_process)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		last_period = 100;
		was_last = true;
		thread_of_collector(NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void *end_of_the_context(void *unused)
{
	(void)unused;
	collector_end_context(&the_context);
	/* Another time it is over at once. */
	collector_end_context(&the_context);
	collector_ask_finish(false);
	return NULL;
}

/* Until the context ends. */
static void forget(unsigned number)
{
	assert_true(number > 0);
	if (!strstr(done, "context_ending"))
		done[0] = '\0';
}

TEST(a_context_that_ends_is_collected_first)
{
	static const char whole[] =
		"[ drain_rings poll calibration_finish drain calibration_settle context_ending "
		"event_pool_forget_spare context_gates_end give_up "
		"context_use";
	pthread_t thread;

	last_period = UINT32_MAX;
	at_period = forget;
	assert_int_equal(pthread_create(&thread, NULL, end_of_the_context, NULL), 0);
	thread_of_collector(NULL);
	pthread_join(thread, NULL);
	assert_non_null(strstr(done, whole));
	assert_null(strstr(strstr(done, whole) + strlen(whole), "context_ending"));
	assert_true(atomic_load(&the_context.ended));
}

TEST(without_a_collector_a_context_just_ends)
{
	last_period = 0;
	thread_of_collector(NULL);
	done[0] = '\0';
	/* The run has ended: the request is not taken any more. */
	collector_end_context(&the_context);
	is("context_ending");
}

TEST(the_end_waits_for_events_two_seconds_at_most)
{
	uint64_t before = now;

	last_period = 0;
	pending = 1;
	each_reading = 400 * MS;
	thread_of_collector(NULL);
	assert_non_null(strstr(done, "poll poll poll poll poll drain"));
	assert_true(now - before < 8000 * MS);
}

TEST(the_end_waits_for_events_until_they_have_come)
{
	last_period = 0;
	pending = 1;
	ends_after = polls + 4;
	thread_of_collector(NULL);
	assert_non_null(strstr(done, "drain_rings poll poll poll drain"));
}

TEST(after_a_signal_the_end_waits_for_a_tenth_of_a_second)
{
	collector_ask_finish(true);
	pending = 1;
	each_reading = 30 * MS;
	thread_of_collector(NULL);
	is("relaxed [ drain_rings poll poll poll poll drain " REPORT);
}

TEST(records_are_waited_for_30_ms_and_then_the_device)
{
	last_period = 0;
	active = true;
	calls_expected = 1;
	each_reading = 10 * MS;
	marks_reached = true;
	collector_ask_finish(true);
	thread_of_collector(NULL);
	is("relaxed [ drain_rings poll drain drain drain end_marks_set marks "
	   "drain "
	   "drain drain " REPORT);
}

TEST(the_device_is_waited_for_with_what_the_events_left)
{
	active = true;
	matches = false;
	each_reading = 40 * MS;
	collector_ask_finish(true);
	thread_of_collector(NULL);
	is("relaxed [ drain_rings poll drain end_marks_set marks marks "
	   "drain " REPORT);
}

TEST(records_are_waited_for_while_any_are_expected)
{
	active = true;
	calls_expected = 1;
	drained_after = 3;
	collector_ask_finish(true);
	thread_of_collector(NULL);
	is("relaxed [ drain_rings poll drain drain drain " REPORT);
}

TEST(a_command_has_what_has_finished_taken_into_the_rows)
{
	collect();
	is("drain_rings drain_counts poll drain counters_update");
	assert_int_equal(poll_until, now + 2 * MS);
	active = true;
	calls_expected = 1;
	drained_after = 3;
	collect();
	is("drain_rings drain_counts poll drain drain counters_update");
}

TEST(an_end_in_a_host_function_waits_for_300_ms)
{
	each_reading = 301 * MS;
	assert_false(collector_finish(END_IN_HOST_FUNCTION));
	/* The first deadline holds for all. */
	each_reading = MS;
	now += 300 * MS;
	assert_false(collector_finish(END_OUTSIDE));
	/* Nor is the device waited for longer than at a signal. */
	pending = 1;
	each_reading = 30 * MS;
	thread_of_collector(NULL);
	assert_non_null(strstr(done, "drain_rings poll poll poll poll drain"));
}

TEST(an_end_in_a_call_waits_while_the_driver_answers)
{
	uint64_t began = now;

	each_reading = 10 * MS;
	assert_false(collector_finish(END_IN_CALL));
	assert_true(now - began >= 300 * MS);
	assert_true(now - began < 1000 * MS);
}

TEST(without_a_thread_nothing_is_waited_for)
{
	assert_false(collector_wait_finished(0));
	/* The next reading is past the deadline. */
	each_reading = 8000 * MS;
	assert_false(collector_finish(END_OUTSIDE));
	thread_error = -EAGAIN;
	assert_int_equal(collector_start(finish), -EAGAIN);
	assert_true(collector_wait_finished(0));
	assert_true(collector_finish(END_OUTSIDE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_period_takes_what_has_arrived_and_the_last_one_reports),
		cmocka_unit_test(launches_that_leave_no_record_are_counted_each_period),
		cmocka_unit_test(so_are_those_outside_the_window),
		cmocka_unit_test(while_a_signal_ends_the_process_no_thread_is_freed),
		cmocka_unit_test(with_many_pairs_in_flight_the_period_is_a_fifth),
		cmocka_unit_test(with_cupti_a_poll_of_the_events_ends_after_2_ms),
		cmocka_unit_test(with_cupti_the_events_rest_after_a_poll),
		cmocka_unit_test(when_all_other_threads_have_ended_so_does_the_process),
		cmocka_unit_test(a_context_that_ends_is_collected_first),
		cmocka_unit_test(without_a_collector_a_context_just_ends),
		cmocka_unit_test(the_end_waits_for_events_two_seconds_at_most),
		cmocka_unit_test(the_end_waits_for_events_until_they_have_come),
		cmocka_unit_test(after_a_signal_the_end_waits_for_a_tenth_of_a_second),
		cmocka_unit_test(records_are_waited_for_30_ms_and_then_the_device),
		cmocka_unit_test(the_device_is_waited_for_with_what_the_events_left),
		cmocka_unit_test(records_are_waited_for_while_any_are_expected),
		cmocka_unit_test(a_command_has_what_has_finished_taken_into_the_rows),
		cmocka_unit_test(an_end_in_a_host_function_waits_for_300_ms),
		cmocka_unit_test(an_end_in_a_call_waits_while_the_driver_answers),
		cmocka_unit_test(without_a_thread_nothing_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
