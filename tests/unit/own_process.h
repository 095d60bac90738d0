/* SPDX-License-Identifier: MIT */
/* Tests with a process of their own each, of what is set once in a process. */
#ifndef KTIME_TESTS_UNIT_OWN_PROCESS_H
#define KTIME_TESTS_UNIT_OWN_PROCESS_H

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* Runs a body in a child; an assertion that fails there fails the test here. */
static inline void passes_in_child(void (*body)(void))
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		/* cmocka would go on with the next test, in this process. */
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A test whose process begins with a statement. */
#define TEST_IN_CHILD(name, prepare)                                                               \
	static void name##_body(void);                                                             \
	static void name##_in_child(void)                                                          \
	{                                                                                          \
		prepare;                                                                           \
		name##_body();                                                                     \
	}                                                                                          \
	TEST(name)                                                                                 \
	{                                                                                          \
		passes_in_child(name##_in_child);                                                  \
	}                                                                                          \
	static void name##_body(void)

#endif
