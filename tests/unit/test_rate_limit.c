/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/base/rate_limit.h"

static void what_is_quick_comes_once_in_its_period(void **state)
{
	struct rate_limit rate_limit = {0};

	(void)state;
	assert_true(rate_limit_due(&rate_limit, 1000));
	rate_limit_note(&rate_limit, 1000, 1100, 50000);
	assert_false(rate_limit_due(&rate_limit, 50999));
	assert_true(rate_limit_due(&rate_limit, 51000));
}

static void what_waited_long_rests_longer(void **state)
{
	struct rate_limit rate_limit = {0};

	(void)state;
	rate_limit_note(&rate_limit, 1000, 11000, 50000);
	assert_false(rate_limit_due(&rate_limit, 11000 + RATE_LIMIT_REST * 10000 - 1));
	assert_true(rate_limit_due(&rate_limit, 11000 + RATE_LIMIT_REST * 10000));
}

static void without_a_period_it_rests_by_what_it_took(void **state)
{
	struct rate_limit rate_limit = {0};

	(void)state;
	rate_limit_note(&rate_limit, 1000, 1000, 0);
	assert_true(rate_limit_due(&rate_limit, 1000));
	rate_limit_note(&rate_limit, 1000, 1010, 0);
	assert_false(rate_limit_due(&rate_limit, 1010));
	assert_true(rate_limit_due(&rate_limit, 1010 + RATE_LIMIT_REST * 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_quick_comes_once_in_its_period),
		cmocka_unit_test(what_waited_long_rests_longer),
		cmocka_unit_test(without_a_period_it_rests_by_what_it_took),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
