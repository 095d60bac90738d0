/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of the `ktime` command. Each is given its own arguments, argv[0] being what its
 * messages begin with, and returns the process's exit status.
 */
#ifndef KTIME_REPORT_COMMAND_COMMANDS_H
#define KTIME_REPORT_COMMAND_COMMANDS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const struct option *options; /* ends in zeros */
	bool takes_files;	      /* the values of these options are files */
	bool prints_report;	      /* takes the options on what is printed as well */
};

extern const struct command commands[];
extern const size_t command_count;

int command_show(int argc, char **argv);

#endif
