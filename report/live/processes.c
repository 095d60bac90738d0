/* SPDX-License-Identifier: MIT */
#include "report/live/live.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"

/* Adds the profile that a process has mapped. Its path is one of its own mount namespace. */
static int add_mapped(struct left_profiles *profiles, pid_t pid)
{
	char line[PATH_MAX + 128], path[PATH_MAX + 32];
	FILE *file = process_open(pid, "maps");
	int error = -ENOENT;

	if (!file)
		return -errno;
	/* Shared, and written from the beginning of the file: "ADDRESSES rw-s 00000000 …". */
	while (error && fgets(line, sizeof(line), file)) {
		const char *name = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (!name || !strstr(line, " rw-s 00000000 ") ||
		    strncmp(name, "/dev/nvidia", 11) == 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, name);
		error = left_profiles_add(profiles, path);
	}
	fclose(file);
	return error;
}

/* How deep the processes are looked through that a process started. Chosen. */
#define GENERATIONS 8

/*
 * Adds the profiles of what a process has started, of the nearest generation that has any: ktime is
 * its program's parent, and so are shells and launchers. 0 or -ENOMEM.
 */
static int add_children(struct left_profiles *profiles, pid_t pid, unsigned generation)
{
	char path[64];
	pid_t children[256];
	size_t found = 0, before = profiles->count;
	struct dirent *entry;
	int error = 0;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
			 atoi(entry->d_name));
		file = fopen(path, "re");
		while (file && found < sizeof(children) / sizeof(children[0]) &&
		       fscanf(file, "%d", &children[found]) == 1)
			found++;
		if (file)
			fclose(file);
	}
	if (threads)
		closedir(threads);
	for (size_t i = 0; i < found && error != -ENOMEM; i++)
		error = add_mapped(profiles, children[i]);
	for (size_t i = 0;
	     i < found && error != -ENOMEM && profiles->count == before && generation < GENERATIONS;
	     i++)
		error = add_children(profiles, children[i], generation + 1);
	return error == -ENOMEM ? error : 0;
}

static int add_process(struct left_profiles *profiles, const char *number, char *message,
		       size_t size)
{
	char *end;
	long pid = strtol(number, &end, 10);
	int error;

	if (end == number || *end || pid <= 0 || pid > INT_MAX) {
		snprintf(message, size,
			 "'%s' is no process number (to read a file: --profile FILE)", number);
		return -EINVAL;
	}
	error = add_mapped(profiles, (pid_t)pid);
	if (error == -ENOENT || error == -EINVAL) {
		size_t before = profiles->count;
		int failed = add_children(profiles, (pid_t)pid, 1);

		error = failed ? failed : profiles->count > before ? 0 : error;
	}
	if ((error == -ENOENT || error == -EINVAL) && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
		snprintf(message, size, "there is no process %ld", pid);
	else if (error == -ENOENT || error == -EINVAL)
		snprintf(message, size,
			 "process %ld has no profile: it has not used CUDA yet, or was started "
			 "without ktime, which cannot join it later (started by ktime --start off, "
			 "it can be looked at any time)",
			 pid);
	else if (error)
		snprintf(message, size, "process %ld: %s (--profile FILE takes a profile by name)",
			 pid, strerror(-error));
	return error;
}

/*
 * Leaves one profile of each process: the one that is still written to, or the first. A process
 * that became another program by exec may have several, and whoever may read one can copy it.
 * `running`: of processes that run alone.
 */
static void keep_one_each(struct left_profiles *profiles, bool running)
{
	size_t kept = 0;

	for (size_t i = 0; i < profiles->count; i++) {
		struct left_profile gone = profiles->of[i], *same = profiles->of;

		while (same < profiles->of + kept &&
		       (same->pid != gone.pid || same->started != gone.started))
			same++;
		if (running && gone.state != OWNER_RUNS) {
			/* It goes. */
		} else if (same == profiles->of + kept) {
			*same = gone;
			kept++;
			continue;
		} else if (same->finished && !gone.finished) {
			gone = *same;
			*same = profiles->of[i];
		}
		free(gone.path);
		free(gone.command);
	}
	profiles->count = kept;
}

int processes_find(struct left_profiles *profiles, const struct programs *programs, char *message,
		   size_t size)
{
	const char *file = programs->options->profile;
	int error = 0;

	*profiles = (struct left_profiles){NULL, 0};
	for (size_t i = 0; i < programs->count; i++) {
		int failed = add_process(profiles, programs->numbers[i], message, size);

		error = failed ? failed : error;
	}
	if (file && !error) {
		error = left_profiles_add(profiles, file);
		if (error)
			snprintf(message, size, "%s: %s", file,
				 error == -EINVAL ? "no profile of this version of ktime"
						  : strerror(-error));
	} else if (programs->count == 0 && !error) {
		error = left_profiles_find(profiles);
		if (error)
			snprintf(message, size, "%s", strerror(-error));
	}
	keep_one_each(profiles, !file && programs->count == 0);
	return error;
}

void processes_program(const char *command, char *name, size_t size)
{
	program_name(command, name, size);
	visible_replace(name, strlen(name));
}

const char *processes_user(uid_t user, char *number, size_t size)
{
	const struct passwd *entry = getpwuid(user);

	snprintf(number, size, "%u", (unsigned)user);
	return entry ? entry->pw_name : number;
}
