/* SPDX-License-Identifier: MIT */
/* File names and display names with nvprof's codes. */
#ifndef KTIME_REPORT_FILENAME_H
#define KTIME_REPORT_FILENAME_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Expands %p (process), %h (host), %q{ENV} (an environment variable) and %% in a pattern; %i too,
 * where `id` is not negative. Returns a string that the caller frees, or NULL with a one-line
 * message: an unset variable or another character after % is an error, as in nvprof.
 */
char *filename_expand(const char *pattern, pid_t pid, int64_t id, char *message, size_t size);

/*
 * Opens the file that a report goes to: `pattern` is --log-file's value, NULL or "%2" is stderr,
 * "%1" stdout. 0, or -errno with a one-line message; *file is then NULL. An existing file is
 * overwritten. The caller closes it with filename_close.
 */
int filename_open_log(const char *pattern, pid_t pid, FILE **file, char *message, size_t size);
/* Flushes, and closes what filename_open_log opened. 0, or -errno where writing failed. */
int filename_close_log(FILE *file);

#endif
