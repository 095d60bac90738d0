/* SPDX-License-Identifier: MIT */
/* --metrics: which launches have their counters read, what is done around one, and what the values
 * come to. */
#include "tests/unit/measured_neighbours.h"

static const char *noted(void)
{
	const struct session_header *header = run.header;

	metrics_update();
	return header->note_count
		       ? session_string(run.session, header->notes[header->note_count - 1])
		       : "";
}

TEST(without_metrics_nothing_is_done)
{
	settings.metrics = NULL;
	metrics_start("");
	assert_int_equal(taken, 0);
	assert_false(measure_wants(call_of(FIRST)));
	metrics_update();
	metrics_finish();
	assert_int_equal(let_in, 0);
	assert_int_equal(run.header->note_count, 0);
}

TEST(a_launch_is_alone_on_an_idle_device_while_cupti_counts)
{
	const struct metric_values *values;

	metrics_start("");
	assert_int_equal(taken, 1);
	assert_true(launch(FIRST, true));
	is("wpPcber");
	assert_false(replays);
	assert_ptr_equal(begun_with, cleared);
	assert_int_equal(begun_pass, 0);
	/* The plan is made once, the image cleared each time. */
	counted[0] = 50;
	assert_true(launch(FIRST, true));
	is("wpcber");
	values = values_of("first", "a__x.sum");
	assert_int_equal(values->count, 2);
	assert_true(values->minimum == 50 && values->maximum == 100 && values->total == 150);
	values = values_of("first", "c__z.pct");
	assert_true(values->minimum == 7 && values->maximum == 7 && values->total == 14);
	assert_int_equal(run.header->counters[COUNTER_metric_launches], 2);
	assert_int_equal(run.header->counters[COUNTER_metric_ns], 2000);
	assert_string_equal(noted(), "");
	/* Another kernel has values of its own, and so has another device. */
	counted[0] = 1;
	assert_true(launch(SECOND, true));
	assert_int_equal(values_of("second", "a__x.sum")->count, 1);
	assert_int_equal(values_of("first", "a__x.sum")->count, 2);
	current_device = 1;
	memset(done, 0, sizeof(done));
	assert_true(launch(FIRST, true));
	is("wpPcber");
	assert_int_equal(values_of("first", "a__x.sum")->count, 2);
}

TEST(which_launches_are_measured)
{
	const struct call *call = call_of(FIRST);

	assert_false(measure_wants(call));
	metrics_start("");
	errno = 5;
	assert_true(measure_wants(call));
	assert_int_equal(errno, 5);
	thread.in_progress = 3;
	assert_false(measure_wants(call));
	thread.in_progress = COUNT_ONLY_CALL;
	thread_self = NULL;
	assert_false(measure_wants(call));
	thread_self = &thread;
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	assert_false(measure_wants(call));
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	atomic_store(&window_open, false);
	assert_false(measure_wants(call));
	atomic_store(&window_open, true);
	atomic_store(&live_captures, 1);
	assert_false(measure_wants(call));
	atomic_store(&live_captures, 0);
	settings.devices = 2;
	assert_false(measure_wants(call));
	settings.devices = 3;
	device_result = CUDA_ERROR_INVALID_CONTEXT;
	assert_false(measure_wants(call));
	device_result = CUDA_SUCCESS;
	current_device = -1;
	assert_false(measure_wants(call));
	current_device = SESSION_DEVICES;
	assert_false(measure_wants(call));
	current_device = 0;
	assert_true(measure_wants(call));
	/* One that waits for kernels of other devices. */
	assert_false(measure_wants(call_of((CUfunction)3)));
}

TEST(a_capture_that_has_begun_meanwhile_is_left_alone)
{
	struct measure measure;

	metrics_start("");
	atomic_store(&live_captures, 1);
	measure_begin(&measure, call_of(FIRST));
	assert_null(measure.kernel);
	is("");
	assert_int_equal(metrics_part_of(&thread, &(struct call_record){.duration = UINT32_MAX}),
			 METRICS_NONE);
}

TEST(each_kernel_has_as_many_values_as_are_wanted)
{
	settings.metrics_launches = 2;
	metrics_start("");
	assert_true(launch(FIRST, true));
	assert_true(launch(FIRST, true));
	assert_false(measure_wants(call_of(FIRST)));
	assert_true(measure_wants(call_of(SECOND)));
	/* Its image is given back. */
	image_size = 64u << 20;
	assert_true(launch(SECOND, true));
}

TEST(counters_of_several_passes_are_of_several_launches)
{
	passes = config_passes = 3;
	metrics_start("");
	for (unsigned pass = 0; pass < 3; pass++) {
		assert_null(values_of("first", "a__x.sum"));
		assert_true(launch(FIRST, true));
		assert_int_equal(begun_pass, pass);
	}
	is("wpPcberwpberwpber");
	assert_int_equal(values_of("first", "a__x.sum")->count, 1);
	/* A launch that failed, or could not be read, begins anew. */
	launch(FIRST, true);
	launch(FIRST, false);
	launch(FIRST, true);
	assert_int_equal(begun_pass, 0);
	end_error = -EIO;
	launch(FIRST, true);
	end_error = 0;
	launch(FIRST, true);
	assert_int_equal(begun_pass, 0);
	/* And one of another context. */
	current_context = (CUcontext)0x78;
	launch(FIRST, true);
	assert_int_equal(begun_pass, 0);
	assert_int_equal(run.header->counters[COUNTER_metric_launches], 3);
	metrics_update();
	assert_int_equal(run.header->counters[COUNTER_metric_launches], 7);
}

