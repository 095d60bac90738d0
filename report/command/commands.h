/* SPDX-License-Identifier: MIT */
/* What `ktime` can be asked to do: run a program, or one of the other commands. */
#ifndef KTIME_REPORT_COMMAND_COMMANDS_H
#define KTIME_REPORT_COMMAND_COMMANDS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "report/options/options.h"

/* OPERANDS_PROGRAM: a program, and what follows its name is the program's. */
enum operands {
	OPERANDS_NONE,
	OPERANDS_PROGRAM,
	OPERANDS_FILE,
	OPERANDS_PROCESS, /* by its number */
	OPERANDS_TOPIC	  /* of the help */
};

struct command {
	const char *name;
	enum operands operands;
	size_t least, most;
	int (*run)(const struct options *options, const char *const *operands, size_t count);
	const char *usage, *examples;
};

extern const struct command commands[]; /* the first is the one that runs a program */

/* The command of a name; the first one if there is none. */
const struct command *command_find(const char *name);
/* What does the work of a command of another profiler; NULL: no such command is known. */
const char *command_instead(const char *name);

/*
 * The command's options: those that most users need, or those of a topic ("all", "nvprof"); "exit":
 * what the exit status says. -EINVAL for another topic.
 */
int help_write(const struct command *command, const char *topic, FILE *file);
/* A line for each option, and for what else a command takes, which the shells' completions read
 * (completion.bash, completion.zsh, completion.fish). */
void completion_write(FILE *file);

/*
 * Writes the report of a session, and of the job that it is, to the log file, or adds it. 0, or
 * -errno with a one-line message, which says what it is of by `path`.
 */
int show_session(struct session *session, const char *path, const struct options *options,
		 bool append, char *message, size_t size);
/* What a profile says, on one screen; `path`: as it is named in the next command. 0 or -errno. */
int overview_write(const struct session *session, const char *path, const struct options *options,
		   FILE *file);
/* Whether a program is not to be run with these options, with a line on stderr (refusals.c). */
bool is_refused(const struct options *options);
/* Prints the report of files to the log file, by default stderr; returns an exit status. */
int show_files(const struct options *options, const char *const *paths, size_t count);
/*
 * Writes a table of the profiles on this machine, all or only those whose program ended without a
 * report. Returns how many there are, or -errno.
 */
int list_write(bool left_only, FILE *file);

/* A program under libktime.so, as a child of the ktime command, and what it leaves. */

/*
 * Runs a program as a child, with libktime.so preloaded and the options' words in KTIME_OPTIONS,
 * and ends as it ends; where it was killed, the report is printed from the profile that it left.
 * Returns the exit status: the program's, or with a message on stderr 127 (no such program, as
 * shells do), 126 or EXIT_BAD_USAGE.
 */
int launch(const struct options *options, const char *const *program);

/*
 * The path of libktime.so as LD_PRELOAD takes it: the file beside this command or in its ../lib;
 * where that path has a space, a colon or a dollar sign, which LD_PRELOAD cannot have, a link to it
 * in the folder of profiles. The caller frees it. 0, or -errno with a message on stderr.
 */
int preloaded_find(char **path);

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
