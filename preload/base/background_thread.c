/* SPDX-License-Identifier: MIT */
#include "preload/base/background_thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* By default it is what `ulimit -s` says, which may be too small: demangling and the report take
 * 300 KB at most. */
#define STACK_BYTES	  (1UL << 20)
/* What a main thread has as a rule; only what is used of it takes memory. */
#define LARGE_STACK_BYTES (8UL << 20)

/* `shared`: its creator waits for its end; else it is detached. */
static int start(void *(*run)(void *), void *argument, bool shared, pthread_t *thread)
{
	static const int raised_by_itself[] = {SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
	sigset_t all, before;
	pthread_attr_t attributes;
	int error;

	/* The program's signals must not be handled on a thread that it does not know. */
	sigfillset(&all);
	/* Raised by an access to a profile that another process cut; blocked, it ends the process.
	 */
	sigdelset(&all, SIGBUS);
	for (size_t i = 0; shared && i < sizeof(raised_by_itself) / sizeof(int); i++)
		sigdelset(&all, raised_by_itself[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, shared ? LARGE_STACK_BYTES : STACK_BYTES);
	if (!shared)
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = -pthread_create(thread, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

int background_thread_start(void *(*run)(void *))
{
	pthread_t thread;

	return start(run, NULL, false, &thread);
}

int background_thread_call(void *(*run)(void *), void *argument)
{
	pthread_t thread;
	int error = start(run, argument, true, &thread);

	return error ? error : -pthread_join(thread, NULL);
}
