/* SPDX-License-Identifier: MIT */
/*
 * The file of --prometheus, which a thread of its own writes: the file system may keep it waiting,
 * and the collector may not wait. It reads the profile as another process would.
 */
#ifndef KTIME_PRELOAD_REPORTER_PROMETHEUS_FILE_H
#define KTIME_PRELOAD_REPORTER_PROMETHEUS_FILE_H

#include <stddef.h>

/* How many threads prometheus_file_start() is going to start: 1 or 0. */
int prometheus_file_threads(void);
/*
 * Starts the thread if --prometheus was given; `profile` is the file that it reads, and stays. 0,
 * or -errno with a one-line message.
 */
int prometheus_file_start(const char *profile, char *message, size_t size);
/* Removes the file, and ends the thread; waits for it, 100 ms at most. Any thread; takes no
 * lock. */
void prometheus_file_end(void);

#endif
