/* SPDX-License-Identifier: MIT */
#include "report/command/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/names/visible.h"
#include "report/session/files.h"

/* What the loader does not read as part of a path in LD_PRELOAD, which knows no quoting:
 * separators, and the start of $ORIGIN, $LIB and $PLATFORM. */
#define NOT_IN_PRELOAD " :$"
#define NAMES_MOST     16

/* The command's file, in PATH_MAX bytes. */
static bool find_self(char *self)
{
	ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
	const char *executed = (const char *)getauxval(AT_EXECFN);

	if (length > 0)
		self[length] = '\0';
	/* /proc may not be mounted. The working directory has not changed since ktime was executed.
	 */
	return length > 0 || (executed && realpath(executed, self));
}

/* The library beside this command, or where it is installed to; the caller frees it. NULL: none. */
static char *find_library(void)
{
	static const char *const places[] = {"libktime.so", "../lib/libktime.so",
					     "../lib64/libktime.so",
#ifdef __aarch64__
					     "../lib/aarch64-linux-gnu/libktime.so"
#else
					     "../lib/x86_64-linux-gnu/libktime.so"
#endif
	};
	char self[PATH_MAX], path[PATH_MAX + 64], *slash, *real = NULL;

	if (!find_self(self))
		return NULL;
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !real; i++) {
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		real = realpath(path, NULL);
	}
	return real;
}

/* Whether nobody but this user and root can replace what this user has put into a folder. */
static bool is_safe(const char *folder)
{
	struct stat status;

	return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
	       (status.st_uid == 0 || status.st_uid == geteuid()) &&
	       (!(status.st_mode & (S_IWGRP | S_IWOTH)) || status.st_mode & S_ISVTX);
}

/* Makes a link to the library, or finds the one that was made before; any user may put one under
 * that name. 0 or -errno. */
static int link_at(const char *link, const char *library)
{
	struct stat status;

	if (symlink(library, link) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (lstat(link, &status) < 0)
		return -errno;
	if (!S_ISLNK(status.st_mode) || status.st_uid != geteuid())
		return -EEXIST;
	/* By another path, maybe, as the library can have several. */
	if (is_same_file(link, library))
		return 0;
	/* What it leads to was moved or is gone. */
	return unlink(link) < 0 || symlink(library, link) < 0 ? -errno : 0;
}

static int link_in(const char *folder, const char *library, char **link)
{
	char identity[FILE_IDENTITY_SIZE];
	int error = -EEXIST;

	if (!folder || !*folder || strpbrk(folder, NOT_IN_PRELOAD))
		return -ENOENT;
	if (!is_safe(folder))
		return -EPERM;
	if (!file_identity(library, identity))
		return -ENOENT;
	for (unsigned i = 1; i <= NAMES_MOST && error == -EEXIST; i++) {
		if (asprintf(link, "%s/libktime-%s.%u.so", folder, identity, i) < 0)
			return -ENOMEM;
		error = link_at(*link, library);
		if (error)
			free(*link);
	}
	return error;
}

int preloaded_find(char **path)
{
	char *library = find_library();
	int error;

	if (!library) {
		visible_line(stderr, "ktime: libktime.so was not found beside this command or in "
				     "../lib; install both");
		return -ENOENT;
	}
	*path = library;
	if (!strpbrk(library, NOT_IN_PRELOAD))
		return 0;
	/* Where profiles lie. */
	error = link_in(getenv("XDG_RUNTIME_DIR"), library, path);
	if (error)
		error = link_in("/dev/shm", library, path);
	if (error)
		visible_line(
			stderr,
			"ktime: the loader cannot preload %s, whose path has a space, a colon or a "
			"dollar sign, and a link to it in /dev/shm cannot be made (%s): install "
			"ktime elsewhere",
			library, strerror(-error));
	free(library);
	return error;
}
