/* SPDX-License-Identifier: MIT */
/* What `ktime` can be asked to do: run a program, or one of the other commands. */
#ifndef KTIME_REPORT_COMMAND_COMMANDS_H
#define KTIME_REPORT_COMMAND_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/options/options.h"

struct command {
	const char *name; /* NULL: the command that runs a program */
	enum option_commands option_mask;
	size_t operands_least, operands_most; /* files, or a program and its arguments */
	bool runs_program;		      /* so what follows its name is the program's */
	/* Returns the process's exit status. */
	int (*run)(const struct options *options, const char *const *files, size_t count);
	const char *usage, *examples;
};

extern const struct command commands[]; /* the first is the one that runs a program */
extern const size_t command_count;

/* The command of a name; NULL if there is none. */
const struct command *command_find(const char *name);

/*
 * The command's options: those that most users need, or those of a topic ("all", "nvprof").
 * -EINVAL for another topic.
 */
int help_write(const struct command *command, const char *topic, FILE *file);
/* A line for each option, which the shells' completions read (completion.bash, completion.zsh). */
void completion_write(FILE *file);

#endif
