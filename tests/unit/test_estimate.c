/* SPDX-License-Identifier: MIT */
/* What a part of the calls says of all is weighted by the chance each had. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/session/estimate.h"

static void is_close(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * fabs(expected))
		fail_msg("%.15g, expected %.15g", value, expected);
}

static void add(struct estimate *estimate, int count, double weight, uint64_t low, uint64_t high)
{
	for (int i = 0; i < count; i++)
		session_add_estimate(estimate, weight, i % 2 ? low : high);
}

/* With one chance for all it is the textbook's: N s / sqrt(n) sqrt(1 - n / N). */
static void one_chance_is_a_simple_sample(void **state)
{
	struct estimate estimate = {0};
	double error;

	(void)state;
	add(&estimate, 100, 10, 2000, 4000);
	is_close(estimate_total(&estimate, 100, 1000, &error), 3e6);
	is_close(error, 1.96 * 1000 * sqrt(1e8 / 99) / 10 * sqrt(0.9));
}

/* A slow start whose calls were all timed counts for itself alone. */
static void a_start_that_was_timed_whole_weighs_what_it_is(void **state)
{
	struct estimate estimate = {0};
	double error;

	(void)state;
	add(&estimate, 100, 1, 10000, 10000);
	add(&estimate, 90, 10, 2000, 4000);
	is_close(estimate_total(&estimate, 190, 1000, &error), 100 * 10000.0 + 900 * 3000.0);
	is_close(error, 1.96 * sqrt(90 * 45 * (1700.0 * 1700 + 300.0 * 300) * 190 / 189));
}

/* Calls that should have been timed and were not are like the others, and leave the same doubt. */
static void calls_without_a_pair_are_a_smaller_sample(void **state)
{
	struct estimate estimate = {0};
	double error;

	(void)state;
	add(&estimate, 100, 10, 2000, 4000);
	is_close(estimate_total(&estimate, 100, 2000, &error), 6e6);
	is_close(error, 1.96 * 2000 * sqrt(1e8 / 99) / 10 * sqrt(0.95));
	memset(&estimate, 0, sizeof(estimate));
	/* Every call was to be timed, and for half of them there was no pair. */
	add(&estimate, 100, 1, 2000, 4000);
	is_close(estimate_total(&estimate, 100, 200, &error), 6e5);
	is_close(error, 1.96 * 200 * sqrt(1e8 / 99) / 10 * sqrt(0.5));
}

/* It is not drawn anew for each call: a hundred times the calls are a hundred times as far off. */
static void a_bias_that_may_be_off_is_so_for_all_calls(void **state)
{
	struct estimate estimate = {.doubt = 100};
	double error;

	(void)state;
	add(&estimate, 100, 10, 5000, 5000);
	is_close(estimate_total(&estimate, 100, 1000, &error), 5e6);
	is_close(error, 1.96 * 100 * 1000);
	memset(&estimate, 0, sizeof(estimate));
	estimate.doubt = 100;
	add(&estimate, 100, 10, 2000, 4000);
	estimate_total(&estimate, 100, 1000, &error);
	is_close(error, 1.96 * 1000 * sqrt(1e4 + 1e8 / 99 / 100 * 0.9));
}

static void equal_durations_leave_no_doubt(void **state)
{
	struct estimate estimate = {0};
	double error;

	(void)state;
	add(&estimate, 1000, 7.3, 123457, 123457);
	is_close(estimate_total(&estimate, 1000, 7300, &error), 7300 * 123457.0);
	assert_true(error == 0);
	memset(&estimate, 0, sizeof(estimate));
	assert_true(estimate_total(&estimate, 0, 10, &error) == 0 && error == 0);
	/* All of them timed: nothing is estimated. */
	add(&estimate, 10, 1, 2000, 4000);
	is_close(estimate_total(&estimate, 10, 10, &error), 30000);
	assert_true(error == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_chance_is_a_simple_sample),
		cmocka_unit_test(a_start_that_was_timed_whole_weighs_what_it_is),
		cmocka_unit_test(calls_without_a_pair_are_a_smaller_sample),
		cmocka_unit_test(a_bias_that_may_be_off_is_so_for_all_calls),
		cmocka_unit_test(equal_durations_leave_no_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
