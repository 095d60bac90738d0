/* SPDX-License-Identifier: MIT */
/*
 * The life of ktime in a process: nothing until the driver is initialised, then a session, CUPTI
 * and the collector thread; at the end one report.
 */
#ifndef KTIME_PRELOAD_LIFECYCLE_LIFECYCLE_H
#define KTIME_PRELOAD_LIFECYCLE_LIFECYCLE_H

#include <signal.h>
#include <stdbool.h>

#include "preload/base/lifecycle_state.h"
#include "report/session/session.h"

/* At the end of a process whose calls were not seen: one line, unless ktime leaves it alone. */
void lifecycle_say_blind(void);
/* At the end of a process that did not use CUDA: nvprof's line, if the ktime command started it. */
void lifecycle_say_unused(void);
/* Makes the report, once; a later call returns at once. Waits for the collector, at most some
 * seconds, in other threads' calls too. */
void lifecycle_finish(void);
/* Before the program sandboxes itself: what is opened and removed at the end is so now, and what is
 * started is. Once; later calls and those of a process without CUDA return at once. */
void lifecycle_prepare_for_sandbox(void);
/* For a signal's handler: from here on wrapped calls park, until the reporter ends the process. */
void lifecycle_end_by_signal(void);

/* The ways a program ends, and fork: each leads to one report. */

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

/* What ktime leaves: the profile's file, and the report in its log file. */

/*
 * Creates the profile of the run: the file that -o asks for, else one that is removed at the end.
 * `prints`: the process writes a report.
 */
int output_create(const struct process_rank *own_rank, bool prints);
/* Removes what output_create made: ktime does not run. */
void output_abandon(void);
/* Writes the report's first lines. */
void output_start(void);
/* Starts the reporter, which writes to the same places; 0 or -errno. */
int output_start_reporter(void);
/* Begins to write --prometheus's file, if it was given; a note in the report says why it cannot be.
 */
void output_start_metrics(void);
/*
 * Writes the report, to stderr where its own file cannot be written, and removes the profile,
 * unless that is all that is left of it: `ktime show` prints it then.
 */
void output_finish(void);
/* Adds a line to the report: the program goes on with the GPU. For the thread that does. */
void output_say_late(void);
/* Keeps the report's file open, and has no profile left that could not be removed at the end. */
void output_prepare_for_sandbox(void);

#endif
