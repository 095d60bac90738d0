/* SPDX-License-Identifier: MIT */
#include "preload/base/rate_limit.h"
#include "tests/unit/test.h"

TEST(what_is_quick_comes_once_in_its_period)
{
	struct rate_limit rate_limit = {0};

	assert_true(rate_limit_due(&rate_limit, 1000));
	rate_limit_note(&rate_limit, 1000, 1100, 50000);
	assert_false(rate_limit_due(&rate_limit, 50999));
	assert_true(rate_limit_due(&rate_limit, 51000));
}

TEST(what_waited_long_rests_longer)
{
	struct rate_limit rate_limit = {0};

	rate_limit_note(&rate_limit, 1000, 11000, 50000);
	assert_false(rate_limit_due(&rate_limit, 11000 + RATE_LIMIT_REST * 10000 - 1));
	assert_true(rate_limit_due(&rate_limit, 11000 + RATE_LIMIT_REST * 10000));
}

TEST(without_a_period_it_rests_by_what_it_took)
{
	struct rate_limit rate_limit = {0};

	rate_limit_note(&rate_limit, 1000, 1000, 0);
	assert_true(rate_limit_due(&rate_limit, 1000));
	rate_limit_note(&rate_limit, 1000, 1010, 0);
	assert_false(rate_limit_due(&rate_limit, 1010));
	assert_true(rate_limit_due(&rate_limit, 1010 + RATE_LIMIT_REST * 10));
}
