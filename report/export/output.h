/* SPDX-License-Identifier: MIT */
/*
 * Files that come into being whole or not at all: written beside their place under a name of
 * their own, and renamed into it.
 */
#ifndef KTIME_REPORT_EXPORT_OUTPUT_H
#define KTIME_REPORT_EXPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct output {
	const char *path;
	char *temporary; /* NULL: written in place ("-", a pipe, a device) */
	FILE *file;	 /* open for writing */
	bool overwrite;
};

/* Whether a file is compressed, which its name says: "run.json.gz". */
bool output_is_compressed(const char *path);
/*
 * Begins a file; "-" is standard output. What is written to one whose name ends in ".gz" is
 * compressed as gzip does it. Refuses an existing one unless told to overwrite it. 0 or
 * -errno with a one-line message.
 */
int output_open(struct output *output, const char *path, bool overwrite, char *message,
		size_t size);
/* Puts it in its place. What was written is flushed first; after an error nothing is left. */
int output_finish(struct output *output, char *message, size_t size);
/* Gives it up; nothing is left of it. Fine after output_finish. */
void output_abandon(struct output *output);

#endif
