/* SPDX-License-Identifier: MIT */
/* Probabilities are right; the expected ones were worked out with mpmath, to 15 digits. */
#include <math.h>

#include "report/session/estimate.h"
#include "report/compare/welch.h"
#include "tests/unit/test.h"

static void is_close(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * fabs(expected))
		fail_msg("%.15g, expected %.15g", value, expected);
}

/* By its variance. */
#define SAMPLE(count, mean, variance)                                                              \
	&(struct sample)                                                                           \
	{                                                                                          \
		count, mean, (variance) * ((count)-1), 0, 0                                        \
	}

TEST(welch_gives_the_probability_of_chance)
{
	/* With two degrees of freedom it is 1 - t / sqrt(2 + t^2). */
	is_close(welch_probability(SAMPLE(2, 0, 1), SAMPLE(2, sqrt(2), 1)), 1 - sqrt(0.5));
	is_close(welch_probability(SAMPLE(10, 100, 4), SAMPLE(12, 103, 9)), 0.0114122783327212);
	is_close(welch_probability(SAMPLE(1000, 50, 25), SAMPLE(1200, 50.5, 36)),
		 0.0331168462684377);
	is_close(welch_probability(SAMPLE(3, 10, 1), SAMPLE(5000, 11, 2)), 0.22528978037869);
	is_close(welch_probability(SAMPLE(100000, 1000, 10000), SAMPLE(90000, 1001, 12000)),
		 0.038435329659815);
	is_close(welch_probability(SAMPLE(5, 1, 1e-3), SAMPLE(5, 2, 1e-3)), 2.83441064509179e-11);
}

TEST(welch_knows_the_extremes)
{
	assert_true(welch_probability(SAMPLE(10, 5, 1), SAMPLE(10, 5, 1)) == 1);
	assert_true(welch_probability(SAMPLE(10, 5, 0), SAMPLE(10, 5, 0)) == 1);
	assert_true(welch_probability(SAMPLE(10, 5, 0), SAMPLE(10, 6, 0)) == 0);
	assert_true(welch_probability(SAMPLE(100000000, 5, 1), SAMPLE(100000000, 6, 1)) == 0);
}

TEST(variance_comes_from_the_sums)
{
	is_close(sample_variance(4, 10, 30), 5.0 / 3);
	assert_true(sample_variance(1, 10, 100) == 0);
	assert_true(sample_variance(0, 0, 0) == 0);
	/* What rounding leaves of equal values is none. */
	assert_true(sample_variance(3, 3e9, 3e18 - 512) == 0);
}

TEST(the_margin_is_half_of_the_95_percent_interval)
{
	/* With two degrees of freedom t is sqrt(2 (1 - p)^2 / (p (2 - p))): 4.30265272974946. */
	is_close(welch_margin(SAMPLE(2, 0, 1), SAMPLE(2, 0, 1)), 4.30265272974946);
	assert_true(welch_margin(SAMPLE(5, 0, 0), SAMPLE(5, 0, 0)) == 0);
	is_close(welch_probability(SAMPLE(5, 0, 1),
				   SAMPLE(7, welch_margin(SAMPLE(5, 0, 1), SAMPLE(7, 0, 2)), 2)),
		 0.05);
}
