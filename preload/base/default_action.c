/* SPDX-License-Identifier: MIT */
#include "preload/base/default_action.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's structure, which differs from libc's. */
struct kernel_action {
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

bool default_action_ends(int signal)
{
	static const int signals[] = {
		SIGHUP,	   SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ,
		SIGPOLL,   SIGPWR, SIGILL,  SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV, SIGSYS,
#ifdef SIGSTKFLT
		SIGSTKFLT,
#endif
	};

	/* The kernel takes no default action for the first process of a PID namespace, except for a
	 * fault: see pid_namespaces(7). */
	if (syscall(SYS_getpid) == 1)
		return default_action_is_fault(signal) && signal != SIGABRT;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signals[i] == signal)
			return true;
	/* glibc has those below for itself. */
	return signal >= SIGRTMIN && signal <= SIGRTMAX;
}

bool default_action_is_fault(int signal)
{
	return signal == SIGILL || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE ||
	       signal == SIGSEGV || signal == SIGSYS;
}

void default_action_restore(int signal)
{
	struct kernel_action action = {.handler = (uintptr_t)SIG_DFL};

	syscall(SYS_rt_sigaction, signal, &action, NULL, sizeof(action.mask));
}

void default_action_take(pid_t process, pid_t thread, int signal)
{
	default_action_restore(signal);
	/* The thread may have ended meanwhile. */
	if (syscall(SYS_tgkill, process, thread, signal) == 0 ||
	    syscall(SYS_kill, process, signal) == 0)
		return;
	/* A filter of the program's (seccomp) refuses both. */
	syscall(SYS_exit_group, 128 + signal);
}
