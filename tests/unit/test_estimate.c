/* SPDX-License-Identifier: MIT */
/* What the timed calls say of all: weighted by the chance each had, stretch by stretch. */
#include <math.h>

#include "report/session/estimate.h"
#include "tests/unit/test.h"

#define NORMAL_95    1.959964
/* Student's t for a 95 % interval, from tables. */
#define STUDENT_95_9 2.26216

static struct estimate estimate;

BEFORE_EACH
{
	memset(&estimate, 0, sizeof(estimate));
}

static void is_within(double value, double expected, double part)
{
	if (!(fabs(value - expected) <= part * fabs(expected)))
		fail_msg("%.15g, expected %.15g", value, expected);
}

static void is_close(double value, double expected)
{
	is_within(value, expected, 1e-9);
}

/* Student's t is approximated. */
static void is_interval(double value, double expected)
{
	is_within(value, expected, 1e-3);
}

static void add(int count, double weight, uint64_t low, uint64_t high)
{
	for (int i = 0; i < count; i++)
		estimate_timed(&estimate, estimate_call(&estimate, weight), weight,
			       i % 2 ? low : high);
}

static void miss(int count, double weight)
{
	while (count--)
		estimate_call(&estimate, weight);
}

/* With one chance for all it is the textbook's: N s / sqrt(n) sqrt(1 - n / N). */
TEST(one_chance_is_a_simple_sample)
{
	struct estimated estimated;

	add(10, 10, 2000, 4000);
	estimated = estimate_of(&estimate, 100);
	is_close(estimated.total, 3e5);
	is_close(estimated.squares, 100 * 1e7);
	is_interval(estimated.error, STUDENT_95_9 * 100 * sqrt(1e7 / 9 / 10 * 0.9));
}

/* Nothing is estimated of a start whose calls were all timed. */
TEST(a_start_that_was_timed_whole_counts_for_itself)
{
	struct estimated estimated;

	add(96, 1, 10000, 10000);
	add(90, 10, 3000, 3000);
	estimated = estimate_of(&estimate, 996);
	is_close(estimated.total, 96 * 10000.0 + 900 * 3000.0);
	is_close(estimated.squares, 96 * 1e8 + 900 * 9e6);
	/* Nor is it by chance how many calls of the second kind there are: all are counted. */
	assert_true(estimated.error == 0);
}

/* Where the duration changed in it is not known: anywhere, with the same chance. */
TEST(a_stretch_without_times_is_between_its_neighbours)
{
	struct estimated estimated;

	add(64, 1, 1000, 1000);
	miss(64, 1);
	add(64, 1, 3000, 3000);
	estimated = estimate_of(&estimate, 192);
	is_close(estimated.total, 64 * (1000.0 + 2000 + 3000));
	is_close(estimated.error, NORMAL_95 * 64 * 2000 / sqrt(12));
}

TEST(it_widens_the_interval_by_its_own_calls_alone)
{
	struct estimated estimated;

	add(64, 1, 1000, 1000);
	miss(64, 1);
	add(64, 1, 3000, 3000);
	add(32, 1, 3000, 3000);
	miss(32, 1);
	add(800, 1, 3000, 3000);
	estimated = estimate_of(&estimate, 1056);
	is_close(estimated.total, 64 * (1000.0 + 2000) + 928 * 3000.0);
	/* The second one is between equal neighbours; but one in 29 differs from the next. */
	is_close(estimated.error, NORMAL_95 * 2000 * sqrt(64 * 64 / 12.0 + 32 * 32 / 2.0 / 28));
}

/* It was so: 127.25 +- 5.07 ms for 95.0. */
TEST(a_step_behind_an_empty_pool_is_in_the_interval)
{
	struct estimated estimated;
	double truth = 0;

	for (int i = 0; i < 5000; i++) {
		uint64_t duration = i < 1000 ? 39000 : 14000, place = estimate_call(&estimate, 1);

		truth += (double)duration;
		if (i < 600 || i % 1000 > 300)
			estimate_timed(&estimate, place, 1, duration);
	}
	estimated = estimate_of(&estimate, 5000);
	is_close(truth, 95e6);
	assert_true(fabs(estimated.total - truth) < estimated.error);
	assert_true(estimated.error < 0.06 * truth);
}

