/* SPDX-License-Identifier: MIT */
/* How the event-pair overhead is measured: what is queued, in which order, and what the times of
 * the pairs, the kernel's own readings and CUPTI's records make of it. */
#include "tests/unit/calibration_driver.h"

/* Appends a letter `times` times. */
static void add(char *text, char letter, unsigned times)
{
	size_t length = strlen(text);

	memset(text + length, letter, times);
	text[length + times] = '\0';
}

TEST(pairs_are_queued_behind_a_kernel_that_keeps_the_device_busy)
{
	char expected[1000] = "rplfgs";

	calibration_update(false);
	assert_string_equal(order, "");
	calibration_update(true);
	add(expected, 'c', EVENTS);
	add(expected, 'k', 1);
	add(expected, 'e', 2 * PAIRS);
	for (unsigned i = 0; i < FEW; i++)
		strcat(expected, "weke");
	add(expected, 'm', 1);
	add(expected, 'e', 2 * PAIRS);
	assert_string_equal(order, expected);
	assert_int_equal(durations[0], 500000);
	for (unsigned i = 1; i <= FEW; i++)
		assert_int_equal(durations[i], 10000);
	/* They are not queued again while they run. */
	calibration_update(true);
	assert_string_equal(order, expected);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
}

static void write_readings(void)
{
	struct reading {
		uint64_t begin, end, step, unused;
	} *readings = (struct reading *)shared;

	for (unsigned i = 0; i < READINGS; i++)
		readings[i] = (struct reading){.begin = 1000, .end = 11000, .step = 32};
}

TEST(without_cupti_the_kernels_own_readings_are_used)
{
	calibration_update(true);
	write_readings();
	end_reached = true;
	calibration_update(false);
	assert_int_equal(measured_on, 2);
	/* Between 1400, around nothing, and 14000 less 10000 and half a step of the clock. */
	assert_int_equal((int)set[OVERHEAD_KERNEL].nanoseconds, (1300 + 4016) / 2);
	assert_int_equal((int)set[OVERHEAD_KERNEL].error, (int)((4016 - 1300) / 2 / 1.7320508));
	assert_int_equal(set[OVERHEAD_KERNEL].pairs, FEW);
	assert_int_equal((int)(set[OVERHEAD_COPY].nanoseconds + 0.5), 1300);
	assert_int_equal(set[OVERHEAD_COPY].pairs, PAIRS);
	/* No less than a step of the clock. */
	assert_int_equal((int)set[OVERHEAD_COPY].error, 32);
	assert_int_equal(destroyed, EVENTS);
	/* Once and for all. */
	calibration_update(true);
	assert_int_equal(queued.times, 0);
	calibration_finish(NULL, true);
	assert_int_equal(set[OVERHEAD_COPY].times, 1);
	assert_int_equal(made[LOAD], 1);
	calibration_context_ended(&context);
	calibration_update(true);
	assert_int_equal(made[LOAD], 1);
}

TEST(of_the_two_series_around_nothing_the_shorter_counts)
{
	calibration_update(true);
	write_readings();
	for (unsigned i = 0; i < PAIRS; i++)
		*pair(2, i) = 1500;
	end_reached = true;
	calibration_update(false);
	assert_int_equal((int)set[OVERHEAD_KERNEL].nanoseconds, (1400 + 4016) / 2);
	assert_int_equal((int)(set[OVERHEAD_COPY].nanoseconds + 0.5), 1500);
}

/* CUPTI's records of the kernels or the copies, each so long. */
static void give_records(enum activity_kind kind, uint64_t nanoseconds, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_true(calibration_take(&(struct activity){.kind = kind,
								.context = 3,
								.stream = 4,
								.start = 100 * i,
								.end = 100 * i + nanoseconds}));
}

