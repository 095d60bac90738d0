/* SPDX-License-Identifier: MIT */
/* What a program asks and sets of its signals' actions: see endings_set_action. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "preload/base/export.h"
#include "preload/driver/real_symbol.h"
#include "preload/lifecycle/endings.h"

typedef int action_function(int, const struct sigaction *, struct sigaction *);

static action_function *real_action;

/* Before there can be a handler: finding a symbol takes the loader's lock. */
__attribute__((constructor)) static void find_action(void)
{
	real_action = (action_function *)next_symbol("sigaction");
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	/* Another library's constructor may come first. */
	if (!real_action)
		find_action();
	return endings_set_action(signal, action, old, real_action);
}

/* glibc's own would not come through here: it has these by sigaction with other flags. */
static sighandler_t set_handler(int signal, sighandler_t handler, int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&action.sa_mask);
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, signal);
	return sigaction(signal, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}

#define SIGNAL_FUNCTION(name, flags)                                                               \
	EXPORT sighandler_t name(int signal, sighandler_t handler);                                \
	sighandler_t name(int signal, sighandler_t handler)                                        \
	{                                                                                          \
		return set_handler(signal, handler, flags);                                        \
	}
SIGNAL_FUNCTION(signal, SA_RESTART)
SIGNAL_FUNCTION(bsd_signal, SA_RESTART)
SIGNAL_FUNCTION(ssignal, SA_RESTART)
SIGNAL_FUNCTION(sysv_signal, SA_RESETHAND | SA_NODEFER)
SIGNAL_FUNCTION(__sysv_signal, SA_RESETHAND | SA_NODEFER)
