/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/base/rate_limit.h"

static void what_is_quick_comes_once_in_its_period(void **state)
{
	struct pace pace = {0};

	(void)state;
	assert_true(pace_due(&pace, 1000));
	pace_note(&pace, 1000, 1100, 50000);
	assert_false(pace_due(&pace, 50999));
	assert_true(pace_due(&pace, 51000));
}

static void what_waited_long_rests_longer(void **state)
{
	struct pace pace = {0};

	(void)state;
	pace_note(&pace, 1000, 11000, 50000);
	assert_false(pace_due(&pace, 11000 + PACE_REST * 10000 - 1));
	assert_true(pace_due(&pace, 11000 + PACE_REST * 10000));
}

static void without_a_period_it_rests_by_what_it_took(void **state)
{
	struct pace pace = {0};

	(void)state;
	pace_note(&pace, 1000, 1000, 0);
	assert_true(pace_due(&pace, 1000));
	pace_note(&pace, 1000, 1010, 0);
	assert_false(pace_due(&pace, 1010));
	assert_true(pace_due(&pace, 1010 + PACE_REST * 10));
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