TEST(with_cupti_its_records_are_used)
{
	char expected[1000] = "";

	active = true;
	atomic_store(&mode_cupti, true);
	assert_false(calibration_take(&(struct activity){.context = 3, .stream = 4}));
	calibration_update(true);
	add(expected, 'm', 1);
	add(expected, 'e', 2 * PAIRS);
	for (unsigned i = 0; i < FEW; i++)
		strcat(expected, "eme");
	assert_string_equal(order + strlen(order) - strlen(expected), expected);
	write_readings();
	end_reached = true;
	give_records(ACTIVITY_KERNEL, 9000, 1);
	give_records(ACTIVITY_KERNEL, 11000, FEW);
	give_records(ACTIVITY_MEMCPY, 2200, FEW);
	assert_false(calibration_take(&(struct activity){.context = 2, .stream = 4}));
	assert_false(calibration_take(&(struct activity){.context = 3, .stream = 5}));
	calibration_update(false);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	give_records(ACTIVITY_MEMCPY, 2200, 2);
	calibration_update(false);
	assert_int_equal((int)(set[OVERHEAD_KERNEL].nanoseconds + 0.5), 3000);
	assert_int_equal((int)(set[OVERHEAD_COPY].nanoseconds + 0.5), 3000);
	assert_int_equal(set[OVERHEAD_COPY].pairs, FEW);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 1);
	assert_int_equal(destroyed, EVENTS);
}

/* A budget lets CUPTI start in the middle of a run. */
TEST(cupti_that_starts_between_two_tries_has_its_records_kept_from_the_programs)
{
	start_reached = true;
	calibration_update(true);
	calibration_update(true);
	assert_false(calibration_take(&(struct activity){.context = 3, .stream = 4}));
	active = true;
	atomic_store(&mode_cupti, true);
	start_reached = false;
	calibration_update(true);
	write_readings();
	end_reached = true;
	give_records(ACTIVITY_KERNEL, 11000, FEW + 1);
	give_records(ACTIVITY_MEMCPY, 2200, FEW + 2);
	calibration_update(false);
	assert_int_equal((int)(set[OVERHEAD_KERNEL].nanoseconds + 0.5), 3000);
}

TEST(records_of_a_try_before_are_not_taken_for_those_of_the_next)
{
	active = true;
	atomic_store(&mode_cupti, true);
	start_reached = true;
	calibration_update(true);
	give_records(ACTIVITY_KERNEL, 5000, 2);
	start_reached = false;
	calibration_update(true);
	write_readings();
	end_reached = true;
	give_records(ACTIVITY_KERNEL, 5000, FEW - 1);
	give_records(ACTIVITY_MEMCPY, 2000, FEW + 2);
	give_records(ACTIVITY_KERNEL, 11000, FEW + 1);
	calibration_update(false);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	give_records(ACTIVITY_MEMCPY, 2200, FEW + 2);
	calibration_update(false);
	assert_int_equal((int)(set[OVERHEAD_KERNEL].nanoseconds + 0.5), 3000);
	assert_int_equal((int)(set[OVERHEAD_COPY].nanoseconds + 0.5), 3000);
}

/* One less than it takes for a wait to be over once its time is. */
static void poll_15_times(void)
{
	for (int i = 0; i < 15; i++)
		calibration_update(false);
}

TEST(without_records_the_readings_are_used_after_50_ms)
{
	active = true;
	atomic_store(&mode_cupti, true);
	calibration_update(true);
	write_readings();
	end_reached = true;
	give_records(ACTIVITY_KERNEL, 11000, FEW + 1);
	now += 50 * MS - 1;
	poll_15_times();
	calibration_update(false);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	now++;
	calibration_update(false);
	assert_int_equal((int)set[OVERHEAD_KERNEL].nanoseconds, (1300 + 4016) / 2);
}

TEST(no_records_are_waited_for_once_the_program_has_ended_cupti)
{
	active = true;
	atomic_store(&mode_cupti, true);
	calibration_update(true);
	write_readings();
	end_reached = true;
	calibration_update(false);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	atomic_store(&mode_cupti, false);
	calibration_update(false);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 1);
}

TEST(work_that_does_not_end_is_given_up_after_50_ms)
{
	calibration_update(true);
	now += 50 * MS;
	poll_15_times();
	assert_int_equal(destroyed, 0);
	calibration_update(false);
	assert_int_equal(destroyed, EVENTS);
	end_reached = true;
	calibration_update(true);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	assert_int_equal(made[LAUNCH], 1 + FEW);
}

