/* SPDX-License-Identifier: MIT */
/*
 * The files of profiles: where those lie that nobody asked for, how they are named, and how those
 * that are left are found again and swept.
 */
#ifndef KTIME_REPORT_SESSION_FOLDER_H
#define KTIME_REPORT_SESSION_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/session/owner.h"
#include "report/session/session.h"

/*
 * Creates this process's profile in memory that outlasts the process if it is killed; a trace,
 * which may become longer than memory, on disk. Its name goes to `path`: ktime.PID, and ktime.PID.2
 * and so on where a profile is left with that name. 0 or -errno.
 */
int folder_create(struct session **session, bool trace, char *path, size_t size);
/*
 * Enters this process's profile, which lies elsewhere, where others find it: a link to it, named as
 * a profile there would be; its name goes to `entry`. The process removes it at its end; one whose
 * process is gone is removed by whoever comes upon it next. It costs what looking through the
 * folder does: 11 us with its removal, in memory. 0 or -errno.
 */
int folder_enter(const char *profile, char *entry, size_t size);
/*
 * Creates the profile that the user asked for under a name. -EEXIST: the file is there already, and
 * `overwrite` is false; -EBUSY: a process that still runs writes to it, process *holder.
 */
int folder_create_kept(struct session **session, const char *path, bool trace, bool overwrite,
		       pid_t *holder);
/* Which running process writes a profile to this file; 0: none. */
pid_t folder_holder(const char *path);

/* A profile that lies in one of the folders. */
struct left_profile {
	char *path, *command;
	pid_t pid;
	uint64_t started; /* of the process: see process_started() */
	uid_t user;
	uint64_t since; /* CLOCK_REALTIME, ns */
	uint64_t until; /* when something was last written; the same clock */
	uint64_t bytes;
	uint64_t devices; /* a bit for each that was used */
	enum owner_state state;
	bool finished; /* nothing more is written to it */
	bool reported; /* the report was written */
	bool kept;     /* the user asked for the file */
};
struct left_profiles {
	struct left_profile *of; /* from malloc */
	size_t count;
};

/*
 * All that this user may read, the oldest first, and where his own entries lead to, while their
 * processes run. 0 or -ENOMEM; free it with left_profiles_free. Any
 * user can put a file there: one that says to be of a process of another user, or of another
 * process than its name says, is of an unknown one.
 */
int left_profiles_find(struct left_profiles *profiles);
/* Adds one file, of any name; -EINVAL where it is no profile. */
int left_profiles_add(struct left_profiles *profiles, const char *path);
void left_profiles_free(struct left_profiles *profiles);

#endif
