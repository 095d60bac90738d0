/* SPDX-License-Identifier: MIT */
/* A program under libktime.so, as a child of the ktime command, and what it leaves. */
#ifndef KTIME_REPORT_COMMAND_LAUNCH_H
#define KTIME_REPORT_COMMAND_LAUNCH_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/options/options.h"

/*
 * Runs a program as a child, with libktime.so preloaded and the options' words in KTIME_OPTIONS,
 * and ends as it ends; where it was killed, the report is printed from the profile that it left.
 * Returns the exit status: the program's, or with a message on stderr 127 (no such program, as
 * shells do), 126 or EXIT_BAD_USAGE.
 */
int launch(const struct options *options, const char *const *program);

/*
 * The ktime command stands for the program: it passes on what is sent to it alone, stops when the
 * program stops, and ends as the program ends.
 */
struct child {
	pid_t pid;
	uint64_t started; /* in clock ticks since boot; with `pid` it names the process for good */
	sigset_t mask;	  /* as they were before, for the program */
	struct sigaction child_action;
};

/*
 * Forks. 0 in the child, whose signals are as they were; a positive number in the parent, whose own
 * are held back from here on; -errno.
 */
int child_fork(struct child *child);
/* Waits for the child's end, passing signals on; returns the status of waitpid(2). */
int child_wait(const struct child *child);
/*
 * Ends as the child did: dies by the same signal, without a core of its own, or returns the exit
 * status.
 */
int child_end_alike(int status);

/*
 * --profile-child-processes: the profiles of all processes that the program starts lie in a folder
 * until the program ends; then a summary over them follows their own reports. Makes the folder,
 * whose path the caller frees; NULL if there is none: then there is no summary.
 */
char *tree_create(const struct options *options);
/*
 * Writes the summary, unless fewer than two processes used CUDA, and removes the folder. NULL is
 * fine. Processes that still run go on, and what they do is in no summary.
 */
void tree_report(const struct options *options, const char *folder);

/*
 * Writes the reports that a program left unwritten which was killed, ended by a system call of its
 * own, or became a daemon, to where it would have, and removes their profiles, unless -o asked for
 * them, or they lie in the folder `tree` (NULL: there is none). `status` is that of waitpid(2).
 */
void remains_report(const struct options *options, const char *tree, const struct child *child,
		    int status);
/* One line for each process in which the program goes on, having left the session: where its report
 * will be. */
void remains_say_daemons(const struct options *options, const struct child *child);

#endif
