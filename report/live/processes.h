/* SPDX-License-Identifier: MIT */
/* The profiles of running programs, which other commands read or steer. */
#ifndef KTIME_REPORT_LIVE_PROCESSES_H
#define KTIME_REPORT_LIVE_PROCESSES_H

#include "report/options/options.h"
#include "report/session/folder.h"

/*
 * The profiles that a command is for: of the processes whose numbers are given, else the file of
 * --profile, else of all programs that run now. A process's profile is found wherever it lies, in
 * a container too, by what the process has mapped. 0, or -errno with a one-line message: those that
 * were found are there even then. Free them with left_profiles_free().
 */
int processes_find(struct left_profile **profiles, size_t *count, const struct options *options,
		   const char *const *numbers, size_t number_count, char *message, size_t size);
/* The name of a program by its command line, without folders and arguments: up to `size` bytes. */
void processes_program(const char *command, char *name, size_t size);

#endif
