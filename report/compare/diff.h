/* SPDX-License-Identifier: MIT */
/* `ktime diff`. */
#ifndef KTIME_REPORT_COMPARE_DIFF_H
#define KTIME_REPORT_COMPARE_DIFF_H

#include <getopt.h>

extern const struct option diff_options[];
/* Returns the process's exit status. */
int command_diff(int argc, char **argv);

#endif
