/* SPDX-License-Identifier: MIT */
#include "preload/base/background_thread.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* By default it is what `ulimit -s` says, which may be too small: demangling and the report take
 * 300 KB at most. */
#define STACK_BYTES (1UL << 20)

int background_thread_start(void *(*run)(void *))
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	/* The program's signals must not be handled on a thread that it does not know. */
	sigfillset(&all);
	/* Raised by an access to a profile that another process cut; blocked, it ends the process.
	 */
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = -pthread_create(&thread, &attributes, run, NULL);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}
