/* SPDX-License-Identifier: MIT */
/* Files that ktime makes, and those that the user names. */
#ifndef KTIME_REPORT_SESSION_FILES_H
#define KTIME_REPORT_SESSION_FILES_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* The first line of a small file, without its end; "" where it cannot be read. */
void file_line(const char *path, char *line, size_t size);

/*
 * Every file that ktime makes, but the text of a report: it comes into being whole or not at all,
 * as it is written beside its place under a name of its own and renamed into it. Until then what
 * was there stays as it is.
 *
 * No link is followed to it, and a profile is replaced by nothing but a profile, and never while a
 * process writes to it.
 */

/* How much longer the name is that it has until then. */
#define NEW_FILE_SUFFIX 7

struct new_file {
	char *path, *temporary; /* temporary: where it is written; NULL once it is in place */
	unsigned flags;
};

enum {
	NEW_FILE_REPLACES = 1, /* an existing file gives way */
	NEW_FILE_PROFILE = 2   /* it will be a profile */
};

/*
 * Whether what is at the path may give way: 0, -EEXIST, -EISDIR, -EINVAL: not a regular file,
 * -EMEDIUMTYPE: a profile, -EBUSY: and a process writes to it.
 */
int new_file_check(const char *path, unsigned flags);
/* Whether files can be made in the path's folder: 0 or -errno. */
int new_file_check_folder(const char *path);
/*
 * Creates a temporary file in the folder of `path`, with the rights `mode` whatever the umask is,
 * and opens it for reading and writing. Returns its descriptor; or -errno, also where
 * new_file_check() refuses `path`.
 */
int new_file_open(struct new_file *file, const char *path, unsigned flags, mode_t mode);
/* Gives the temporary file its name, `path`. A file of that name is replaced if new_file_open() was
 * told NEW_FILE_REPLACES, else it is an error. 0, or -errno, after which the temporary file is
 * gone. */
int new_file_place(struct new_file *file);
/* Removes the temporary file. Does nothing after new_file_place(). */
void new_file_abandon(struct new_file *file);
/* What an -errno of these says to the user. */
const char *new_file_error(int error);

/* Whether a file begins as a profile does, of whatever version. */
bool is_profile_file(const char *path);
/* Whether two paths lead to one regular file. */
bool is_same_file(const char *path, const char *other);

/* A text that tells a regular file from what takes its place later, on every node that sees it.
 * False where there is none. */
#define FILE_IDENTITY_SIZE 64
bool file_identity(const char *path, char text[FILE_IDENTITY_SIZE]);

/*
 * Files that the user names as an input, other than profiles: opening one, and reading it, comes to
 * an end whatever it is. A pipe that nobody writes to, or that brings nothing, is given up.
 */

/*
 * Opens a file, or all that a pipe brings, for reading; it can be sought in. A pipe may bring
 * nothing for `wait_ms` at most; `say` is told once that it is waited for, unless it is NULL. 0, or
 * -errno with a one-line message.
 */
int input_open(FILE **file, const char *path, unsigned wait_ms, void (*say)(const char *path),
	       char *message, size_t size);

#endif