TEST(what_the_device_reached_too_soon_is_queued_again_with_a_longer_kernel)
{
	start_reached = true;
	for (unsigned tries = 1; tries <= 4; tries++) {
		assert_int_equal(destroyed, 0);
		calibration_update(true);
		assert_int_equal(made[LAUNCH], tries * (1 + FEW));
		assert_int_equal(durations[0], 500000 << 2 * (tries - 1));
		assert_int_equal(made[LOAD], 1);
	}
	assert_int_equal(destroyed, EVENTS);
	calibration_update(true);
	assert_int_equal(made[LAUNCH], 4 * (1 + FEW));
}

TEST(it_waits_for_a_context_that_is_reported)
{
	context.reported = false;
	second.reported = true;
	atomic_store(&second.ended, true);
	calibration_update(true);
	assert_string_equal(order, "");
	context.reported = true;
	usable = false;
	calibration_update(true);
	assert_string_equal(order, "");
	usable = true;
	atomic_store(&live_captures, 1);
	calibration_update(true);
	calibration_finish(NULL, true);
	atomic_store(&live_captures, 0);
	mode_events = false;
	calibration_update(true);
	calibration_finish(NULL, true);
	assert_string_equal(order, "");
	mode_events = true;
	/* Before the profiling window has opened for the first time. */
	mode_begun = false;
	calibration_finish(NULL, true);
	assert_string_equal(order, "");
	mode_begun = true;
	calibration_update(true);
	assert_int_equal(made[LAUNCH], 1 + FEW);
}

TEST(the_end_of_its_context_begins_it_anew)
{
	calibration_update(true);
	calibration_context_ended(&second);
	calibration_update(true);
	assert_int_equal(made[LOAD], 1);
	calibration_context_ended(&context);
	calibration_update(true);
	assert_int_equal(made[LOAD], 2);
	assert_int_equal(made[STREAM], 2);
	assert_int_equal(made[CREATE], 2 * EVENTS);
	/* A context that cannot be used any more. */
	usable = false;
	end_reached = true;
	calibration_update(true);
	usable = true;
	calibration_update(true);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	assert_int_equal(destroyed, 0);
}

static bool takes(uint32_t stream)
{
	return calibration_take(
		&(struct activity){.kind = ACTIVITY_KERNEL, .context = 3, .stream = stream});
}

TEST(records_of_contexts_that_have_ended_are_not_the_programs)
{
	active = true;
	atomic_store(&mode_cupti, true);
	calibration_update(true);
	give_records(ACTIVITY_KERNEL, 5000, 1);
	calibration_context_ended(&context);
	assert_true(takes(4));
	stream_number = 5;
	calibration_update(true);
	assert_true(takes(4));
	assert_true(takes(5));
	assert_false(takes(6));
	/* Nor once the program has ended CUPTI. */
	active = false;
	calibration_context_ended(&context);
	calibration_update(true);
	assert_true(takes(4));
	assert_true(takes(5));
}

TEST(contexts_that_end_too_soon_are_tried_so_often)
{
	active = true;
	atomic_store(&mode_cupti, true);
	for (stream_number = 1; stream_number <= 20; stream_number++) {
		calibration_update(true);
		calibration_context_ended(&context);
	}
	assert_int_equal(made[STREAM], 16);
	assert_true(takes(1));
	assert_true(takes(16));
	assert_false(takes(17));
}

TEST(cupti_that_starts_while_work_is_queued_has_its_records_kept_from_the_programs)
{
	calibration_update(true);
	assert_false(takes(4));
	active = true;
	assert_true(takes(4));
	/* One that does not tell the number is asked once. */
	calibration_context_ended(&context);
	active = false;
	stream_number = 5;
	calibration_update(true);
	active = true;
	id_error = -EINVAL;
	assert_false(takes(5));
	id_error = 0;
	assert_false(takes(5));
}

