/* SPDX-License-Identifier: MIT */
/* Probabilities are right; the expected ones were worked out with mpmath, to 15 digits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/session/estimate.h"
#include "report/session/statistics.h"

static void is_close(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * fabs(expected))
		fail_msg("%.15g, expected %.15g", value, expected);
}

static void welch_gives_the_probability_of_chance(void **state)
{
	(void)state;
	/* With two degrees of freedom it is 1 - t / sqrt(2 + t^2). */
	is_close(welch_probability(2, 0, 1, 2, sqrt(2), 1), 1 - sqrt(0.5));
	is_close(welch_probability(10, 100, 4, 12, 103, 9), 0.0114122783327212);
	is_close(welch_probability(1000, 50, 25, 1200, 50.5, 36), 0.0331168462684377);
	is_close(welch_probability(3, 10, 1, 5000, 11, 2), 0.22528978037869);
	is_close(welch_probability(100000, 1000, 10000, 90000, 1001, 12000), 0.038435329659815);
	is_close(welch_probability(5, 1, 1e-3, 5, 2, 1e-3), 2.83441064509179e-11);
}

static void welch_knows_the_extremes(void **state)
{
	(void)state;
	assert_true(welch_probability(10, 5, 1, 10, 5, 1) == 1);
	assert_true(welch_probability(10, 5, 0, 10, 5, 0) == 1);
	assert_true(welch_probability(10, 5, 0, 10, 6, 0) == 0);
	assert_true(welch_probability(100000000, 5, 1, 100000000, 6, 1) == 0);
}

static void variance_comes_from_the_sums(void **state)
{
	(void)state;
	is_close(sample_variance(4, 10, 30), 5.0 / 3);
	assert_true(sample_variance(1, 10, 100) == 0);
	assert_true(sample_variance(0, 0, 0) == 0);
	/* What rounding leaves of equal values is none. */
	assert_true(sample_variance(3, 3e9, 3e18 - 512) == 0);
}

static void rank_sum_sees_a_shift(void **state)
{
	struct histogram a = {{0}}, b = {{0}};
	unsigned i;

	(void)state;
	for (i = 0; i < 5; i++) {
		histogram_add(&a, i);
		histogram_add(&b, 10 + i);
	}
	/* (12.5 - 0.5) / sqrt(5 * 5 * 11 / 12) */
	is_close(rank_sum_probability(&a, &b), 0.0121857803553446);
	is_close(rank_sum_probability(&b, &a), 0.0121857803553446);
}

static void rank_sum_counts_ties(void **state)
{
	struct histogram a = {{0}}, b = {{0}};

	(void)state;
	a.buckets[3] = 10;
	b.buckets[3] = 12;
	assert_true(rank_sum_probability(&a, &b) == 1);
	b.buckets[4] = 12;
	/* Of 34 values 22 are in one bucket and 12 in the other. */
	is_close(rank_sum_probability(&a, &b), 0.00661176394972005);
}

static void one_outlier_does_not_move_ranks(void **state)
{
	struct histogram a = {{0}}, b = {{0}};
	unsigned i;

	(void)state;
	for (i = 0; i < 100; i++) {
		histogram_add(&a, 1000 + i);
		histogram_add(&b, i ? 1000 + i : 1000000000);
	}
	assert_true(rank_sum_probability(&a, &b) > 0.8);
}

static void an_empty_histogram_says_nothing(void **state)
{
	struct histogram a = {{0}}, b = {{0}};

	(void)state;
	assert_true(rank_sum_probability(&a, &b) == 1);
	histogram_add(&a, 5);
	assert_true(rank_sum_probability(&a, &b) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(welch_gives_the_probability_of_chance),
		cmocka_unit_test(welch_knows_the_extremes),
		cmocka_unit_test(variance_comes_from_the_sums),
		cmocka_unit_test(rank_sum_sees_a_shift),
		cmocka_unit_test(rank_sum_counts_ties),
		cmocka_unit_test(one_outlier_does_not_move_ranks),
		cmocka_unit_test(an_empty_histogram_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
