/* SPDX-License-Identifier: MIT */
#include "preload/base/atomics.h"
#include "preload/lifecycle/lifecycle.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cupti/cupti.h"
#include "preload/base/background_thread.h"
#include "preload/base/default_action.h"
#include "preload/base/plan.h"
#include "preload/launch/thread.h"
#include "preload/reporter/reporter.h"

/* How long a fault or an abort waits for the report. */
#define FAULT_WAIT_MS 800
/* How long the handler of a signal that the program sent itself waits: longer than the reporter
 * takes.
 */
#define OWN_WAIT_MS   2000
/*
 * A second signal this long after the first one ends the process at once: somebody is impatient.
 * Launchers send one signal to several threads or twice in a row; those come together.
 */
#define IMPATIENT_MS  100

/* The process as it was when ktime started. */
static struct {
	pid_t process;
	bool has_first_as_parent;
} program;

static void end_now(int signal)
{
	default_action_take((pid_t)syscall(SYS_getpid), (pid_t)syscall(SYS_gettid), signal);
}

/*
 * Whether the signal would not end the program without ktime: as the first process of a container,
 * for which the kernel takes no default action for signals sent to it. If the ktime command is that
 * process instead, the program is protected too, except from signals that the command passes on and
 * from those of a terminal.
 */
static bool is_without_effect(int signal, const siginfo_t *info)
{
	bool sent = info->si_code <= 0;
	bool passed_on =
		(info->si_code == SI_USER || info->si_code == SI_QUEUE) && info->si_pid == 1;
	bool keyboard = !sent && (signal == SIGINT || signal == SIGQUIT || signal == SIGHUP);

	if (program.process == 1)
		return sent;
	return program.has_first_as_parent && !default_action_is_fault(signal) && !passed_on &&
	       !keyboard;
}

/*
 * Whether the program sent the signal itself, as by raise(), from outside of a wrapped call: it
 * expects no return, and holds no lock of the driver's that a wrapper would not know of.
 */
static bool is_own_call(const siginfo_t *info)
{
	return (info->si_code == SI_TKILL || info->si_code == SI_USER) &&
	       info->si_pid == program.process && !(thread_self && thread_self->in_progress);
}

/*
 * ktime's handler, in place of the default action that ends the program. It wakes the reporter,
 * which makes the report and ends the process. For an asynchronous signal it returns at once: the
 * interrupted thread may hold the driver's lock, which the report needs (H200: when the handler
 * waited for the collector, 19 of 21 launch-bound programs had no report and took 7 s to end). The
 * thread then blocks at its next wrapped call, or runs on until the end.
 */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	unsigned milliseconds = 0;
	bool first;

	if (signal == SIGBUS && info->si_code > 0 && session_fault(info->si_addr))
		goto out;
	if (background_thread_returns_signal(signal, info, context))
		goto out;
	/* In a child of fork there is no reporter; in one of vfork this is the parent's memory. */
	if ((pid_t)syscall(SYS_getpid) != program.process) {
		end_now(signal);
		goto out;
	}
	if (is_without_effect(signal, info))
		goto out;
	first = reporter_ask(signal, &milliseconds);
	if (first)
		lifecycle_end_by_signal();
	if (default_action_is_fault(signal)) {
		reporter_wait(FAULT_WAIT_MS);
		/* A fault happens again by itself; one that was sent does not. */
		if (info->si_code <= 0)
			end_now(signal);
		else
			default_action_restore(signal);
	} else if (!first && milliseconds >= IMPATIENT_MS) {
		end_now(signal);
	} else if (is_own_call(info)) {
		reporter_wait(OWN_WAIT_MS);
		end_now(signal);
	}
out:
	errno = saved_errno;
}

static void fill_own(struct sigaction *action)
{
	memset(action, 0, sizeof(*action));
	action->sa_sigaction = on_signal;
	action->sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART;
}

static bool is_default(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

int endings_set_action(int signal, const struct sigaction *action, struct sigaction *old,
		       int (*real)(int, const struct sigaction *, struct sigaction *))
{
	struct sigaction own;
	int result;

	fill_own(&own);
	/* A child of fork has no reporter, and no need of one. */
	if (action && is_default(action) && default_action_ends(signal) && lifecycle_reports() &&
	    (pid_t)syscall(SYS_getpid) == program.process)
		action = &own;
	result = real(signal, action, old);
	if (result == 0 && old && old->sa_flags & SA_SIGINFO && old->sa_sigaction == on_signal)
		memset(old, 0, sizeof(*old));
	return result;
}

sighandler_t endings_seen_handler(sighandler_t handler)
{
	return (uintptr_t)handler == (uintptr_t)on_signal ? SIG_DFL : handler;
}

void endings_handle_signals(bool under_first)
{
	struct sigaction own, present;

	program.process = getpid();
	program.has_first_as_parent = under_first;
	fill_own(&own);
	for (int signal = 1; signal < _NSIG; signal++)
		if (default_action_ends(signal) && sigaction(signal, NULL, &present) == 0 &&
		    is_default(&present))
			sigaction(signal, &own, NULL);
}

/* CUDA does not work in a child of a process that has initialised it, so neither does ktime. */
static void forked_child(void)
{
	if (load_relaxed(&launch_state.lifecycle) == LIFECYCLE_IDLE)
		return;
	store_relaxed(&launch_state.lifecycle, LIFECYCLE_FORKED);
	plan_need(NEEDS_KTIME);
	cupti_forget();
}

void endings_register(void)
{
	pthread_atfork(NULL, NULL, forked_child);
	/* For a program that initialises the driver and gives it no work. */
	atexit(lifecycle_finish);
}

void endings_register_at_exit(void)
{
	atexit(lifecycle_finish);
	at_quick_exit(lifecycle_finish);
}
