/* SPDX-License-Identifier: MIT */
/* What the commands write for others: a file that comes into being whole or not at all, compressed
 * if its name says so, or a stream that is there already. */
#ifndef KTIME_REPORT_EXPORT_OUTPUT_H
#define KTIME_REPORT_EXPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/session/files.h"

struct output {
	const char *path;
	struct new_file place; /* no temporary: written in place ("-", a pipe, a device) */
	FILE *file;	       /* open for writing */
};

/* Whether a file is compressed, which its name says: "run.json.gz". */
bool output_is_compressed(const char *path);
/*
 * Begins a file that only this user may read; "-" is standard output. If the name ends in ".gz",
 * what the caller writes is compressed in gzip's format. An existing file is refused unless
 * `overwrite` is set, and an existing profile also then, unless `profile` says that a profile is
 * going to be written. 0, or -errno with a one-line message.
 */
int output_open(struct output *output, const char *path, bool overwrite, bool profile,
		char *message, size_t size);
/* Whether output_open() would refuse the file that is there now: 0, or its -errno and message. */
int output_check(const char *path, bool overwrite, bool profile, char *message, size_t size);
/* Flushes what was written and moves the file to the name that output_open() was given. After an
 * error no part of it is left. */
int output_finish(struct output *output, char *message, size_t size);
/* Removes what was written so far. Does nothing after output_finish(). */
void output_abandon(struct output *output);

#endif
