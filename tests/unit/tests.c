/* SPDX-License-Identifier: MIT */
#include "tests/unit/test.h"

#define MOST_TESTS 64

static struct CMUnitTest tests[MOST_TESTS];
static size_t count;
static CMFixtureFunction each[2], all[2];

void tests_add(const char *name, CMUnitTestFunction test)
{
	if (count == MOST_TESTS)
		abort();
	tests[count++] = (struct CMUnitTest){name, test, each[0], each[1], NULL};
}

void tests_around_each(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	each[0] = setup;
	each[1] = teardown;
}

void tests_around_all(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	all[0] = setup;
	all[1] = teardown;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, count, all[0], all[1]);
}