TEST(calls_that_were_not_drawn_are_like_the_others)
{
	struct estimated estimated;

	add(10, 10, 2000, 4000);
	estimated = estimate_of(&estimate, 140);
	is_close(estimated.total, 4.2e5);
	is_interval(estimated.error, STUDENT_95_9 * 140 * sqrt(1e7 / 9 / 10 * (1 - 10 / 140.0)));
}

/* Too many for chance: nothing was drawn any more, and what came then may have been anything. */
TEST(an_end_without_draws_leaves_no_interval)
{
	add(100, 10, 2000, 4000);
	assert_false(isnan(estimate_of(&estimate, 1100).error));
	is_close(estimate_of(&estimate, 2000).total, 6e6);
	assert_true(isnan(estimate_of(&estimate, 2000).error));
	memset(&estimate, 0, sizeof(estimate));
	miss(100, 10);
	add(100, 10, 2000, 4000);
	assert_true(isnan(estimate_of(&estimate, 2000).error));
}

TEST(few_timed_calls_have_no_interval)
{
	struct estimated estimated;

	assert_true(estimate_of(&estimate, 10).total == 0);
	assert_true(isnan(estimate_of(&estimate, 10).error));
	add(7, 10, 2000, 4000);
	estimated = estimate_of(&estimate, 70);
	assert_true(estimated.total > 0);
	assert_true(isnan(estimated.error));
	add(1, 10, 2000, 4000);
	assert_false(isnan(estimate_of(&estimate, 80).error));
	/* All but a few calls are of one that stands for them. */
	add(1, 1000, 2000, 4000);
	assert_true(isnan(estimate_of(&estimate, 1080).error));
}

/* It is not drawn anew for each call: a hundred times the calls are a hundred times as far off. */
TEST(an_overhead_that_may_be_off_is_so_for_all_calls)
{
	estimate.standard_error = 100;
	add(10, 10, 5000, 5000);
	is_close(estimate_of(&estimate, 100).error, NORMAL_95 * 100 * 100);
	memset(&estimate, 0, sizeof(estimate));
	estimate.standard_error = 100;
	add(10, 10, 2000, 4000);
	is_interval(
		estimate_of(&estimate, 100).error,
		100 * sqrt(pow(NORMAL_95 * 100, 2) + pow(STUDENT_95_9, 2) * (1e7 / 9 / 10 * 0.9)));
}

TEST(equal_durations_leave_no_doubt)
{
	add(1000, 7.25, 123457, 123457);
	is_close(estimate_of(&estimate, 7250).total, 7250 * 123457.0);
	assert_true(estimate_of(&estimate, 7250).error == 0);
	memset(&estimate, 0, sizeof(estimate));
	/* All of them timed: nothing is estimated. */
	add(10, 1, 2000, 4000);
	is_close(estimate_of(&estimate, 10).total, 30000);
	assert_true(estimate_of(&estimate, 10).error == 0);
}

/* A row of small and large copies: the sizes of all calls are known, also of those left out. */
TEST(copies_are_estimated_by_size)
{
	struct estimated estimated;

	for (int i = 0; i < 1000; i++) {
		uint64_t place = estimate_sized_call(&estimate, i % 100 ? 65536 : 1 << 28);

		if (i % 100 == 0)
			estimate_timed(&estimate, place, 1, 5000000);
		else if (i % 100 <= 2)
			estimate_timed(&estimate, place, 49.5, i % 2 ? 4000 : 6000);
	}
	estimated = estimate_of(&estimate, 1000);
	is_close(estimated.total, 10 * 5e6 + 990 * 5000.0);
	/* Durations in turn look a little skewed, as each is held to those before it. */
	is_within(estimated.error, 2.09302 * 990 * sqrt(2e7 / 19 / 20 * (1 - 20 / 990.0)), 0.05);
}

/* Their total takes the nearest sizes' mean, and nothing says how far off that is. */
/* Rare long calls: by chance too few of them make both the total and the variance too small. */
TEST(skewed_durations_widen_the_interval)
{
	double widened;

	for (int i = 0; i < 200; i++)
		estimate_timed(&estimate, estimate_call(&estimate, 10), 10,
			       i % 10 == 5 ? 91000 : 10000);
	is_within(estimate_of(&estimate, 2000).total, 2000 * 18100.0, 0.01);
	widened = estimate_of(&estimate, 2000).error;
	estimate.cubes = 0;
	assert_true(widened > 1.05 * estimate_of(&estimate, 2000).error);
	assert_true(widened < 1.2 * estimate_of(&estimate, 2000).error);
}

