/* SPDX-License-Identifier: MIT */
/* The report on a program that was killed, or ended by a system call of its own. */
#ifndef KTIME_REPORT_COMMAND_REMAINS_H
#define KTIME_REPORT_COMMAND_REMAINS_H

#include "report/command/child.h"
#include "report/options/options.h"

/*
 * Writes the reports that the program left unwritten, to where it would have, and removes their
 * profiles, unless -o asked for them. `status` is that of waitpid(2).
 */
void remains_report(const struct options *options, const struct child *child, int status);

#endif
