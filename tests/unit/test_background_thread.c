/* SPDX-License-Identifier: MIT */
/* ktime's threads take none of the program's signals, and need no more stack than they say. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/base/background_thread.h"

static sem_t done;
static sigset_t blocked;
static size_t stack;
static int detached;

static void *look_around(void *argument)
{
	pthread_attr_t attributes;
	void *start;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &start, &stack);
	pthread_attr_getdetachstate(&attributes, &detached);
	pthread_attr_destroy(&attributes);
	sem_post(&done);
	return argument;
}

static void all_signals_but_sigbus_are_blocked(void **state)
{
	sigset_t before, after;

	(void)state;
	assert_int_equal(sem_init(&done, 0, 0), 0);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	assert_int_equal(background_thread_start(look_around), 0);
	while (sem_wait(&done) && errno == EINTR)
		;
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	for (int signal = 1; signal < 32; signal++) {
		bool blockable = signal != SIGKILL && signal != SIGSTOP && signal != SIGBUS;

		assert_int_equal(sigismember(&blocked, signal), blockable);
		assert_int_equal(sigismember(&after, signal), sigismember(&before, signal));
	}
	assert_true(stack >= 1 << 20);
	assert_true(stack < 2 << 20);
	assert_int_equal(detached, PTHREAD_CREATE_DETACHED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_signals_but_sigbus_are_blocked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
