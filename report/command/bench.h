/* SPDX-License-Identifier: MIT */
/* `ktime bench`. */
#ifndef KTIME_REPORT_COMMAND_BENCH_H
#define KTIME_REPORT_COMMAND_BENCH_H

#include <stddef.h>

#include "report/options/options.h"

/*
 * Runs a program several times, keeps a profile of each run in a folder, and prints the mean times
 * on stderr. Returns the exit status: that of the first run that failed, or 0.
 */
int command_bench(const struct options *options, const char *const *argv, size_t count);

#endif
