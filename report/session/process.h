/* SPDX-License-Identifier: MIT */
/* Who wrote a profile: a process, and its place in a job of several. Part of session.h. */
#ifndef KTIME_REPORT_SESSION_PROCESS_H
#define KTIME_REPORT_SESSION_PROCESS_H

#include <stdint.h>

/* The process that writes a profile: its number alone may be another process's by now. */
struct session_owner {
	char boot[40];	  /* boot id of the kernel, as text; "" where it is not known */
	uint64_t started; /* clock ticks since boot: proc_pid_stat(5), field 22; 0: not known */
	uint64_t pid_namespace; /* inode: containers share folders and not process numbers */
};

/* The process's place in its job, as the launcher tells it; -1: not known. */
struct process_rank {
	int32_t rank;
	int32_t local_rank; /* among those of the node */
	int32_t world_size; /* how many ranks the job has */
	uint32_t reserved0;
	char launcher[24]; /* "" if the process has no rank */
	char job[72];	   /* what tells the job from others; "" where the launcher does not */
};

#endif
