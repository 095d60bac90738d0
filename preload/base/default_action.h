/* SPDX-License-Identifier: MIT */
/*
 * The signals whose default action ends the process and at which ktime writes its report first. Not
 * SIGPIPE, at which most programs in a pipeline end, nor SIGTRAP, SIGPROF and SIGVTALRM, which
 * debuggers and profilers use.
 */
#ifndef KTIME_PRELOAD_BASE_DEFAULT_ACTION_H
#define KTIME_PRELOAD_BASE_DEFAULT_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Whether a signal's default action would end this process. */
bool default_action_ends(int signal);
/* Whether a signal is raised by the thread's own instructions. Its handler must not return before
 * the report is written, as the thread would raise it again. */
bool default_action_is_fault(int signal);
/*
 * Has the default action taken, for a signal that came to the thread: SIG_DFL is set and the signal
 * sent again. If the kernel refuses to send it the process exits with the status that a shell gives
 * the signal. Returns if the action is not taken at once. May be called in a signal handler.
 */
void default_action_take(pid_t process, pid_t thread, int signal);
/* Sets SIG_DFL, with a system call, so that no interposed sigaction() sees it. May be called in a
 * signal handler. */
void default_action_restore(int signal);

#endif