TEST(copies_of_a_size_without_times_leave_no_interval)
{
	struct estimated estimated;

	for (int i = 0; i < 20; i++)
		estimate_timed(&estimate, estimate_sized_call(&estimate, 65536), 1, 5000);
	estimate_sized_call(&estimate, 1 << 28);
	estimated = estimate_of(&estimate, 21);
	is_close(estimated.total, 21 * 5000.0);
	assert_true(isnan(estimated.error));
}

TEST(a_long_run_takes_no_more_memory)
{
	double calls = 0, timed = 0;

	add(1000000, 3, 1000, 3000);
	assert_int_equal(estimate.shift, 17);
	for (int i = 0; i < ESTIMATE_STRATA; i++) {
		calls += estimate.strata[i].calls;
		timed += (double)estimate.strata[i].timed;
	}
	is_close(calls, 3e6);
	is_close(timed, 1e6);
	is_within(estimate_of(&estimate, 3000000).total, 6e9, 1e-6);
}

TEST(an_overhead_is_taken_off_each_duration)
{
	add(10, 10, 2000, 4000);
	estimate_take_off(&estimate, 500);
	is_close(estimate_of(&estimate, 100).total, 2.5e5);
	is_close(estimate_of(&estimate, 100).squares, 50 * (1500.0 * 1500 + 3500.0 * 3500));
}

TEST(what_nothing_was_timed_of_has_no_estimate)
{
	struct estimated estimated;

	miss(10, 2);
	estimated = estimate_of(&estimate, 20);
	assert_true(estimated.total == 0 && estimated.squares == 0 && isnan(estimated.error));
}

/* To eight digits as the series has it, which tables of the quantile agree with to four. */
TEST(students_quantile_is_that_of_its_series)
{
	const double z = 1.959963984540054;

	for (double n = 3; n < 200; n += 7) {
		double series = z + (pow(z, 3) + z) / (4 * n) +
				(5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
				(3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) /
					(384 * n * n * n);

		assert_true(fabs(estimate_student_95(n) - series) < 1e-6);
	}
	assert_true(estimate_student_95(2) == estimate_student_95(3));
	assert_true(fabs(estimate_student_95(5) - 2.5706) < 1e-2);
	assert_true(fabs(estimate_student_95(30) - 2.0423) < 1e-4);
}

/* A total below zero would be printed as centuries. */
TEST(an_overhead_longer_than_the_calls_leaves_nothing)
{
	add(10, 10, 2000, 4000);
	estimate_take_off(&estimate, 3500);
	assert_true(estimate_of(&estimate, 100).total == 0);
}

TEST(a_part_of_a_call_is_kept_for_the_next)
{
	assert_int_equal(estimate_whole_calls(&estimate, 2.5), 2);
	assert_int_equal(estimate_whole_calls(&estimate, 2.5), 3);
	assert_int_equal(estimate_whole_calls(&estimate, 1), 1);
	assert_true(estimate_whole_calls(&estimate, 1e12) == UINT32_MAX);
}

TEST(any_number_becomes_one_of_64_bits)
{
	assert_int_equal(to_unsigned(0), 0);
	assert_int_equal(to_unsigned(1.99), 1);
	assert_int_equal(to_unsigned(-1e300), 0);
	assert_int_equal(to_unsigned(-INFINITY), 0);
	assert_int_equal(to_unsigned(NAN), 0);
	assert_true(to_unsigned(0x1p63) == 1ULL << 63);
	assert_true(to_unsigned(0x1.fffffffffffffp63) == UINT64_MAX - 2047);
	assert_true(to_unsigned(0x1p64) == UINT64_MAX);
	assert_true(to_unsigned(INFINITY) == UINT64_MAX);
}

TEST(calls_outside_of_windows_may_each_be_off_by_half_a_tick)
{
	struct row row = {.cupti = {.count = 1000}};

	row_set_windows(&row, 1e6, 30000);
	/* 2,500 calls of 16 ns. */
	assert_true(fabs(window_estimate_of(&row, 3500).error - 50000) < 0.001);
	assert_true(window_estimate_of(&row, 1000).error == 30000);
	/* Processes that were added up have had theirs. */
	row.summed = 1;
	assert_true(window_estimate_of(&row, 3500).error == 30000);
	row_set_windows(&row, 1e6, NAN);
	assert_true(isnan(window_estimate_of(&row, 3500).error));
	row = (struct row){.cupti = {.count = 1000}};
	assert_true(isnan(window_estimate_of(&row, 3500).error));
}
