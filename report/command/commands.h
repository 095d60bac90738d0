/* SPDX-License-Identifier: MIT */
/* What `ktime` can be asked to do: run a program, or one of the other commands. */
#ifndef KTIME_REPORT_COMMAND_COMMANDS_H
#define KTIME_REPORT_COMMAND_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/options/options.h"

#define COMMAND(name, ...) command_function command_##name;
#include "report/options/commands.def"
#undef COMMAND

struct command {
	const char *name;
	bool runs_program; /* so what follows its name is the program's */
	size_t least, most;
	command_function *run;
	const char *usage, *examples;
};

extern const struct command commands[]; /* the first is the one that runs a program */

/*
 * The command's options: those that most users need, or those of a topic ("all", "nvprof").
 * -EINVAL for another topic.
 */
int help_write(const struct command *command, const char *topic, FILE *file);
/* A line for each option, which the shells' completions read (completion.bash, completion.zsh). */
void completion_write(FILE *file);

/*
 * Writes the report of a session, and of the job that it is, to a log file, or adds it. 0, or
 * -errno with a one-line message, which says what it is of by `path`.
 */
int show_session(struct session *session, const char *path, const struct options *options,
		 const char *log_file, bool append, char *message, size_t size);
/* Prints the reports of files to a log file, NULL: stderr; returns an exit status. */
int show_files(const struct options *options, const char *const *paths, size_t count,
	       const char *log_file);
/*
 * Writes a table of the profiles on this machine, all or only those whose program ended without a
 * report. Returns how many there are, or -errno.
 */
int list_write(bool left_only, FILE *file);

#endif