TEST(at_the_end_what_has_not_had_all_passes_is_written)
{
	passes = config_passes = 3;
	metrics_start("");
	launch(FIRST, true);
	launch(SECOND, true);
	launch(SECOND, true);
	launch(SECOND, true);
	launch(SECOND, true);
	begun_with = NULL;
	launch(FIRST, true);
	metrics_finish();
	assert_int_equal(waited, 1000000000);
	assert_int_equal(let_in, 1);
	assert_int_equal(values_of("first", "a__x.sum")->count, 1);
	assert_int_equal(values_of("second", "a__x.sum")->count, 1);
	assert_string_equal(noted(),
			    "The counters take 3 passes, one a launch: a value may be of several "
			    "launches, and a kernel with fewer launches lacks metrics "
			    "(--metrics-replay kernel).");
	assert_false(measure_wants(call_of(FIRST)));
}

TEST(while_a_signal_ends_the_process_no_launch_is_waited_for)
{
	metrics_start("");
	launch(FIRST, true);
	keeps_out = false;
	atomic_store(&lifecycle_state, LIFECYCLE_ENDING);
	metrics_finish();
	assert_int_equal(waited, 0);
	assert_int_equal(let_in, 0);
	assert_int_equal(values_of("first", "a__x.sum")->count, 1);
	assert_string_equal(noted(), "");
}

TEST(a_kernel_that_is_run_again_says_so)
{
	settings.metrics_replay = METRICS_REPLAY_KERNEL;
	config_passes = 2;
	metrics_start("");
	launch(FIRST, true);
	assert_true(replays);
	metrics_finish();
	assert_string_equal(noted(), "The counters take 2 passes: each launch whose counters were "
				     "read was run again for each.");
}

TEST(without_cupti_or_its_profiler_the_reason_is_said)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		metrics_start("no CUPTI here");
		assert_int_equal(taken, 0);
		assert_string_equal(noted(), "Counters were not read: no CUPTI here.");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	load_error = -ENOENT;
	metrics_start("");
	assert_int_equal(taken, 0);
	assert_false(measure_wants(call_of(FIRST)));
	assert_string_equal(noted(), "Counters were not read: no profiler.");
}

TEST(a_profiler_that_refuses_is_not_asked_again)
{
	metrics_start("");
	launch(FIRST, true);
	memset(done, 0, sizeof(done));
	begin_error = -EACCES;
	assert_false(launch(FIRST, true));
	is("wpcbr");
	assert_int_equal(capture_mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
	assert_false(measure_wants(call_of(FIRST)));
	assert_string_equal(noted(), "Counters were not read from some moment on: no permission.");
}

TEST(without_a_plan_nothing_is_counted)
{
	metrics_start("");
	plan_error = -EINVAL;
	assert_false(launch(FIRST, true));
	is("wpPr");
	assert_false(measure_wants(call_of(FIRST)));
	assert_string_equal(noted(), "Counters were not read: no plan.");
}

TEST(a_program_that_records_kernels_itself_is_left_alone)
{
	metrics_start("");
	program_records = true;
	assert_false(launch(FIRST, true));
	is("w");
	assert_false(measure_wants(call_of(FIRST)));
	assert_string_equal(noted(),
			    "Counters were not read: the program records kernels itself, as "
			    "torch.profiler does; run it without.");
}

TEST(a_device_that_cannot_be_waited_for_is_tried_again)
{
	metrics_start("");
	wait_result = CUDA_ERROR_UNKNOWN;
	assert_false(launch(FIRST, true));
	is("w");
	wait_result = CUDA_SUCCESS;
	context_result = CUDA_ERROR_UNKNOWN;
	assert_false(launch(FIRST, true));
	context_result = CUDA_SUCCESS;
	driver_entries[ENTRY_cuCtxSynchronize] = NULL;
	assert_false(launch(FIRST, true));
	is("");
	driver_entries[ENTRY_cuCtxSynchronize] = synchronize;
	assert_true(launch(FIRST, true));
	assert_string_equal(noted(), "");
}

TEST(images_take_64_mb_at_most)
{
	image_size = 32u << 20;
	passes = 2;
	metrics_start("");
	assert_true(launch(FIRST, true));
	assert_true(launch(SECOND, true));
	current_device = 1;
	memset(done, 0, sizeof(done));
	assert_false(launch(FIRST, true));
	is("wpPr");
	assert_true(measure_wants(call_of(FIRST)));
	current_device = 0;
	assert_true(launch(FIRST, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_metrics_nothing_is_done),
		cmocka_unit_test(a_launch_is_alone_on_an_idle_device_while_cupti_counts),
		cmocka_unit_test(which_launches_are_measured),
		cmocka_unit_test(a_capture_that_has_begun_meanwhile_is_left_alone),
		cmocka_unit_test(each_kernel_has_as_many_values_as_are_wanted),
		cmocka_unit_test(counters_of_several_passes_are_of_several_launches),
		cmocka_unit_test(at_the_end_what_has_not_had_all_passes_is_written),
		cmocka_unit_test(while_a_signal_ends_the_process_no_launch_is_waited_for),
		cmocka_unit_test(a_kernel_that_is_run_again_says_so),
		cmocka_unit_test(without_cupti_or_its_profiler_the_reason_is_said),
		cmocka_unit_test(a_profiler_that_refuses_is_not_asked_again),
		cmocka_unit_test(without_a_plan_nothing_is_counted),
		cmocka_unit_test(a_program_that_records_kernels_itself_is_left_alone),
		cmocka_unit_test(a_device_that_cannot_be_waited_for_is_tried_again),
		cmocka_unit_test(images_take_64_mb_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
