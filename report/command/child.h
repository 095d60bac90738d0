/* SPDX-License-Identifier: MIT */
/*
 * The program as a child of the ktime command, which stands for it: it passes on what is sent to it
 * alone, stops when the program stops, and ends as the program ends.
 */
#ifndef KTIME_REPORT_COMMAND_CHILD_H
#define KTIME_REPORT_COMMAND_CHILD_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

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

#endif
