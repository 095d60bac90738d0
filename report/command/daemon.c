/* SPDX-License-Identifier: MIT */
#include "report/command/daemon.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "KTIME_OPTIONS="
/* How long a program may take from its first process's end until it has left the session. */
#define LEAVE_US 100000
/* A process that forks and ends while /proc is read hides its child from this pass, not from the
 * next. */
#define PASSES	 3

/* Whether the text has the option that launch.c adds for this program. */
static bool has_option(const char *text, const char *option)
{
	const char *at = strstr(text, option);

	return at && !isdigit((unsigned char)at[strlen(option)]);
}

static bool is_left_by(pid_t process, const char *option)
{
	char path[64], *text = NULL;
	size_t size = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)process);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && getdelim(&text, &size, '\0', file) > 0)
		found = strncmp(text, VARIABLE, strlen(VARIABLE)) == 0 && has_option(text, option);
	free(text);
	fclose(file);
	return found;
}

/* Of those that are there, the ones of other sessions, or all. */
static size_t find(const char *option, bool in_session, pid_t daemons[DAEMONS_MOST])
{
	DIR *processes = opendir("/proc");
	pid_t session = getsid(0), process;
	struct dirent *entry;
	size_t count = 0;

	while (processes && count < DAEMONS_MOST && (entry = readdir(processes))) {
		process = atoi(entry->d_name);
		if (process > 0 && (in_session || getsid(process) != session) &&
		    is_left_by(process, option))
			daemons[count++] = process;
	}
	if (processes)
		closedir(processes);
	return count;
}

size_t daemons_find(pid_t program, pid_t daemons[DAEMONS_MOST])
{
	unsigned passes = 0;
	size_t count = 0;
	char option[32];

	snprintf(option, sizeof(option), "--only-process %d", (int)program);
	while (count == 0 && passes++ < PASSES)
		count = find(option, true, daemons);
	if (count == 0)
		return 0;
	usleep(LEAVE_US);
	return find(option, false, daemons);
}
