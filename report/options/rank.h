/* SPDX-License-Identifier: MIT */
/*
 * The rank of a process in its job: the launcher tells it by environment variables. Needs libc
 * alone; any thread, while nobody changes the environment.
 */
#ifndef KTIME_REPORT_OPTIONS_RANK_H
#define KTIME_REPORT_OPTIONS_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "report/session/process.h"

/*
 * The rank by the innermost launcher, or by the variable of --rank-variable, if that is not NULL.
 * Returns whether there is one; rank->rank is -1 if not.
 */
bool rank_find(struct process_rank *rank, const char *variable);
/* Whether --ranks, "0,7" or "0-3,12", has a rank; NULL is all of them, and so is no rank. */
bool rank_is_listed(const char *list, int rank);
/* Whether a text is such a list. */
bool rank_list_is_valid(const char *list);
/*
 * The pattern of the file that a rank's profile goes to, when the user gave one name for all of
 * them: NAME.RANK.ktime. Returns false, and leaves `own` alone, if the name is the process's own:
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
