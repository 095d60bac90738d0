/* SPDX-License-Identifier: MIT */
/*
 * Whether the process that wrote a profile still runs. Its number does not tell: another process
 * may have it by now, and containers that share a folder number their processes on their own.
 */
#ifndef KTIME_REPORT_SESSION_OWNER_H
#define KTIME_REPORT_SESSION_OWNER_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "report/session/session.h"

enum owner_state {
	OWNER_RUNS,
	OWNER_ENDED,
	OWNER_UNKNOWN /* of another container, or this system does not tell */
};

void owner_of_this_process(struct session_owner *owner);
enum owner_state owner_state(const struct session_header *header);
/* Opens what /proc has of a process under a name, as "maps"; NULL: it has nothing, or keeps it. */
FILE *process_open(pid_t pid, const char *name);
/* When a process began, in clock ticks since boot; 0 where there is none or it is not known. */
uint64_t process_started(pid_t pid);
/* Whether a process runs as a user, or has got its rights from him and can take them again. */
bool process_is_of(pid_t pid, uid_t user);
/* How many addresses this process may reserve where `most` are wanted: under RLIMIT_AS a 128th of
 * it, as the program needs them. */
uint64_t process_addresses(uint64_t most);

/*
 * The lock of a file (flock), for processes of ktime's that must not do the same at once. Whoever
 * may read the file can hold it, for as long as he likes: so nobody waits for it without end.
 */

/* Takes the lock within the time; closing the descriptor gives it back. 0, -EWOULDBLOCK where
 * another has it, or another -errno. */
int file_lock(int fd, unsigned milliseconds);
/* The process that has it; 0: the system does not tell. */
pid_t file_lock_holder(int fd);

#endif
