/* SPDX-License-Identifier: MIT */
/* File names and display names with nvprof's codes. */
#ifndef KTIME_REPORT_OPTIONS_FILENAME_H
#define KTIME_REPORT_OPTIONS_FILENAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Expands %p (process), %h (host), %q{ENV} (an environment variable) and %% in a pattern; %i too,
 * if `id` is not negative. Returns a string that the caller frees, or NULL with a one-line
 * message: an unset variable or another character after % is an error, as in nvprof.
 */
char *filename_expand(const char *pattern, pid_t pid, int64_t id, char *message, size_t size);

#endif
