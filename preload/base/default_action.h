/* SPDX-License-Identifier: MIT */
/*
 * The signals whose default action ends a program, as far as ktime makes its report before. Not
 * SIGPIPE, whose handler would be on every program's way of ending a pipe, nor SIGTRAP, SIGPROF and
 * SIGVTALRM, which debuggers and profilers use.
 */
#ifndef KTIME_PRELOAD_BASE_DEFAULT_ACTION_H
#define KTIME_PRELOAD_BASE_DEFAULT_ACTION_H

#include <signal.h>
#include <stdbool.h>

/* All of them, 0 at the end. */
extern const int default_action_signals[];

bool default_action_ends(int signal);
/* Whether it is raised by what the thread does, so that its handler must not return before the
 * report is there: the thread would meet it again. */
bool default_action_is_fault(int signal);
/* Sets SIG_DFL, past every interposed sigaction. For signal handlers. */
void default_action_restore(int signal);
/* Unblocks those of them in the calling thread that no handler of the program's waits for. */
void default_action_unblock(void);

/* The handler that ktime has in the place of the default action; set once. */
typedef void default_action_handler(int, siginfo_t *, void *);
extern default_action_handler *default_action_own;

#endif