TEST(at_the_end_of_the_run_it_is_made_up_for)
{
	each_reading = MS / 10;
	end_reached = true;
	calibration_finish(NULL, true);
	assert_int_equal(made[LAUNCH], 1 + FEW + 1 + 9 * QUEUED);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	write_readings();
	calibration_settle();
	assert_int_equal(set[OVERHEAD_KERNEL].times, 1);
	assert_int_equal(queued.times, 1);
	calibration_settle();
	calibration_finish(NULL, true);
	calibration_settle();
	assert_int_equal(set[OVERHEAD_KERNEL].times, 1);
	assert_int_equal(queued.times, 1);
	assert_int_equal(made[LAUNCH], 1 + FEW + 1 + 9 * QUEUED);
}

/* Of the first try, all done. */
static void measure_first(void)
{
	calibration_update(true);
	write_readings();
	end_reached = true;
	calibration_update(false);
	memset(order, 0, sizeof(order));
	destroyed = 0;
}

TEST(at_the_end_it_measures_how_much_more_pairs_hold_around_queued_kernels)
{
	char expected[1000] = "k";

	measure_first();
	calibration_finish(NULL, true);
	for (unsigned i = 0; i < QUEUED; i++)
		strcat(expected, "kkkkkkkkcceke");
	assert_string_equal(order, expected);
	for (unsigned i = 1; i < READINGS; i++)
		assert_int_equal(durations[i], 10000);
	assert_int_equal(queued.times, 0);
	calibration_settle();
	/* 4700 and half a step beyond the readings, the others 4000 and that. */
	assert_int_equal((int)(queued.nanoseconds + 0.5), 700);
	assert_int_equal(queued.pairs, 16);
	assert_int_equal((int)queued.error, 32);
	assert_int_equal(destroyed, 2 * QUEUED);
}

TEST(without_queued_operations_they_are_not_measured)
{
	measure_first();
	calibration_finish(NULL, false);
	calibration_settle();
	assert_string_equal(order, "");
	assert_int_equal(queued.times, 0);
}

TEST(pairs_around_queued_kernels_hold_no_less_than_others)
{
	measure_first();
	for (unsigned i = 0; i < QUEUED; i++)
		*queued_pair(i) = 13000;
	calibration_finish(NULL, true);
	calibration_settle();
	assert_int_equal(queued.times, 1);
	assert_true(queued.nanoseconds == 0);
}

TEST(queued_kernels_are_not_measured_without_the_others)
{
	end_reached = true;
	calibration_finish(NULL, true);
	assert_int_equal(made[LAUNCH], 1 + FEW + 1 + 9 * QUEUED);
	write_readings();
	elapsed_fails_at = 1;
	calibration_settle();
	assert_int_equal(queued.times, 0);
	assert_int_equal(destroyed, EVENTS + 2 * QUEUED);
}

TEST(queued_kernels_whose_context_ends_are_forgotten)
{
	measure_first();
	calibration_finish(NULL, true);
	calibration_context_ended(&context);
	calibration_settle();
	calibration_finish(NULL, true);
	assert_int_equal(queued.times, 0);
	assert_int_equal(destroyed, 0);
	assert_int_equal(made[LAUNCH], 1 + FEW + 1 + 9 * QUEUED);
}

/* Their records would be taken for the program's. */
TEST(queued_kernels_are_not_launched_where_cupti_was_started_or_ended_since)
{
	measure_first();
	active = true;
	calibration_finish(NULL, true);
	assert_string_equal(order, "");
	active = false;
	calibration_finish(NULL, true);
	assert_int_equal(made[LAUNCH], 1 + FEW + 1 + 9 * QUEUED);
}

TEST(records_of_queued_kernels_are_not_the_programs)
{
	active = true;
	atomic_store(&mode_cupti, true);
	calibration_update(true);
	write_readings();
	end_reached = true;
	give_records(ACTIVITY_KERNEL, 11000, FEW + 1);
	give_records(ACTIVITY_MEMCPY, 2200, FEW + 2);
	calibration_update(false);
	calibration_finish(NULL, true);
	assert_int_equal(made[LAUNCH], 1 + FEW + 1 + 9 * QUEUED);
	give_records(ACTIVITY_KERNEL, 10000, 1 + 9 * QUEUED);
	calibration_settle();
	assert_int_equal((int)(queued.nanoseconds + 0.5), 700);
}

