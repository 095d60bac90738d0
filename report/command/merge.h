/* SPDX-License-Identifier: MIT */
/* `ktime merge`. */
#ifndef KTIME_REPORT_COMMAND_MERGE_H
#define KTIME_REPORT_COMMAND_MERGE_H

#include <stddef.h>

#include "report/options/options.h"

/* Merges profiles into the file of -o; returns an exit status. */
int command_merge(const struct options *options, const char *const *files, size_t count);

#endif
