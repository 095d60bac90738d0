/* SPDX-License-Identifier: MIT */
/* What ktime does where a part of it cannot be started, and at the end of the process. */
#include "tests/unit/lifecycle_neighbours.h"

#define STARTED                                                                                    \
	"endings create collector output library cupti metrics window begin reporter signals "     \
	"prometheus"

static const char *noted(unsigned index)
{
	const struct session_header *header = session_header(session);

	return index < header->note_count ? session_string(session, header->notes[index]) : "";
}

static char said[1000];

/* In place of log_file_say(). */
void __wrap_log_file_say(pid_t process, const char *format, ...);
void __wrap_log_file_say(pid_t process, const char *format, ...)
{
	va_list arguments;

	assert_int_equal(process, getpid());
	va_start(arguments, format);
	vsnprintf(said, sizeof(said), format, arguments);
	va_end(arguments);
}

TEST(a_profile_that_cannot_be_made_stops_it, "")
{
	create_error = -ENOSPC;
	lifecycle_start();
	is("endings create");
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_CLOSED);
	assert_non_null(strstr(
		said, "cannot start: No space left on device; the program runs on without it"));
}

TEST(a_thread_that_cannot_be_started_stops_it, "")
{
	collector_error = -EAGAIN;
	lifecycle_start();
	is("endings create collector abandon");
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_CLOSED);
	assert_string_equal(
		said,
		"cannot start its thread: Resource temporarily unavailable; the program runs on "
		"without it");
}

TEST(without_the_second_thread_signals_are_left_alone, "")
{
	reporter_error = -EAGAIN;
	lifecycle_start();
	is("endings create collector output library cupti metrics window begin reporter "
	   "prometheus");
	assert_string_equal(noted(0),
			    "Signals that end the program end it without a report: ktime's "
			    "second thread could not be started.");
}

TEST(wrong_options_are_said_and_left, "--frobnicate")
{
	lifecycle_start();
	is(STARTED);
	assert_non_null(strstr(said, "going on with the defaults"));
}

TEST(another_process_is_not_profiled, "--only-process 1")
{
	lifecycle_start();
	is("endings");
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_CLOSED);
	assert_non_null(strstr(
		said, "this process is not profiled: --profile-child-processes includes it"));
}

TEST(a_rank_that_is_not_known_is_said_and_timed, "--rank-variable KTIME_TEST_RANK --ranks 7")
{
	lifecycle_start();
	assert_true(prints);
	assert_string_equal(said, "the rank is not known: the variable KTIME_TEST_RANK of "
				  "--rank-variable is not set to a number");
}

TEST(a_rank_that_is_not_listed_counts_alone, "--rank-variable KTIME_TEST_RANK --ranks 7")
{
	setenv("KTIME_TEST_RANK", "3", 1);
	lifecycle_start();
	assert_false(prints);
	is("endings create collector output metrics window begin reporter signals prometheus");
	assert_false(mode_events);
	assert_string_equal(said, "");
}

TEST(exit_handlers_are_registered_once, "")
{
	lifecycle_work_seen();
	lifecycle_work_seen();
	is("at_exit");
}

TEST(a_sandbox_is_prepared_for_once, "")
{
	lifecycle_prepare_for_sandbox();
	is("");
	lifecycle_initialised();
	is("endings");
	lifecycle_prepare_for_sandbox();
	assert_non_null(strstr(done, "reporter signals prometheus prometheus_end close sandbox"));
	done[0] = '\0';
	lifecycle_prepare_for_sandbox();
	is("");
}

TEST(the_end_closes_it_and_waits_for_the_report, "")
{
	lifecycle_finish();
	is("");
	lifecycle_start();
	done[0] = '\0';
	lifecycle_finish();
	is("finish");
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_CLOSED);
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	/* Others wait too, but do not print. */
	collector_finishes = false;
	lifecycle_finish();
	is("finish");
	assert_int_equal(atomic_load(&count_only_blocks), 1);
}

TEST(a_collector_that_hangs_leaves_the_report_to_the_reporter, "")
{
	lifecycle_start();
	done[0] = '\0';
	collector_finishes = false;
	lifecycle_finish();
	is("finish print");
}

TEST(an_end_inside_the_driver_is_told_to_the_collector, "")
{
	static struct thread thread;

	lifecycle_start();
	done[0] = '\0';
	thread_self = &thread;
	thread.in_progress = 2;
	lifecycle_finish();
	on_driver_thread = true;
	lifecycle_finish();
	is("in_call in_function");
}

TEST(work_after_the_report_is_said_once, "")
{
	lifecycle_late_work();
	is("");
	lifecycle_start();
	lifecycle_finish();
	done[0] = '\0';
	collector_finishes = false;
	lifecycle_late_work();
	is("");
	collector_finishes = true;
	errno = 5;
	lifecycle_late_work();
	assert_int_equal(errno, 5);
	lifecycle_late_work();
	is("late");
}

