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
 * Begins a file that only this user may read; "-" is standard output. What is written to one whose
 * name ends in ".gz" is compressed as gzip does it. Refuses an existing one unless told to
 * overwrite it, and one that is a profile unless this is to be one. 0 or -errno with a one-line
 * message.
 */
int output_open(struct output *output, const char *path, bool overwrite, bool profile,
		char *message, size_t size);
/* Whether output_open() would refuse what is there now; as it does. */
int output_check(const char *path, bool overwrite, bool profile, char *message, size_t size);
/* Puts it in its place. What was written is flushed first; after an error nothing is left. */
int output_finish(struct output *output, char *message, size_t size);
/* Gives it up; nothing is left of it. Fine after output_finish. */
void output_abandon(struct output *output);

#endif
