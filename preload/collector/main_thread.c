/* SPDX-License-Identifier: MIT */
#include "preload/collector/main_thread.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* proc(5): the fields after the command, which stands in parentheses and may hold any character. */
#define STATE_FIELD   0
#define THREADS_FIELD 17
#define CHECK_NS      1000000000u

/* The start of a field of /proc/self/PATH in `text`; "" if it cannot be had. */
static const char *read_field(const char *path, unsigned field, char *text, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
	const char *at;

	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
	at = strrchr(text, ')');
	at = at ? at + 2 : "";
	while (field-- && at) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? at : "";
}

static unsigned own;

unsigned main_thread_count(void)
{
	char text[1024];

	return (unsigned)strtoul(read_field("/proc/self/stat", THREADS_FIELD, text, sizeof(text)),
				 NULL, 10);
}

void main_thread_set_own(unsigned threads)
{
	own = threads;
}

bool main_thread_was_last(uint64_t now, void (*ended)(void))
{
	static uint64_t checked;
	static bool told;
	char path[64], text[1024];

	if (now - checked < CHECK_NS)
		return false;
	checked = now;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	if (*read_field(path, STATE_FIELD, text, sizeof(text)) != 'Z')
		return false;
	/* A main thread that has ended is counted for as long as the process lives. */
	if (main_thread_count() <= own + 1)
		return true;
	if (!told)
		ended();
	told = true;
	return false;
}
