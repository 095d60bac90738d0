/* SPDX-License-Identifier: MIT */
#include "report/command/daemon.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE     "KTIME_OPTIONS="
/* A process that forks and ends while /proc is read hides its child from this pass, not from the
 * next. */
#define PASSES	     3
/* The processes are looked at so often until nothing has changed for a while; by their number and
 * not by a clock, which may stand still. */
#define LOOK_US	     10000
/* For a process that is still to leave the session, or that has. */
#define REST_LOOKS   10
/* The leader of a new session is the daemon, or forks it and ends. */
#define LEADER_LOOKS 50
/* Where they never rest. */
#define LOOKS_MOST   200

/* A process that the program left. */
struct left {
	pid_t pid, session;
	bool rests; /* else it may be on its way to fork, or to end, on a busy machine for long */
};

/* Whether the text has the option that launch.c adds for this program. */
static bool has_option(const char *text, const char *option)
{
	const char *at = strstr(text, option);

	return at && !isdigit((unsigned char)at[strlen(option)]);
}

static FILE *open_of(pid_t process, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)process, name);
	return fopen(path, "re");
}

static bool is_left_by(pid_t process, const char *option)
{
	FILE *file = open_of(process, "environ");
	char *text = NULL;
	size_t size = 0;
	bool found = false;

	if (!file)
		return false;
	while (!found && getdelim(&text, &size, '\0', file) > 0)
		found = strncmp(text, VARIABLE, strlen(VARIABLE)) == 0 && has_option(text, option);
	free(text);
	fclose(file);
	return found;
}

/* Whether it is still there. */
static bool look_at(pid_t process, struct left *left)
{
	FILE *file = open_of(process, "stat");
	char text[512], state, *name_end;
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	int session;

	if (file)
		fclose(file);
	text[length] = '\0';
	name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end + 1, " %c %*d %*d %d", &state, &session) != 2)
		return false;
	*left = (struct left){.pid = process, .session = session, .rests = strchr("STt", state)};
	return true;
}

static size_t find_once(const char *option, struct left all[DAEMONS_MOST])
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;
	pid_t process;

	while (processes && count < DAEMONS_MOST && (entry = readdir(processes))) {
		process = atoi(entry->d_name);
		if (process > 0 && is_left_by(process, option) && look_at(process, &all[count]))
			count++;
	}
	if (processes)
		closedir(processes);
	return count;
}

static size_t find(const char *option, struct left all[DAEMONS_MOST])
{
	size_t count = 0;

	for (unsigned pass = 0; count == 0 && pass < PASSES; pass++)
		count = find_once(option, all);
	return count;
}

/* How many looks have to show the same; 0: these were not the same, or do not rest. */
static unsigned looks_needed(const struct left *now, const struct left *before, size_t count)
{
	unsigned needed = REST_LOOKS;

	for (size_t i = 0; i < count; i++) {
		if (now[i].pid != before[i].pid || now[i].session != before[i].session ||
		    !now[i].rests)
			return 0;
		if (now[i].session == now[i].pid)
			needed = LEADER_LOOKS;
	}
	return needed;
}

/* Waits until those that are there are the ones that stay. */
static size_t settle(const char *option, struct left now[DAEMONS_MOST], size_t count)
{
	struct left before[DAEMONS_MOST];
	unsigned same = 0, needed = REST_LOOKS;
	size_t count_before;

	for (unsigned looks = 0; count > 0 && looks < LOOKS_MOST && same < needed; looks++) {
		memcpy(before, now, sizeof(before));
		count_before = count;
		usleep(LOOK_US);
		count = find(option, now);
		needed = count == count_before ? looks_needed(now, before, count) : 0;
		same = needed ? same + 1 : 0;
		needed = needed ? needed : REST_LOOKS;
	}
	return count;
}

size_t daemons_find(pid_t program, pid_t daemons[DAEMONS_MOST])
{
	struct left left[DAEMONS_MOST] = {{0}};
	pid_t session = getsid(0);
	size_t count, found = 0;
	char option[32];

	snprintf(option, sizeof(option), "--only-process %d", (int)program);
	count = settle(option, left, find(option, left));
	for (size_t i = 0; i < count; i++)
		if (left[i].session != session)
			daemons[found++] = left[i].pid;
	return found;
}
