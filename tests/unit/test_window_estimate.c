/* SPDX-License-Identifier: MIT */
/* What recording windows say of all launches. */
#include <math.h>

#include "preload/recording/sums.h"
#include "tests/unit/test.h"

static struct window_units units;
static struct window_times times;

static void start(void)
{
	units = (struct window_units){0};
	times = (struct window_times){0};
}

BEFORE_EACH
{
	start();
}

static void add(double covers, double mean)
{
	window_units_add(&units, covers);
	window_times_add(&times, &units, covers, mean);
}

static void is_close(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-6 * fabs(expected)))
		fail_msg("%.15g, expected %.15g", value, expected);
}

/* Student's t is approximated. */
static void is_interval(double value, double expected)
{
	if (!(fabs(value - expected) <= 0.01 * expected))
		fail_msg("%.15g, expected %.15g", value, expected);
}

TEST(all_recorded_is_exact)
{
	struct estimated estimated;

	units.certain = 10;
	times.certain = 12345;
	estimated = window_estimate(&units, &times, 10);
	assert_true(estimated.total == 12345);
	assert_true(estimated.error == 0);
}

TEST(launches_between_two_windows_are_like_both)
{
	struct estimated estimated;

	add(100, 10);
	add(300, 10);
	add(200, 40);
	/* 20 launches after the last window are taken to be like those in it. */
	estimated = window_estimate(&units, &times, 600 + 20);
	is_close(estimated.total, 100 * 10 + 300 * 10 + 200 * 25 + 20 * 40);
	/* The first window's variance is as the others'. The two differences, of unequal weight and
	 * with a window in common, give 1.47 degrees of freedom. */
	is_interval(estimated.error,
		    6.19431 * sqrt(200.0 * 200 * 30 * 30 / 2 *
				   (100.0 * 100 + 300 * 300 + 200 * 200 + 20 * 20) /
				   (300.0 * 300 + 200 * 200)));
}

TEST(the_first_window_is_compared_with_what_was_recorded_before)
{
	struct estimated estimated;

	units.certain = 10;
	times.certain = 10 * 4;
	add(100, 8);
	add(100, 8);
	add(100, 8);
	estimated = window_estimate(&units, &times, 310);
	is_close(estimated.total, 10 * 4 + 100 * 6 + 200 * 8);
	/* Three differences of equal weight: 9 / (3 + 2 / 2) degrees of freedom. */
	is_interval(estimated.error, 3.87548 * sqrt(100.0 * 100 * 4 * 4 / 2));
}

TEST(what_no_window_stands_for_yet_is_like_all_of_them)
{
	struct estimated estimated, without;

	add(16, 100);
	add(16, 200);
	add(12, 300);
	without = window_estimate(&units, &times, 44);
	is_close(without.total, 7000);
	units.before = 4;
	estimated = window_estimate(&units, &times, 48);
	is_close(estimated.total, 7000 + 4 * 7000.0 / 44);
	is_close(estimated.error / without.error, 48.0 / 44);
	/* Units after the last window are like that one, as ever. */
	estimated = window_estimate(&units, &times, 50);
	is_close(estimated.total, 7000 + 4 * 7000.0 / 44 + 2 * 300);
	/* There are never more than there are in all. */
	units.before = 100;
	estimated = window_estimate(&units, &times, 44);
	is_close(estimated.total, 7000);
}

TEST(equal_windows_leave_no_interval)
{
	for (int i = 0; i < 4; i++)
		add(1000 + i, 7.25);
	is_close(window_estimate(&units, &times, 5000).total, 5000 * 7.25);
	assert_true(window_estimate(&units, &times, 5000).error == 0);
}

TEST(below_three_windows_there_is_no_interval)
{
	add(10, 5);
	assert_true(isnan(window_estimate(&units, &times, 20).error));
	add(10, 5);
	assert_true(isnan(window_estimate(&units, &times, 20).error));
	add(10, 5);
	assert_false(isnan(window_estimate(&units, &times, 30).error));
}

TEST(without_windows_few_missing_launches_are_bounded)
{
	struct estimated estimated;

	units.certain = 995;
	times.certain = 995 * 40;
	estimated = window_estimate(&units, &times, 1000);
	is_close(estimated.total, 1000 * 40);
	is_close(estimated.error, 5 * 40);
	assert_true(isnan(window_estimate(&units, &times, 2000).error));
	assert_true(window_estimate(&(struct window_units){0}, &times, 10).total == times.certain);
}

/* n differences of equal weight have as many as n n / (n + (n - 1) / 2) degrees of freedom. */
TEST(few_windows_have_wide_intervals)
{
	static const double quantiles[] = {5.51725, 3.87548, 3.23945, 2.91291, 2.71666, 2.58644};

	for (int differences = 2; differences <= 7; differences++) {
		double sum = 0;

		start();
		add(100, 10);
		for (int i = 0; i < differences; i++) {
			add(100, i % 2 ? 10 : 13);
			sum += 100.0 * 100 * 3 * 3 / 2;
		}
		is_interval(window_estimate(&units, &times, 100 * (differences + 1)).error,
			    quantiles[differences - 2] *
				    sqrt(sum * (differences + 1) / differences));
	}
}