TEST(after_a_signal_the_exit_waits_for_its_end, "")
{
	lifecycle_end_by_signal();
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_IDLE);
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	lifecycle_start();
	lifecycle_end_by_signal();
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_ENDING);
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	done[0] = '\0';
	lifecycle_finish();
	is("park");
}

TEST(a_process_that_a_signal_did_not_end_is_closed, "")
{
	lifecycle_start();
	lifecycle_survived();
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_RUNNING);
	lifecycle_end_by_signal();
	lifecycle_survived();
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_CLOSED);
	assert_int_equal(atomic_load(&count_only_blocks), 1);
	done[0] = '\0';
	lifecycle_finish();
	is("finish");
}

TEST(in_a_child_the_end_is_the_parents, "")
{
	pid_t child;
	int status;

	lifecycle_start();
	done[0] = '\0';
	child = fork();
	if (child == 0) {
		lifecycle_finish();
		is("");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	lifecycle_finish();
	is("");
}

TEST(the_report_comes_after_all_that_adds_to_it, "")
{
	lifecycle_start();
	done[0] = '\0';
	claimed = false;
	finish();
	is("");
	claimed = true;
	unknown[0] = "cuNew";
	unknown[1] = "cuNewer";
	finish();
	is("prometheus_end metrics_end report");
	assert_string_equal(noted(0),
			    "cuNew was called or may have been: this driver has it, ktime "
			    "does not know it, and its work is not in the table");
	assert_non_null(strstr(noted(1), "cuNewer was called"));
	assert_int_equal(session_header(session)->note_count, 2);
}

TEST(a_last_reading_that_does_not_come_is_told, "--energy")
{
	lifecycle_start();
	done[0] = '\0';
	finish();
	is("prometheus_end energy_end metrics_end report");
	assert_int_equal(session_header(session)->note_count, 0);
	reader_answers = false;
	finish();
	assert_string_equal(noted(0), "NVML did not answer at the end of the run: energy and "
				      "clocks end with its last answer.");
	assert_int_equal(session_header(session)->note_count, 1);
}

TEST(a_process_whose_calls_are_not_seen_is_told_why, "")
{
	lifecycle_say_blind();
	assert_non_null(strstr(said, "was loaded with RTLD_DEEPBIND or dlmopen, past LD_PRELOAD"));
	in_front = "libvgpu.so";
	lifecycle_say_blind();
	assert_non_null(
		strstr(said, "cannot see this process's CUDA calls: libvgpu.so has a dlsym"));
	trouble = "the driver is too old";
	lifecycle_say_blind();
	assert_non_null(
		strstr(said, "cannot start: the driver is too old; the program ran without it"));
}

TEST(a_process_without_cuda_is_told_once_if_it_is_the_one_that_was_started, "")
{
	char options[100], text[1000];
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	unsetenv("KTIME_OPTIONS");
	lifecycle_say_unused();
	setenv("KTIME_OPTIONS", "--only-process 1", 1);
	lifecycle_say_unused();
	snprintf(options, sizeof(options), "--only-process %d --quiet", getpid());
	setenv("KTIME_OPTIONS", options, 1);
	lifecycle_say_unused();
	assert_int_equal(read(ends[0], text, sizeof(text)), -1);
	/* The last one counts. */
	snprintf(options, sizeof(options), "--only-process 1 --only-process %d", getpid());
	setenv("KTIME_OPTIONS", options, 1);
	lifecycle_say_unused();
	lifecycle_say_unused();
	text[read(ends[0], text, sizeof(text) - 1)] = '\0';
	assert_string_equal(text, "======== Warning: No CUDA application was profiled, exiting\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_that_cannot_be_made_stops_it),
		cmocka_unit_test(a_thread_that_cannot_be_started_stops_it),
		cmocka_unit_test(without_the_second_thread_signals_are_left_alone),
		cmocka_unit_test(wrong_options_are_said_and_left),
		cmocka_unit_test(another_process_is_not_profiled),
		cmocka_unit_test(a_rank_that_is_not_known_is_said_and_timed),
		cmocka_unit_test(a_rank_that_is_not_listed_counts_alone),
		cmocka_unit_test(exit_handlers_are_registered_once),
		cmocka_unit_test(a_sandbox_is_prepared_for_once),
		cmocka_unit_test(the_end_closes_it_and_waits_for_the_report),
		cmocka_unit_test(a_collector_that_hangs_leaves_the_report_to_the_reporter),
		cmocka_unit_test(an_end_inside_the_driver_is_told_to_the_collector),
		cmocka_unit_test(work_after_the_report_is_said_once),
		cmocka_unit_test(after_a_signal_the_exit_waits_for_its_end),
		cmocka_unit_test(a_process_that_a_signal_did_not_end_is_closed),
		cmocka_unit_test(in_a_child_the_end_is_the_parents),
		cmocka_unit_test(the_report_comes_after_all_that_adds_to_it),
		cmocka_unit_test(a_last_reading_that_does_not_come_is_told),
		cmocka_unit_test(a_process_whose_calls_are_not_seen_is_told_why),
		cmocka_unit_test(
			a_process_without_cuda_is_told_once_if_it_is_the_one_that_was_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
