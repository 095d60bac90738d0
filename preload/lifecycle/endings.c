/* SPDX-License-Identifier: MIT */
#include "preload/lifecycle/endings.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cupti/cupti.h"
#include "preload/launch/call.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/base/export.h"
#include "preload/hooks/lookup.h"

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

	control_finish();
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
	if (atomic_load(&control_state) != CONTROL_IDLE) {
		atomic_store(&control_state, CONTROL_FORKED);
		call_watch(1);
		collection_forget();
	}
}

void ending_register(void)
{
	pthread_atfork(NULL, NULL, forked_child);
	handle_fatal_signals();
	/* For a program that initialises the driver and gives it no work. */
	atexit(control_finish);
}

void ending_register_at_exit(void)
{
	atexit(control_finish);
	at_quick_exit(control_finish);
}

typedef void exit_function(int status);
static exit_function *real__exit, *real__Exit;

/* Before there can be a child of fork, which must not ask the loader: another thread of the parent
 * may have been in it. */
__attribute__((constructor)) static void find_exits(void)
{
	real__exit = (exit_function *)next_symbol("_exit");
	real__Exit = (exit_function *)next_symbol("_Exit");
}

/* _exit runs no handlers: Python's os._exit and many a worker process end like that. */
static void leave(exit_function *real, int status) __attribute__((noreturn));
static void leave(exit_function *real, int status)
{
	control_finish();
	if (real)
		real(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

EXPORT void _exit(int status)
{
	leave(real__exit, status);
}

EXPORT void _Exit(int status)
{
	leave(real__Exit, status);
}
