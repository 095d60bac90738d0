/* SPDX-License-Identifier: MIT */
/*
 * Commands to a program that runs under ktime: a page of its profile, which another process of the
 * same user maps too. The collector polls the page, so a command takes up to a few milliseconds and
 * costs the program's threads nothing. It needs no signal, socket or special right. Each side
 * checks what it reads, as the other may have written anything.
 */
#ifndef KTIME_REPORT_CONTROL_CONTROL_H
#define KTIME_REPORT_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTROL_BYTES 4096

enum control_command {
	CONTROL_NONE,
	CONTROL_ON,	 /* open the profiling window, for `duration`, or for good if it is 0 */
	CONTROL_OFF,	 /* close the profiling window */
	CONTROL_COLLECT, /* take what has finished until now into the profile */
	/* Keep a trace of GPU operations, API calls or both until CONTROL_TRACE_END, or for
	 * `duration` and some seconds more; after that its records are dropped. */
	CONTROL_TRACE_GPU,
	CONTROL_TRACE_API,
	CONTROL_TRACE_BOTH,
	CONTROL_TRACE_END
};

struct control_page {
	/* Written by the process that commands: `ktime on`, `off`, `window`, `snapshot`. */
	uint32_t request; /* number of the last request; stored last, with release order */
	uint32_t command; /* enum control_command */
	uint64_t duration;
	uint64_t reserved0[6];
	/* Written by the program. */
	uint32_t answered; /* number of the last request that was carried out */
	int32_t result;	   /* what that request came to: 0 or -errno */
	uint32_t updating; /* odd while the collector may write to the profile */
	uint32_t open;	   /* 1 while the profiling window is open */
};

struct control;
/*
 * Opens the page of a profile. 0, or -errno with a one-line message. Only one process at a time has
 * the page open; another waits some seconds for it, and says so on stderr in a line that begins
 * with `speaker`, such as "ktime off".
 */
int control_open(struct control **control, const char *speaker, const char *path, char *message,
		 size_t size);
void control_close(struct control *control);
/* Has a command carried out, and waits for that. 0, or -errno with a one-line message. */
int control_ask(struct control *control, enum control_command command, uint64_t duration,
		char *message, size_t size);
/* Whether the program's profiling window is open. */
bool control_is_open(const struct control *control);
/* A number that is the same before and after reading the profile, and even, if nothing was written
 * to it meanwhile. */
uint32_t control_updates(const struct control *control);

#endif
