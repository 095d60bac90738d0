/* SPDX-License-Identifier: MIT */
#include "preload/lifecycle/endings.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/cupti.h"
#include "preload/base/mode.h"
#include "preload/lifecycle/lifecycle.h"

/*
 * Signals that end a program which does not handle them. A handler of ktime's takes the place of
 * the default action alone: it makes the report and gives the signal back.
 */
static const int fatal_signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,	SIGABRT,
				    SIGBUS,  SIGFPE,  SIGSEGV, SIGPIPE, SIGALRM,
				    SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGSYS};

static void end_by_signal(int number)
{
	struct sigaction action;
	int saved_errno = errno;

	lifecycle_finish();
	memset(&action, 0, sizeof(action));
	action.sa_handler = SIG_DFL;
	sigaction(number, &action, NULL);
	errno = saved_errno;
	/* Held back until this handler returns; a fault happens again by itself. */
	raise(number);
}

static void handle_fatal_signals(void)
{
	struct sigaction action, present;

	memset(&action, 0, sizeof(action));
	action.sa_handler = end_by_signal;
	action.sa_flags = SA_ONSTACK;
	for (unsigned i = 0; i < sizeof(fatal_signals) / sizeof(fatal_signals[0]); i++)
		if (sigaction(fatal_signals[i], NULL, &present) == 0 &&
		    !(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_DFL)
			sigaction(fatal_signals[i], &action, NULL);
}

/* CUDA does not work in a child of a process that has initialised it, so neither does ktime. */
static void forked_child(void)
{
	if (atomic_load(&lifecycle_state) != LIFECYCLE_IDLE) {
		atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
		count_only_block(1);
		cupti_forget();
	}
}

void ending_register(void)
{
	pthread_atfork(NULL, NULL, forked_child);
	handle_fatal_signals();
	/* For a program that initialises the driver and gives it no work. */
	atexit(lifecycle_finish);
}

void ending_register_at_exit(void)
{
	atexit(lifecycle_finish);
	at_quick_exit(lifecycle_finish);
}
