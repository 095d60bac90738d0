/* SPDX-License-Identifier: MIT */
/* How the event-pair overhead is measured: what is queued, in which order, and what the times of
 * the pairs, the kernel's own readings and CUPTI's records make of it. */
#include "tests/unit/calibration_driver.h"

#define LAUNCHES	(1 + FEW)
#define QUEUED_LAUNCHES (1 + 9 * QUEUED)

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

	end_reached = true;
	calibration_finish(NULL, false);
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
	/* Once. */
	calibration_finish(NULL, false);
	assert_string_equal(order, expected);
}

static void write_readings(void)
{
	struct reading {
		uint64_t begin, end, step, unused;
	} *readings = (struct reading *)shared;

	for (unsigned i = 0; i < READINGS; i++)
		readings[i] = (struct reading){.begin = 1000, .end = 11000, .step = 32};
}

/* All that the device does it does at once. */
static void measure(bool were_queued)
{
	end_reached = true;
	calibration_finish(NULL, were_queued);
	write_readings();
}

TEST(without_cupti_the_kernels_own_readings_are_used)
{
	measure(false);
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
	calibration_settle();
	profile.devices[2] = (struct device_info){.used = true, .name = "this one"};
	profile.devices[3] = (struct device_info){.used = true, .name = "another"};
	calibration_note();
	assert_string_equal(said,
			    "Event-pair overhead was measured on device 2 alone, a this one; on "
			    "device 3, a another, it may differ.");
	/* Between 1400, around nothing, and 14000 less 10000 and half a step of the clock. */
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].ns, (1300 + 4016) / 2);
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].standard_error,
			 (int)((4016 - 1300) / 2 / 1.7320508));
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].pairs, FEW);
	assert_int_equal(profile.overheads[OVERHEAD_COPY].ns, 1300);
	assert_int_equal(profile.overheads[OVERHEAD_COPY].pairs, PAIRS);
	/* No less than a step of the clock. */
	assert_int_equal(profile.overheads[OVERHEAD_COPY].standard_error, 32);
	assert_int_equal(profile.queued.pairs, 0);
	assert_int_equal(destroyed, EVENTS);
	calibration_settle();
	assert_int_not_equal(profile.overheads[OVERHEAD_COPY].pairs, 0);
	assert_int_equal(destroyed, EVENTS);
}

TEST(of_the_two_series_around_nothing_the_shorter_counts)
{
	for (unsigned i = 0; i < PAIRS; i++)
		*pair(2, i) = 1500;
	measure(false);
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].ns, (1400 + 4016) / 2);
	assert_int_equal(profile.overheads[OVERHEAD_COPY].ns, 1500);
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
	assert_false(calibration_take(&(struct activity){.context = 3, .stream = 4}));
	measure(false);
	add(expected, 'm', 1);
	add(expected, 'e', 2 * PAIRS);
	for (unsigned i = 0; i < FEW; i++)
		strcat(expected, "eme");
	assert_string_equal(order + strlen(order) - strlen(expected), expected);
	give_records(ACTIVITY_KERNEL, 9000, 1);
	give_records(ACTIVITY_KERNEL, 11000, FEW);
	give_records(ACTIVITY_MEMCPY, 2200, FEW + 1);
	assert_false(calibration_take(&(struct activity){.context = 2, .stream = 4}));
	assert_false(calibration_take(&(struct activity){.context = 3, .stream = 5}));
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].ns, 3000);
	assert_int_equal(profile.overheads[OVERHEAD_COPY].ns, 3000);
	assert_int_equal(profile.overheads[OVERHEAD_COPY].pairs, FEW);
	/* Later ones are not the program's either. */
	give_records(ACTIVITY_KERNEL, 9000, 1);
}

TEST(without_all_records_the_readings_are_used)
{
	active = true;
	measure(false);
	give_records(ACTIVITY_KERNEL, 9000, FEW + 1);
	give_records(ACTIVITY_MEMCPY, 2200, FEW);
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].ns, (1300 + 4016) / 2);
}

TEST(a_record_that_makes_no_sense_is_not_used)
{
	active = true;
	measure(false);
	give_records(ACTIVITY_KERNEL, 15000, FEW + 1);
	give_records(ACTIVITY_MEMCPY, 2200, FEW + 1);
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
	assert_int_not_equal(profile.overheads[OVERHEAD_COPY].pairs, 0);
}

TEST(what_the_device_reached_too_soon_is_queued_again_with_a_longer_kernel)
{
	start_reached = true;
	measure(true);
	assert_int_equal(made[LAUNCH], 4 * LAUNCHES);
	assert_int_equal(durations[0], 500000 << 6);
	assert_int_equal(made[LOAD], 1);
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
}

