/* SPDX-License-Identifier: MIT */
#include "tests/unit/test.h"

#define MOST_TESTS    64
#define MOST_FIXTURES 4

/* Those that the test at hand stands behind. */
struct fixtures {
	unsigned before, after;
};

static struct CMUnitTest tests[MOST_TESTS];
static struct fixtures fixtures[MOST_TESTS];
static size_t count;
static void (*before[MOST_FIXTURES])(void), (*after[MOST_FIXTURES])(void);
static struct fixtures known;

static const struct fixtures *running;

static int run_before(void **state)
{
	running = *state;
	for (unsigned i = 0; i < running->before; i++)
		before[i]();
	return 0;
}

static int run_after(void **state)
{
	(void)state;
	for (unsigned i = running->after; i > 0; i--)
		after[i - 1]();
	return 0;
}

void tests_add(const char *name, CMUnitTestFunction test)
{
	if (count == MOST_TESTS)
		abort();
	fixtures[count] = known;
	tests[count] = (struct CMUnitTest){name, test, run_before, run_after, &fixtures[count]};
	count++;
}

void tests_before_each(void (*fixture)(void))
{
	if (known.before == MOST_FIXTURES)
		abort();
	before[known.before++] = fixture;
}

void tests_after_each(void (*fixture)(void))
{
	if (known.after == MOST_FIXTURES)
		abort();
	after[known.after++] = fixture;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}
