/* SPDX-License-Identifier: MIT */
/*
 * ktime's threads take none of the program's signals, and need no more stack than they say; others'
 * code has more of both.
 */
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

static void a_call_is_waited_for_and_has_a_large_stack_and_its_own_signals(void **state)
{
	const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	sigset_t before, after;

	(void)state;
	assert_int_equal(sem_init(&done, 0, 0), 0);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	assert_int_equal(background_thread_call(look_around, NULL), 0);
	assert_int_equal(sem_trywait(&done), 0);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_false(sigismember(&blocked, own[i]));
	assert_true(sigismember(&blocked, SIGTERM));
	assert_true(sigismember(&blocked, SIGPROF));
	for (int signal = 1; signal < 32; signal++)
		assert_int_equal(sigismember(&after, signal), sigismember(&before, signal));
	assert_true(stack >= 8 << 20);
	assert_int_equal(detached, PTHREAD_CREATE_JOINABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_signals_but_sigbus_are_blocked),
		cmocka_unit_test(a_call_is_waited_for_and_has_a_large_stack_and_its_own_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