TEST(a_driver_that_refuses_a_queued_kernel_is_left_alone)
{
	measure_first();
	fails_at[LAUNCH] = 1 + FEW + 12;
	calibration_finish(NULL, true);
	assert_int_equal(made[LAUNCH], 1 + FEW + 12);
	assert_int_equal(destroyed, 2);
	calibration_settle();
	calibration_finish(NULL, true);
	assert_int_equal(queued.times, 0);
	assert_int_equal(made[LAUNCH], 1 + FEW + 12);
}

TEST(at_the_end_of_another_context_no_queued_kernels_are_launched)
{
	measure_first();
	calibration_finish(&second, true);
	assert_string_equal(order, "");
	calibration_finish(&context, true);
	assert_int_equal(made[LAUNCH], 1 + FEW + 1 + 9 * QUEUED);
}

TEST(what_other_work_makes_longer_is_not_taken_for_queueing)
{
	measure_first();
	for (unsigned i = 0; i < QUEUED; i++)
		*queued_pair(i) = 19000;
	calibration_finish(NULL, true);
	calibration_settle();
	assert_int_equal(queued.times, 0);
}

TEST(queued_kernels_that_the_device_reached_too_soon_are_not_used)
{
	measure_first();
	queued_reached = true;
	calibration_finish(NULL, true);
	calibration_settle();
	assert_int_equal(queued.times, 0);
	assert_int_equal(destroyed, 2 * QUEUED);
}

TEST(without_waits_pairs_are_measured_all_the_same)
{
	fails_at[WAIT] = 1;
	measure_first();
	assert_int_equal(set[OVERHEAD_KERNEL].times, 1);
	driver.cuStreamBatchMemOp_v2 = NULL;
	calibration_finish(NULL, true);
	calibration_settle();
	assert_int_equal(queued.times, 1);
}

TEST(a_collector_that_gets_no_processor_polls_all_the_same)
{
	each_reading = 100 * MS;
	calibration_finish(NULL, true);
	assert_int_equal(made[LAUNCH], 1 + FEW);
	assert_int_equal(queries, 1 + 16);
	end_reached = true;
	write_readings();
	calibration_settle();
	assert_int_equal(set[OVERHEAD_KERNEL].times, 1);
}

TEST(the_end_of_the_run_waits_for_50_ms_at_most)
{
	uint64_t before = now;

	each_reading = 10 * MS;
	calibration_finish(NULL, true);
	assert_int_equal(now - before, 60 * MS);
	calibration_settle();
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	assert_int_equal(destroyed, EVENTS);
}

/* Whatever the driver refuses: it is given up, and no more is asked of it. */
TEST(nothing_is_measured_with_a_driver_that_refuses)
{
	static const unsigned last[WAIT] = {1,	     1, 1, 1, 1, 1, EVENTS, 4 * PAIRS + 2 * FEW,
					    1 + FEW, 1};

	for (unsigned call = 0; call < WAIT; call++) {
		for (unsigned which = 1; which <= last[call];
		     which += which < 3 ? 1 : last[call] - 3) {
			pid_t child = fork();
			int status;

			if (child == 0) {
				fails_at[call] = which;
				calibration_update(true);
				assert_int_equal(made[call], which);
				assert_int_equal(destroyed, call < CREATE    ? 0
							    : call == CREATE ? which
									     : EVENTS);
				end_reached = true;
				calibration_update(true);
				assert_int_equal(made[call], which);
				assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
				_exit(0);
			}
			assert_int_equal(waitpid(child, &status, 0), child);
			assert_int_equal(status, 0);
			if (which == last[call])
				break;
		}
	}
}

TEST(a_pair_whose_time_is_not_known_leaves_the_overhead_unknown)
{
	calibration_update(true);
	write_readings();
	end_reached = true;
	elapsed_fails_at = 2 * PAIRS + FEW;
	calibration_update(false);
	assert_int_equal(set[OVERHEAD_KERNEL].times + set[OVERHEAD_COPY].times, 0);
	assert_int_equal(destroyed, EVENTS);
}

