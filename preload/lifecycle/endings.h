/* SPDX-License-Identifier: MIT */
/* The ways a program ends, and fork: each leads to one report. */
#ifndef KTIME_PRELOAD_LIFECYCLE_ENDINGS_H
#define KTIME_PRELOAD_LIFECYCLE_ENDINGS_H

#include <signal.h>
#include <stdbool.h>

/* Fork, and a first handler for exit. Once, when ktime starts. */
void endings_register(void);
/*
 * Handlers in the place of the default actions that end a program, once the reporter is there.
 * `under_first`: the ktime command is the first process of a container, and started this one.
 */
void endings_handle_signals(bool under_first);
/* The handlers for exit and quick_exit that run before the driver's. Once, at the first work. */
void endings_register_at_exit(void);

/*
 * A program that asks for a signal's action, or sets it, sees and gets what it would without ktime:
 * where ktime's handler stands in the place of the default action, the answer is SIG_DFL, and
 * SIG_DFL leaves it in place. `action` and `old` may be NULL; `real` is libc's. For signal handlers
 * as far as `real` is.
 */
int endings_set_action(int signal, const struct sigaction *action, struct sigaction *old,
		       int (*real)(int, const struct sigaction *, struct sigaction *));
/* A handler that libc has answered with, as the program is to see it. */
sighandler_t endings_seen_handler(sighandler_t handler);

#endif
