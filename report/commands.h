/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of the `ktime` command. Each is given its own arguments, argv[0] being its name,
 * and returns the process's exit status.
 */
#ifndef KTIME_REPORT_COMMANDS_H
#define KTIME_REPORT_COMMANDS_H

#include <stdio.h>

struct options;
struct session;

int command_show(int argc, char **argv);
int command_export(int argc, char **argv);
int command_diff(int argc, char **argv);

/* Prints a session in the shape of `nsys stats`; 0 or -errno. Runs inside libktime.so as well. */
int nsys_format_write(struct session *session, const struct options *options, FILE *file);

#endif
