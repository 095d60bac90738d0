/* SPDX-License-Identifier: MIT */
/* How ktime starts: in which order, and with what of the options. */
#include "tests/unit/lifecycle_neighbours.h"

#define STARTED                                                                                    \
	"endings create collector output library cupti metrics window begin reporter signals "     \
	"prometheus"

static const char *noted(unsigned index)
{
	const struct session_header *header = session_header(session);

	return index < header->note_count ? session_string(session, header->notes[index]) : "";
}

TEST(it_starts_once_and_runs_when_all_is_ready, "--prometheus metrics")
{
	const struct session_header *header = session_header(session);

	lifecycle_start();
	is(STARTED);
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_RUNNING);
	assert_true(prints);
	assert_int_equal(own_threads, 2);
	assert_int_equal(header->pid, getpid());
	assert_int_equal(header->driver_version, 13000);
	assert_int_equal(header->trace_start, header->start_realtime);
	assert_true(header->start_realtime > 1000000000ull * 1000000000);
	assert_int_equal(header->cupti_active, 1);
	assert_int_equal(header->cupti_version, 24);
	assert_int_equal(header->events_active, 1);
	assert_int_equal(header->trace_on, 0);
	assert_false(held_wanted);
	assert_int_equal(header->budget_given, 0);
	assert_true(header->budget_percent == OPTIONS_BUDGET);
	assert_string_equal(header->devices[0].name, "device 0");
	assert_string_equal(header->devices[1].name, "device 1");
	assert_int_equal(header->devices[1].memory, 1001);
	assert_int_equal(header->devices[1].multiprocessors, 17);
	assert_false(header->devices[2].used);
	assert_int_equal(header->note_count, 0);
	assert_null(late);
	assert_true(gates_allowed);
	assert_true(asked.graph_nodes);
	assert_false(asked.serial_kernels);
	assert_true(asked.runtime_api);
	assert_false(asked.driver_api);
	assert_true(asked.unified_memory);
	assert_ptr_equal(asked.wake, collector_wake);
	assert_string_equal(metrics_reason, "");
	assert_true(plan.from_start);
	/* CUPTI needs a record of every launch. */
	assert_false(mode_counting || mode_counting_outside);
	assert_int_equal(atomic_load(&count_only_blocks), 0);
	lifecycle_start();
	is("");
}

TEST(the_profile_has_the_command_and_the_host, "")
{
	char host[256] = "", command[4096];
	size_t length;
	FILE *file = fopen("/proc/self/cmdline", "re");

	length = fread(command, 1, sizeof(command) - 1, file);
	fclose(file);
	command[length] = '\0';
	gethostname(host, sizeof(host) - 1);
	lifecycle_start();
	assert_string_equal(session_string(session, session_header(session)->command), command);
	assert_string_equal(session_string(session, session_header(session)->hostname), host);
}

TEST(without_a_driver_it_stays_idle, "")
{
	loads = false;
	lifecycle_start();
	is("");
	assert_int_equal(atomic_load(&lifecycle_state), LIFECYCLE_IDLE);
}

TEST(events_alone_need_no_cupti, "--timer events")
{
	lifecycle_start();
	is("endings create collector output metrics window begin reporter signals prometheus");
	assert_int_equal(session_header(session)->cupti_active, 0);
	assert_int_equal(session_header(session)->cupti_version, 0);
	/* Launches may be count-only. */
	assert_true(mode_counting && mode_counting_outside);
	assert_int_equal(atomic_load(&count_only_blocks), 0);
}

TEST(while_it_is_off_launches_are_only_counted, "--start off")
{
	lifecycle_start();
	assert_int_equal(session_header(session)->cupti_active, 0);
	assert_false(mode_counting);
	assert_true(mode_counting_outside);
}

TEST(whether_a_launch_is_on_a_device_that_is_left_out_needs_its_record, "--start off --devices 0")
{
	lifecycle_start();
	assert_false(mode_counting || mode_counting_outside);
}

TEST(the_options_reach_what_they_are_for,
     "--delay 2 --duration 3 --every 10 --timeout 20 --profile-from-start off --graph graph "
     "--concurrent-kernels off --budget 7 --gate off")
{
	lifecycle_start();
	assert_false(plan.from_start);
	assert_true(plan.delay == 2 && plan.duration == 3);
	assert_true(plan.every == 10 && plan.timeout == 20);
	assert_false(asked.graph_nodes);
	assert_true(asked.serial_kernels);
	assert_int_equal(session_header(session)->budget_given, 1);
	assert_true(session_header(session)->budget_percent == 7);
	assert_false(gates_allowed);
}

TEST(a_budget_has_cupti_wait, "--budget 3")
{
	lifecycle_start();
	is("endings create collector output library metrics window begin reporter signals "
	   "prometheus");
	assert_non_null(late);
	assert_false(late->runtime_api || late->driver_api || late->unified_memory);
	assert_int_equal(session_header(session)->cupti_active, 0);
}