TEST(a_series_that_makes_no_sense_is_not_used)
{
	active = true;
	atomic_store(&mode_cupti, true);
	calibration_update(true);
	write_readings();
	end_reached = true;
	give_records(ACTIVITY_KERNEL, 15000, FEW + 1);
	give_records(ACTIVITY_MEMCPY, 2200, FEW + 1);
	calibration_update(false);
	assert_int_equal(set[OVERHEAD_KERNEL].times, 0);
	assert_int_equal(set[OVERHEAD_COPY].times, 1);
}

TEST(without_the_streams_number_nothing_is_queued)
{
	active = true;
	id_error = -EINVAL;
	calibration_update(true);
	assert_int_equal(made[LAUNCH], 0);
	assert_int_equal(destroyed, EVENTS);
}

TEST(memory_that_is_too_small_for_a_copy_is_not_used)
{
	target_bytes = 4095;
	calibration_update(true);
	assert_int_equal(made[STREAM], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_queued_behind_a_kernel_that_keeps_the_device_busy),
		cmocka_unit_test(without_cupti_the_kernels_own_readings_are_used),
		cmocka_unit_test(of_the_two_series_around_nothing_the_shorter_counts),
		cmocka_unit_test(with_cupti_its_records_are_used),
		cmocka_unit_test(
			cupti_that_starts_between_two_tries_has_its_records_kept_from_the_programs),
		cmocka_unit_test(records_of_a_try_before_are_not_taken_for_those_of_the_next),
		cmocka_unit_test(without_records_the_readings_are_used_after_50_ms),
		cmocka_unit_test(no_records_are_waited_for_once_the_program_has_ended_cupti),
		cmocka_unit_test(work_that_does_not_end_is_given_up_after_50_ms),
		cmocka_unit_test(
			what_the_device_reached_too_soon_is_queued_again_with_a_longer_kernel),
		cmocka_unit_test(it_waits_for_a_context_that_is_reported),
		cmocka_unit_test(the_end_of_its_context_begins_it_anew),
		cmocka_unit_test(records_of_contexts_that_have_ended_are_not_the_programs),
		cmocka_unit_test(contexts_that_end_too_soon_are_tried_so_often),
		cmocka_unit_test(
			cupti_that_starts_while_work_is_queued_has_its_records_kept_from_the_programs),
		cmocka_unit_test(at_the_end_of_the_run_it_is_made_up_for),
		cmocka_unit_test(
			at_the_end_it_measures_how_much_more_pairs_hold_around_queued_kernels),
		cmocka_unit_test(without_queued_operations_they_are_not_measured),
		cmocka_unit_test(pairs_around_queued_kernels_hold_no_less_than_others),
		cmocka_unit_test(queued_kernels_are_not_measured_without_the_others),
		cmocka_unit_test(queued_kernels_whose_context_ends_are_forgotten),
		cmocka_unit_test(
			queued_kernels_are_not_launched_where_cupti_was_started_or_ended_since),
		cmocka_unit_test(records_of_queued_kernels_are_not_the_programs),
		cmocka_unit_test(a_driver_that_refuses_a_queued_kernel_is_left_alone),
		cmocka_unit_test(at_the_end_of_another_context_no_queued_kernels_are_launched),
		cmocka_unit_test(what_other_work_makes_longer_is_not_taken_for_queueing),
		cmocka_unit_test(queued_kernels_that_the_device_reached_too_soon_are_not_used),
		cmocka_unit_test(without_waits_pairs_are_measured_all_the_same),
		cmocka_unit_test(a_collector_that_gets_no_processor_polls_all_the_same),
		cmocka_unit_test(the_end_of_the_run_waits_for_50_ms_at_most),
		cmocka_unit_test(nothing_is_measured_with_a_driver_that_refuses),
		cmocka_unit_test(a_pair_whose_time_is_not_known_leaves_the_overhead_unknown),
		cmocka_unit_test(a_series_that_makes_no_sense_is_not_used),
		cmocka_unit_test(without_the_streams_number_nothing_is_queued),
		cmocka_unit_test(memory_that_is_too_small_for_a_copy_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
