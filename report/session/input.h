/* SPDX-License-Identifier: MIT */
/*
 * Files that the user names as an input, other than profiles: opening one, and reading it, comes to
 * an end whatever it is. A pipe that nobody writes to, or that brings nothing, is given up.
 */
#ifndef KTIME_REPORT_SESSION_INPUT_H
#define KTIME_REPORT_SESSION_INPUT_H

#include <stdio.h>

/*
 * Opens a file, or all that a pipe brings, for reading; it can be sought in. A pipe may bring
 * nothing for `wait_ms` at most; `say` is told once that it is waited for, unless it is NULL. 0, or
 * -errno with a one-line message.
 */
int input_open(FILE **file, const char *path, unsigned wait_ms, void (*say)(const char *path),
	       char *message, size_t size);

#endif
