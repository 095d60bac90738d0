/* SPDX-License-Identifier: MIT */
/*
 * The lock of a file (flock), for processes of ktime's that must not do the same at once. Whoever
 * may read the file can hold it, for as long as he likes: so nobody waits for it without end.
 */
#ifndef KTIME_REPORT_SESSION_FILE_LOCK_H
#define KTIME_REPORT_SESSION_FILE_LOCK_H

#include <sys/types.h>

/* Takes the lock within the time; closing the descriptor gives it back. 0, -EWOULDBLOCK where
 * another has it, or another -errno. */
int file_lock(int fd, unsigned milliseconds);
/* The process that has it; 0: the system does not tell. */
pid_t file_lock_holder(int fd);

#endif