static struct window_units many_units;
static struct window_times many_times;

/* Of all units: five windows of 10 or 30. */
static struct estimated of_all(void)
{
	start();
	for (int i = 0; i < 5; i++)
		add(100, i % 2 ? 30 : 10);
	many_units = units;
	many_times = times;
	start();
	return window_estimate(&many_units, &many_times, 500);
}

static void add_sort(struct window_strata *strata, int windows, double mean, double all)
{
	start();
	for (int i = 0; i < windows; i++)
		add(all / windows, mean);
	window_strata_add(strata, &units, &times, all);
}

TEST(sorts_that_are_known_apart_leave_no_interval)
{
	struct estimated all = of_all(), estimated;
	struct window_strata strata = {0};

	add_sort(&strata, 3, 10, 300);
	add_sort(&strata, 4, 30, 200);
	estimated = window_strata_estimate(&strata, &many_units, &many_times, 500, &all);
	is_close(estimated.total, 300 * 10 + 200 * 30);
	assert_true(estimated.error == 0);
	/* More than there are: on another device. */
	estimated = window_strata_estimate(&strata, &many_units, &many_times, 499, &all);
	is_close(estimated.total, all.total);
	is_close(estimated.error, all.error);
}

/* Its total is what its windows say, or that of all. */
TEST(a_sort_with_few_windows_is_as_uncertain_as_a_window)
{
	struct estimated all = of_all(), estimated;
	struct window_strata strata = {0};
	double unit = all.error / sqrt(5 * 100.0 * 100); /* the error of one window's unit */

	add_sort(&strata, 3, 10, 490);
	add_sort(&strata, 2, 30, 7);
	add_sort(&strata, 0, 0, 3);
	estimated = window_strata_estimate(&strata, &many_units, &many_times, 500, &all);
	is_close(estimated.total, 490 * 10 + 7 * 30 + 3 * all.total / 500);
	is_close(estimated.error, 10 * unit);
	/* With many of them no more is known than without sorts. */
	strata = (struct window_strata){0};
	add_sort(&strata, 3, 10, 380);
	estimated = window_strata_estimate(&strata, &many_units, &many_times, 500, &all);
	is_close(estimated.error, all.error);
	strata = (struct window_strata){0};
	estimated = window_strata_estimate(&strata, &many_units, &many_times, 500, &all);
	is_close(estimated.error, all.error);
}

TEST(what_differs_within_a_sort_stays_uncertain)
{
	struct estimated all = of_all(), estimated;
	struct window_strata strata = {0};
	double variance = 0;

	for (int i = 0; i < 2; i++) {
		start();
		add(80, 20);
		add(80, 21);
		add(80, 20);
		variance += pow(window_estimate(&units, &times, 250).error, 2);
		window_strata_add(&strata, &units, &times, 250);
	}
	estimated = window_strata_estimate(&strata, &many_units, &many_times, 500, &all);
	is_close(estimated.error, sqrt(variance));
}

static uint64_t random_state = 88172645463325252ull;

static double random_part(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) * 0x1p-53;
}

/* A run's launches, each of a time of its own, that drift and jump; windows at random times. */
static int holds(int windows, double jump)
{
	double truth = 0, stands_for = 0;
	long launches = 400L * windows, next = 10 + (long)(400 * random_part());
	struct estimated estimated;

	start();
	for (long i = 0; i < launches; i++) {
		double level = 1000 + (i > launches / 3 ? jump : 0) + 50 * sin((double)i / 2000);
		double sum = 0;

		truth += level;
		stands_for++;
		/* As a run begins: a few are recorded. */
		if (i < 10) {
			units.certain++;
			times.certain += level;
			stands_for = 0;
		}
		if (i < next)
			continue;
		for (int k = 0; k < 20; k++)
			sum += level + 100 * (random_part() - 0.5);
		add(stands_for, sum / 20);
		stands_for = 0;
		next = i + (long)(200 + 400 * random_part());
	}
	estimated = window_estimate(&units, &times, (double)launches);
	return fabs(estimated.total - truth) <= estimated.error;
}

TEST(the_truth_is_in_19_of_20_intervals)
{
	static const double jumps[] = {0, 300, -500};

	for (unsigned i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		for (int windows = 5; windows <= 80; windows *= 4) {
			int held = 0;

			for (int run = 0; run < 1000; run++)
				held += holds(windows, jumps[i]);
			if (held < 950)
				fail_msg("%d windows, jump %g: %d of 1000", windows, jumps[i],
					 held);
		}
	}
}

TEST(windows_that_seem_to_cover_more_than_there_was_count_for_that)
{
	for (int i = 0; i < 4; i++)
		add(30, 10);
	is_close(window_estimate(&units, &times, 100).total, 1000);
}
