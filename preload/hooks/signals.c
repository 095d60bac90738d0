/* SPDX-License-Identifier: MIT */
/* What a program asks and sets of its signals' actions: see endings_set_action. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "preload/base/export.h"
#include "preload/driver/elf_symbol.h"
#include "preload/lifecycle/endings.h"

typedef int action_function(int, const struct sigaction *, struct sigaction *);
typedef sighandler_t handler_function(int signal, sighandler_t handler);
typedef int interrupt_function(int signal, int interrupt);

#define HANDLER_FUNCTIONS(X)                                                                       \
	X(signal) X(bsd_signal) X(ssignal) X(sysv_signal) X(__sysv_signal) X(sigset)

static action_function *real_action;
static interrupt_function *real_interrupt;
static struct {
#define MEMBER(name) handler_function *name;
	HANDLER_FUNCTIONS(MEMBER)
#undef MEMBER
} real;

/* Before there can be a handler: finding a symbol takes the loader's lock. */
__attribute__((constructor)) static void find_functions(void)
{
	real_action = (action_function *)next_symbol("sigaction");
	real_interrupt = (interrupt_function *)next_symbol("siginterrupt");
#define FIND(name) real.name = (handler_function *)next_symbol(#name);
	HANDLER_FUNCTIONS(FIND)
#undef FIND
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	/* Another library's constructor may come first. */
	if (!real_action)
		find_functions();
	return endings_set_action(signal, action, old, real_action);
}

/* libc's other functions call its own sigaction: where one has set the default action, or changed
 * ktime's, ktime's is to stand in its place again. */
static void renew(int signal)
{
	int saved_errno = errno;
	struct sigaction present;

	if (sigaction(signal, NULL, &present) == 0 && present.sa_handler == SIG_DFL)
		sigaction(signal, &present, NULL);
	errno = saved_errno;
}

static sighandler_t set_handler(handler_function *set, int signal, sighandler_t handler)
{
	sighandler_t old = set ? set(signal, handler) : SIG_ERR;

	if (!set)
		errno = ENOSYS;
	else if (handler == SIG_DFL && old != SIG_ERR)
		renew(signal);
	return endings_seen_handler(old);
}

#define SET_HANDLER(name)                                                                          \
	EXPORT sighandler_t name(int signal, sighandler_t handler);                                \
	sighandler_t name(int signal, sighandler_t handler)                                        \
	{                                                                                          \
		if (!real.name)                                                                    \
			find_functions();                                                          \
		return set_handler(real.name, signal, handler);                                    \
	}
HANDLER_FUNCTIONS(SET_HANDLER)

EXPORT int siginterrupt(int signal, int interrupt)
{
	int result;

	if (!real_interrupt)
		find_functions();
	result = real_interrupt ? real_interrupt(signal, interrupt) : -1;
	if (result == 0)
		renew(signal);
	return result;
}
