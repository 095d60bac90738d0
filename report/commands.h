/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of the `ktime` command. Each is given its own arguments, argv[0] being its name,
 * and returns the process's exit status.
 */
#ifndef KTIME_REPORT_COMMANDS_H
#define KTIME_REPORT_COMMANDS_H

int command_show(int argc, char **argv);
int command_export(int argc, char **argv);
int command_diff(int argc, char **argv);

#endif
