/* SPDX-License-Identifier: MIT */
/* Printing reports of files. */
#ifndef KTIME_REPORT_COMMAND_SHOW_H
#define KTIME_REPORT_COMMAND_SHOW_H

#include <stddef.h>
#include <unistd.h>

#include "report/options/options.h"

/* Prints the reports of files to a log file, or to stdout; returns an exit status. */
int command_show(const struct options *options, const char *const *files, size_t count);
/* The same to stderr if log_file is NULL. */
int show_files(const struct options *options, const char *const *paths, size_t count,
	       const char *log_file);

#endif