TEST(a_cupti_that_cannot_pause_is_not_used_with_a_budget, "--budget 3")
{
	can_pause = false;
	lifecycle_start();
	assert_null(late);
	assert_int_equal(session_header(session)->cupti_active, 0);
	assert_string_equal(session_string(session, session_header(session)->notes[0]),
			    "CUPTI is not used: with --budget it records in windows, which its "
			    "version 24 does not bear: use that of CUDA 12.4, or of 13.0 Update 1 "
			    "or later.");
}

/* Both at once leave a lock of the driver's held. */
TEST(nvml_is_initialised_once_cupti_has_started, "--energy")
{
	lifecycle_start();
	is("endings create collector output library cupti energy metrics window begin reporter "
	   "signals "
	   "prometheus");
}

TEST(a_trace_has_the_thread_known_first, "--print-gpu-trace --keep-trace 1M")
{
	lifecycle_start();
	is("endings create collector output library cupti metrics window thread begin reporter "
	   "signals "
	   "prometheus");
	assert_int_equal(session_header(session)->trace_on, 1);
	assert_true(held_wanted);
}

TEST(driver_calls_are_recorded_where_they_are_asked_for_alone, "--profile-api-trace driver")
{
	lifecycle_start();
	assert_true(asked.driver_api);
	assert_false(asked.runtime_api);
	assert_string_equal(noted(0), "Driver calls that ktime makes too, on events and contexts, "
				      "are not shown.");
}

TEST(where_cupti_is_refused_the_reason_is_said, "--concurrent-kernels off")
{
	setenv("REFUSED", "A profiler runs.", 1);
	lifecycle_start();
	is("endings create collector output metrics window begin reporter signals prometheus");
	assert_string_equal(noted(0), "A profiler runs.");
	assert_string_equal(noted(1), "Kernels may overlap: --concurrent-kernels off needs CUPTI.");
	assert_string_equal(metrics_reason, "A profiler runs.");
	assert_false(gates_allowed);
}

TEST(a_cupti_that_fails_is_gone_without, "")
{
	cupti_error = -EIO;
	lifecycle_start();
	is(STARTED);
	assert_string_equal(noted(0), "CUPTI refused.");
	assert_string_equal(noted(1), "");
	assert_int_equal(session_header(session)->cupti_active, 0);
	assert_null(late);
}

TEST(no_cupti_at_all_is_gone_without, "--budget 3")
{
	library_error = -ENOENT;
	lifecycle_start();
	assert_string_equal(noted(0), "no CUPTI");
	assert_null(late);
}

TEST(gates_are_off_where_launches_wait, "")
{
	setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
	lifecycle_start();
	assert_false(gates_allowed);
}

TEST(gates_are_on_where_launches_are_told_not_to_wait, "")
{
	setenv("CUDA_LAUNCH_BLOCKING", "0", 1);
	lifecycle_start();
	assert_true(gates_allowed);
}

TEST(gates_are_off_while_counters_are_read, "--metrics dram__bytes_read.sum")
{
	lifecycle_start();
	assert_false(gates_allowed);
}

TEST(what_stands_between_is_said, "")
{
	stand_in = "libinjected.so";
	in_front = "libvgpu.so";
	lifecycle_start();
	assert_string_equal(noted(0), "libinjected.so stands in for the driver, as under ncu: what "
				      "it does around an operation is in the times");
	assert_string_equal(noted(1),
			    "Calls may be missing: libvgpu.so has a dlsym of its own, which "
			    "comes before ktime's; put libktime.so first in LD_PRELOAD.");
	assert_false(gates_allowed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_starts_once_and_runs_when_all_is_ready),
		cmocka_unit_test(the_profile_has_the_command_and_the_host),
		cmocka_unit_test(without_a_driver_it_stays_idle),
		cmocka_unit_test(events_alone_need_no_cupti),
		cmocka_unit_test(while_it_is_off_launches_are_only_counted),
		cmocka_unit_test(whether_a_launch_is_on_a_device_that_is_left_out_needs_its_record),
		cmocka_unit_test(the_options_reach_what_they_are_for),
		cmocka_unit_test(a_budget_has_cupti_wait),
		cmocka_unit_test(a_cupti_that_cannot_pause_is_not_used_with_a_budget),
		cmocka_unit_test(nvml_is_initialised_once_cupti_has_started),
		cmocka_unit_test(a_trace_has_the_thread_known_first),
		cmocka_unit_test(driver_calls_are_recorded_where_they_are_asked_for_alone),
		cmocka_unit_test(where_cupti_is_refused_the_reason_is_said),
		cmocka_unit_test(a_cupti_that_fails_is_gone_without),
		cmocka_unit_test(no_cupti_at_all_is_gone_without),
		cmocka_unit_test(gates_are_off_where_launches_wait),
		cmocka_unit_test(gates_are_on_where_launches_are_told_not_to_wait),
		cmocka_unit_test(gates_are_off_while_counters_are_read),
		cmocka_unit_test(what_stands_between_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
