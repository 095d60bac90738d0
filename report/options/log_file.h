/* SPDX-License-Identifier: MIT */
/*
 * Where a report goes. Inside a program it is written twice, at the start and at the end, and no
 * descriptor is kept in between: programs close those that they do not know, and what they open
 * next takes the number over.
 */
#ifndef KTIME_REPORT_OPTIONS_LOG_FILE_H
#define KTIME_REPORT_OPTIONS_LOG_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "report/options/filename.h"

struct log_file {
	char *path;	/* absolute; NULL for a standard stream */
	int descriptor; /* of the standard stream: 1 or 2 */
	int kept;	/* opened ahead: the descriptor of this file, unless its inode is 0 */
	struct opened_file {
		dev_t device;
		ino_t inode;
	} kept_file;
};

/*
 * Resolves the value of --log-file; NULL and "%2" mean stderr, "%1" stdout. 0, or -errno
 * with a one-line message; the log file is then stderr. Free it with log_file_free.
 */
int log_file_resolve(struct log_file *log, const char *pattern, const struct name_codes *codes,
		     char *message, size_t size);
/*
 * Whether the file begins with a report of this process number: as a rule, that of the program that
 * executed the present one, whose report is to stay.
 */
bool log_file_is_continued(const struct log_file *log, pid_t pid);
/*
 * Opens it, empty or to append to. 0, or -errno with a one-line message; *file is then NULL.
 * -ENXIO: a pipe that nobody reads yet. -EBADF: a standard stream that was closed, and whose number
 * may be of a file of the program's by now. The caller closes it with log_file_close.
 */
int log_file_open(const struct log_file *log, bool append, FILE **file, char *message, size_t size);
/*
 * 0, or -errno if something was not written: the disk is full, nobody reads the pipe any more
 * (without SIGPIPE), a reader took nothing for two seconds (-EAGAIN).
 */
int log_file_close(FILE *file);
void log_file_free(struct log_file *log);
/*
 * Opens the log file ahead, to append to, for a program that will not be allowed to, and has output
 * written with no other system call: by then only threads write that block all signals.
 */
void log_file_keep_open(struct log_file *log);
/* That descriptor; -1: there is none, or its number is another file's by now. */
int log_file_kept(const struct log_file *log);
/* The descriptor that a stream writes to, one of log_file_open or any other; -1: none. */
int log_file_descriptor(FILE *file);
/*
 * Whether descriptor 1 or 2 is the stream that the program was started with, or both are what it
 * put in their place. Safe in a signal's handler.
 */
bool log_file_is_stream(int descriptor);
/* Whether a descriptor takes some output now, or does so within the time. Safe in a signal's
 * handler. */
bool log_file_has_room(int descriptor, uint64_t nanoseconds);
/* One line on stderr that begins with "==PID== ktime: "; none where the program closed stderr. */
void log_file_say(pid_t pid, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
