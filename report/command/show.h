/* SPDX-License-Identifier: MIT */
/* Printing reports of files. */
#ifndef KTIME_REPORT_COMMAND_SHOW_H
#define KTIME_REPORT_COMMAND_SHOW_H

#include <stddef.h>
#include <unistd.h>

#include "report/options/options.h"

/* Prints the reports of files to a log file (NULL: stderr); returns an exit status. */
int show_files(const struct options *options, const char *const *paths, size_t count,
	       const char *log_file);

#endif
