/* SPDX-License-Identifier: MIT */
/* What a program left that was killed, ended by a system call of its own, or became a daemon. */
#ifndef KTIME_REPORT_COMMAND_REMAINS_H
#define KTIME_REPORT_COMMAND_REMAINS_H

#include "report/command/child.h"
#include "report/options/options.h"

/*
 * Writes the reports that the program left unwritten, to where it would have, and removes their
 * profiles, unless -o asked for them, or they lie in the folder `tree` (see tree.h; NULL: there is
 * none). `status` is that of waitpid(2).
 */
void remains_report(const struct options *options, const char *tree, const struct child *child,
		    int status);

/* One line for each process in which the program goes on, having left the session: where its report
 * will be. */
void remains_say_daemons(const struct options *options, const struct child *child);

#endif