TEST(records_of_a_try_before_are_not_taken_for_those_of_the_last)
{
	active = true;
	too_soon = 1;
	measure(false);
	assert_int_equal(made[LAUNCH], 2 * LAUNCHES);
	give_records(ACTIVITY_KERNEL, 5000, FEW + 1);
	give_records(ACTIVITY_MEMCPY, 2000, FEW + 1);
	give_records(ACTIVITY_KERNEL, 11000, FEW + 1);
	give_records(ACTIVITY_MEMCPY, 2200, FEW + 1);
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].ns, 3000);
	assert_int_equal(profile.overheads[OVERHEAD_COPY].ns, 3000);
}

TEST(without_the_streams_number_nothing_is_queued)
{
	active = true;
	id_error = -EINVAL;
	measure(true);
	assert_int_equal(made[LAUNCH], 0);
}

static void measure_nothing(void)
{
	calibration_finish(NULL, true);
	assert_string_equal(order, "");
}

TEST(where_it_may_not_measure_it_asks_nothing)
{
	context.reported = false;
	measure_nothing();
	context.reported = true;
	usable = false;
	measure_nothing();
	usable = true;
	atomic_store(&live_captures, 1);
	measure_nothing();
	atomic_store(&live_captures, 0);
	mode_events = false;
	measure_nothing();
	mode_events = true;
	/* Before the profiling window has opened for the first time. */
	mode_begun = false;
	measure_nothing();
	mode_begun = true;
	atomic_store(&context.ended, true);
	measure_nothing();
	atomic_store(&context.ended, false);
	measure(false);
	assert_int_equal(made[LAUNCH], LAUNCHES);
}

TEST(at_the_end_of_a_context_it_measures_if_there_is_no_other)
{
	second.reported = true;
	calibration_finish(&context, true);
	assert_string_equal(order, "");
	atomic_store(&second.ended, true);
	end_reached = true;
	calibration_finish(&context, true);
	assert_int_equal(made[LAUNCH], LAUNCHES + QUEUED_LAUNCHES);
	/* Another one that comes later is not measured in. */
	calibration_settle();
	calibration_finish(NULL, true);
	assert_int_equal(made[LAUNCH], LAUNCHES + QUEUED_LAUNCHES);
}

TEST(work_of_the_programs_is_waited_for)
{
	each_reading = MS / 10;
	busy_until = now + 20 * MS;
	measure(false);
	assert_true(now >= busy_until);
	assert_int_equal(made[LAUNCH], LAUNCHES);
}

TEST(beside_work_of_the_programs_nothing_is_measured)
{
	uint64_t before = now;

	each_reading = 10 * MS;
	busy_until = UINT64_MAX;
	calibration_finish(NULL, true);
	assert_true(now - before < 300 * MS);
	assert_string_equal(order, "");
}

TEST(it_measures_how_much_more_pairs_hold_around_queued_kernels)
{
	char expected[1000] = "k";

	measure(true);
	for (unsigned i = 0; i < QUEUED; i++)
		strcat(expected, "kkkkkkkkcceke");
	assert_string_equal(order + strlen(order) - strlen(expected), expected);
	for (unsigned i = 1; i < READINGS; i++)
		assert_int_equal(durations[i], 10000);
	assert_int_equal(profile.queued.pairs, 0);
	calibration_settle();
	/* 4700 and half a step beyond the readings, the others 4000 and that. */
	assert_int_equal(profile.queued.ns, 700);
	assert_int_equal(profile.queued.pairs, 16);
	assert_int_equal(profile.queued.standard_error, 32);
}

TEST(records_of_queued_kernels_are_not_the_programs)
{
	active = true;
	measure(true);
	give_records(ACTIVITY_KERNEL, 11000, LAUNCHES);
	give_records(ACTIVITY_MEMCPY, 2200, FEW + 1);
	give_records(ACTIVITY_KERNEL, 10000, QUEUED_LAUNCHES);
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].ns, 3000);
	assert_int_equal(profile.queued.ns, 700);
}

TEST(pairs_around_queued_kernels_hold_no_less_than_others)
{
	for (unsigned i = 0; i < QUEUED; i++)
		*queued_pair(i) = 13000;
	measure(true);
	calibration_settle();
	assert_int_not_equal(profile.queued.pairs, 0);
	assert_int_equal(profile.queued.ns, 0);
}

TEST(what_other_work_makes_longer_is_not_taken_for_queueing)
{
	for (unsigned i = 0; i < QUEUED; i++)
		*queued_pair(i) = 19000;
	measure(true);
	calibration_settle();
	assert_int_equal(profile.queued.pairs, 0);
}

TEST(queued_kernels_that_the_device_reached_too_soon_are_not_used)
{
	queued_reached = true;
	measure(true);
	calibration_settle();
	assert_int_not_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
	assert_int_equal(profile.queued.pairs, 0);
}

