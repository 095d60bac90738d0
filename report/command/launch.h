/* SPDX-License-Identifier: MIT */
/* Starting a program under libktime.so. */
#ifndef KTIME_REPORT_COMMAND_LAUNCH_H
#define KTIME_REPORT_COMMAND_LAUNCH_H

#include "report/options/options.h"

/*
 * Becomes the program `argv`, with libktime.so preloaded and the words of `option_words` in
 * KTIME_OPTIONS: its process, signals and exit status are its own. Returns only where that cannot
 * be done, with a message on stderr and an exit status (127: no such program, as shells do).
 */
int launch(const struct options *options, char *const *option_words, int option_count,
	   char *const *argv);

#endif
