/* SPDX-License-Identifier: MIT */
/* Tests that are run in the order in which they stand, with what each of them needs of libc. */
#ifndef KTIME_TESTS_UNIT_TEST_H
#define KTIME_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the program has before it begins. */
#define TEST_CONSTRUCTOR(name) __attribute__((constructor)) static void name(void)

/* What runs before tests or after them; its body returns 0. */
#define FIXTURE(name)	       static int name(__attribute__((unused)) void **state)

/* The fixture `setup` runs before each test from here on, `teardown` after it; NULL: nothing. */
#define AROUND_EACH(setup, teardown)                                                               \
	TEST_CONSTRUCTOR(around_each_by_##setup)                                                   \
	{                                                                                          \
		tests_around_each(setup, teardown);                                                \
	}                                                                                          \
	_Static_assert(1, "ends with a semicolon")

/* The same before the first test and after the last. */
#define AROUND_ALL(setup, teardown)                                                                \
	TEST_CONSTRUCTOR(around_all)                                                               \
	{                                                                                          \
		tests_around_all(setup, teardown);                                                 \
	}                                                                                          \
	_Static_assert(1, "ends with a semicolon")

/* A test: its body follows. */
#define TEST(name)                                                                                 \
	static void name(void **state);                                                            \
	TEST_CONSTRUCTOR(register_##name)                                                          \
	{                                                                                          \
		tests_add(#name, name);                                                            \
	}                                                                                          \
	static void name(__attribute__((unused)) void **state)

void tests_add(const char *name, CMUnitTestFunction test);
void tests_around_each(CMFixtureFunction setup, CMFixtureFunction teardown);
void tests_around_all(CMFixtureFunction setup, CMFixtureFunction teardown);

#endif