TEST(a_driver_that_refuses_a_queued_kernel_is_left_alone)
{
	fails_at[LAUNCH] = LAUNCHES + 12;
	measure(true);
	assert_int_equal(made[LAUNCH], LAUNCHES + 12);
	calibration_settle();
	assert_int_equal(profile.queued.pairs, 0);
	assert_int_not_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
}

TEST(without_waits_pairs_are_measured_all_the_same)
{
	driver.cuStreamBatchMemOp_v2 = NULL;
	measure(true);
	calibration_settle();
	assert_int_not_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
	assert_int_not_equal(profile.queued.pairs, 0);
}

TEST(a_collector_that_gets_no_processor_polls_all_the_same)
{
	each_reading = 100 * MS;
	calibration_finish(NULL, true);
	assert_int_equal(made[LAUNCH], LAUNCHES);
	assert_int_equal(queries, 1 + 16);
	end_reached = true;
	write_readings();
	calibration_settle();
	assert_int_not_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
}

TEST(it_takes_50_ms_at_most)
{
	uint64_t before = now;

	each_reading = 2 * MS;
	calibration_finish(NULL, true);
	assert_true(now - before <= 60 * MS);
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
}

static void measure_with_failure(unsigned call, unsigned which)
{
	end_reached = true;
	calibration_finish(NULL, true);
	assert_int_equal(made[call], which);
	calibration_settle();
	calibration_finish(NULL, true);
	assert_int_equal(made[call], which);
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].pairs, 0);
}

/* Whatever the driver refuses: it is given up, and no more is asked of it. */
TEST(nothing_is_measured_with_a_driver_that_refuses)
{
	static const unsigned last[WAIT] = {1,	      1, 1, 1, 1, 1, EVENTS, 4 * PAIRS + 2 * FEW,
					    LAUNCHES, 1};

	for (unsigned call = 0; call < WAIT; call++) {
		for (unsigned which = 1; which <= last[call];
		     which += which < 3 ? 1 : last[call] - 3) {
			pid_t child = fork();
			int status;

			if (child == 0) {
				fails_at[call] = which;
				measure_with_failure(call, which);
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
	elapsed_fails_at = 2 * PAIRS + FEW;
	measure(false);
	calibration_settle();
	assert_int_equal(profile.overheads[OVERHEAD_KERNEL].pairs +
				 profile.overheads[OVERHEAD_COPY].pairs,
			 0);
}

TEST(memory_that_is_too_small_for_a_copy_is_not_used)
{
	target_bytes = 4095;
	measure(false);
	assert_int_equal(made[STREAM], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_queued_behind_a_kernel_that_keeps_the_device_busy),
		cmocka_unit_test(without_cupti_the_kernels_own_readings_are_used),
		cmocka_unit_test(of_the_two_series_around_nothing_the_shorter_counts),
		cmocka_unit_test(with_cupti_its_records_are_used),
		cmocka_unit_test(without_all_records_the_readings_are_used),
		cmocka_unit_test(a_record_that_makes_no_sense_is_not_used),
		cmocka_unit_test(
			what_the_device_reached_too_soon_is_queued_again_with_a_longer_kernel),
		cmocka_unit_test(records_of_a_try_before_are_not_taken_for_those_of_the_last),
		cmocka_unit_test(without_the_streams_number_nothing_is_queued),
		cmocka_unit_test(where_it_may_not_measure_it_asks_nothing),
		cmocka_unit_test(at_the_end_of_a_context_it_measures_if_there_is_no_other),
		cmocka_unit_test(work_of_the_programs_is_waited_for),
		cmocka_unit_test(beside_work_of_the_programs_nothing_is_measured),
		cmocka_unit_test(it_measures_how_much_more_pairs_hold_around_queued_kernels),
		cmocka_unit_test(records_of_queued_kernels_are_not_the_programs),
		cmocka_unit_test(pairs_around_queued_kernels_hold_no_less_than_others),
		cmocka_unit_test(what_other_work_makes_longer_is_not_taken_for_queueing),
		cmocka_unit_test(queued_kernels_that_the_device_reached_too_soon_are_not_used),
		cmocka_unit_test(a_driver_that_refuses_a_queued_kernel_is_left_alone),
		cmocka_unit_test(without_waits_pairs_are_measured_all_the_same),
		cmocka_unit_test(a_collector_that_gets_no_processor_polls_all_the_same),
		cmocka_unit_test(it_takes_50_ms_at_most),
		cmocka_unit_test(nothing_is_measured_with_a_driver_that_refuses),
		cmocka_unit_test(a_pair_whose_time_is_not_known_leaves_the_overhead_unknown),
		cmocka_unit_test(memory_that_is_too_small_for_a_copy_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
