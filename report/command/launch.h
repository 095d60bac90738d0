/* SPDX-License-Identifier: MIT */
/* Starting a program under libktime.so. */
#ifndef KTIME_REPORT_COMMAND_LAUNCH_H
#define KTIME_REPORT_COMMAND_LAUNCH_H

#include "report/options/options.h"

#define LAUNCH_NO_LIBRARY                                                                          \
	"ktime: libktime.so was not found beside this command or in ../lib; install both\n"

/* The library beside this command, or where it is installed to; the caller frees it. NULL: none. */
char *launch_library(void);
/*
 * Runs the program `argv` as a child, with libktime.so preloaded and the words of `option_words` in
 * KTIME_OPTIONS, and ends as it ends; where it was killed, the report is printed from the profile
 * that it left. Returns the exit status: the program's, or with a message on stderr 127 (no such
 * program, as shells do), 126 or 2.
 */
int launch(const struct options *options, char *const *option_words, int option_count,
	   char *const *argv);

#endif
