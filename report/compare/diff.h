/* SPDX-License-Identifier: MIT */
/* `ktime diff`. */
#ifndef KTIME_REPORT_COMPARE_DIFF_H
#define KTIME_REPORT_COMPARE_DIFF_H

#include <stddef.h>

#include "report/options/options.h"

/* Compares two sides of files and prints the result; returns the process's exit status. */
int command_diff(const struct options *options, const char *const *files, size_t count);

#endif
