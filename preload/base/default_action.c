/* SPDX-License-Identifier: MIT */
#include "preload/base/default_action.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

const int default_action_signals[] = {SIGHUP,  SIGINT,	SIGQUIT, SIGALRM, SIGTERM,
				      SIGUSR1, SIGUSR2, SIGXCPU, SIGILL,  SIGABRT,
				      SIGBUS,  SIGFPE,	SIGSEGV, SIGSYS,  0};

/* The kernel's structure, which differs from libc's. */
struct kernel_action {
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

bool default_action_ends(int signal)
{
	const int *one = default_action_signals;

	while (*one && *one != signal)
		one++;
	return *one;
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
