/* SPDX-License-Identifier: MIT */
/* Profiles that programs left behind: `ktime list`, `ktime clean`. */
#ifndef KTIME_REPORT_COMMAND_LIST_H
#define KTIME_REPORT_COMMAND_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/options/options.h"

/*
 * Writes a table of the profiles on this machine, all or only those whose program ended without a
 * report. Returns how many there are, or -errno.
 */
int list_write(bool left_only, FILE *file);

/* Return the process's exit status. */
int command_list(const struct options *options, const char *const *files, size_t files_count);
int command_clean(const struct options *options, const char *const *files, size_t files_count);

#endif
