/* SPDX-License-Identifier: MIT */
/* The processes in which a program goes on after its own has ended. */
#ifndef KTIME_REPORT_COMMAND_DAEMON_H
#define KTIME_REPORT_COMMAND_DAEMON_H

#include <stddef.h>
#include <sys/types.h>

/* How many are looked for. */
#define DAEMONS_MOST 8

/*
 * Finds processes that the program `program`, which the ktime command ran and which has ended, left
 * behind in sessions of their own, as daemon(3) does: by what the command put into its environment.
 * One that has a session of its own only to fork the daemon in it and to end is waited for. Returns
 * how many, DAEMONS_MOST at most; where there are none it takes as long as reading /proc, where
 * they have come to rest 0.1 to 0.5 s, and 2 s at most.
 */
size_t daemons_find(pid_t program, pid_t daemons[DAEMONS_MOST]);

#endif
