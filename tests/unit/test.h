/* SPDX-License-Identifier: MIT */
/*
 * Tests that are run in the order in which they stand, with what each of them needs of libc:
 * TEST(what_holds), BEFORE_EACH and AFTER_EACH are followed by a body.
 */
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

#define TEST(name)                                                                                 \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		tests_add(#name, name);                                                            \
	}                                                                                          \
	static void name(__attribute__((unused)) void **state)

/* What is done before each test that stands behind it: several in their order. */
#define BEFORE_EACH			TEST_FIXTURE(tests_before_each, before_each_, __COUNTER__)
/* And after it: several in the opposite order. */
#define AFTER_EACH			TEST_FIXTURE(tests_after_each, after_each_, __COUNTER__)

/* The counter is a number before it becomes a part of names. */
#define TEST_FIXTURE(add, name, number) TEST_NAMED_FIXTURE(add, name, number)
#define TEST_NAMED_FIXTURE(add, name, number)                                                      \
	static void name##number(void);                                                            \
	__attribute__((constructor)) static void add_##name##number(void)                          \
	{                                                                                          \
		add(name##number);                                                                 \
	}                                                                                          \
	static void name##number(void)

void tests_add(const char *name, CMUnitTestFunction test);
void tests_before_each(void (*fixture)(void));
void tests_after_each(void (*fixture)(void));

#endif
