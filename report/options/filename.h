/* SPDX-License-Identifier: MIT */
/*
 * File names and display names with nvprof's codes, and the rank of a process in its job, which may
 * be part of them. Needs libc alone; any thread, while nobody changes the environment.
 */
#ifndef KTIME_REPORT_OPTIONS_FILENAME_H
#define KTIME_REPORT_OPTIONS_FILENAME_H

#include <stdbool.h>
#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/session/session.h"

/* Whose name it is. */
struct name_codes {
	pid_t pid;
	int rank;   /* -1: the process has none */
	int64_t id; /* of a context or a stream; -1: %i means nothing */
};

/*
 * Expands %p (process), %r (rank), %h (host), %q{ENV} (an environment variable) and %% in a
 * pattern; %i too, if there is an id. Returns a string that the caller frees, or NULL with a
 * one-line message: an unset variable or another character after % is an error, as in nvprof.
 */
char *filename_expand(const char *pattern, const struct name_codes *codes, char *message,
		      size_t size);

/* The same for the name of a file. A relative name is taken from the directory in which the process
 * was started, even if the program has changed its directory since. */
char *filename_expand_path(const char *pattern, const struct name_codes *codes, char *message,
			   size_t size);

/* A pattern that expands to this path; the caller frees it. NULL: no memory. */
char *filename_quote(const char *path);

/* Whether a pattern has a code that tells the processes of a job, or of a program, apart. */
bool filename_tells_apart(const char *pattern);

/*
 * This process's rank in its job. Launchers (mpirun, srun, torchrun) tell it by environment
 * variables; of several launchers that started each other the innermost counts. `variable`, if it
 * is not NULL, is read in their place (--rank-variable). Members that are not known are -1.
 */
struct process_rank rank_find(const char *variable);
/* The command of a launcher of that name up to the program, "mpirun -n 4 ", to a file, or nowhere
 * (NULL). False: nothing, as the name, or whether the job ran on one node, does not tell which
 * command it was. */
bool launcher_write(const char *name, unsigned processes, bool one_node, FILE *file);
/* Whether --ranks, "0,7" or "0-3,12", has a rank; NULL is all of them, and so is no rank. */
bool rank_is_listed(const char *list, int rank);
/* Whether a text is such a list. */
bool rank_list_is_valid(const char *list);
/*
 * The pattern of the file that a rank's profile goes to, when the user gave one name for all of
 * them: NAME.RANK.ktime. Returns false if the name is the process's own, and then the pattern too:
 * it has no rank, is the only one, or the name has a code that tells processes apart.
 */
bool rank_file_pattern(char *own, size_t size, const char *pattern,
		       const struct process_rank *rank);
/*
 * The pattern where that file is taken: NAME.RANK.PID.ktime, or NAME.PID without a rank; from 2 on
 * with `ordinal` behind PID, for the programs that a process has become by exec. Returns false if
 * it does not fit.
 */
bool rank_file_pattern_of_process(char *own, size_t size, const char *pattern,
				  const struct process_rank *rank, unsigned ordinal);

#endif
