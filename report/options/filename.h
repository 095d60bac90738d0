/* SPDX-License-Identifier: MIT */
/* File names and display names with nvprof's codes. */
#ifndef KTIME_REPORT_OPTIONS_FILENAME_H
#define KTIME_REPORT_OPTIONS_FILENAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Whose name it is. */
struct name_codes {
	pid_t pid;
	int rank;   /* -1: the process has none */
	int64_t id; /* of a context or a stream; -1: %i means nothing */
};

/*
 * Expands %p (process), %r (rank), %h (host), %q{ENV} (an environment variable) and %% in a
 * pattern; %i too, if there is an id. Returns a string that the caller frees, or NULL with a
 * one-line message: an unset variable or another character after % is an error, as in nvprof.
 */
char *filename_expand(const char *pattern, const struct name_codes *codes, char *message,
		      size_t size);

/* The same for the name of a file: one that is relative is so to the directory that the process was
 * started in. */
char *filename_expand_path(const char *pattern, const struct name_codes *codes, char *message,
			   size_t size);

#endif
