/* SPDX-License-Identifier: MIT */
#include "report/session/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "report/session/owner.h"
#include "report/session/environment.h"

#define PREFIX	   "ktime."
#define NAMES_MOST 64
/* How long another one that wants the name may take to look at the file and remove it. Chosen. */
#define LOCK_MS	   500
/* How long the profile of a process that ended is left for `ktime show`. */
#define KEPT_NS	   (24 * 3600 * 1000000000ULL)

/* Where a profile may lie: by a variable, else where every system has a folder. */
static const struct {
	const char *variable, *otherwise;
} folders[] = {
	{"XDG_RUNTIME_DIR", "/dev/shm"}, {"TMPDIR", "/tmp"}, /* traces */
};
#define FOLDERS (sizeof(folders) / sizeof(folders[0]))

/* ktime.PID or ktime.PID.N */
static bool is_profile_name(const char *name)
{
	size_t length;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return false;
	name += strlen(PREFIX);
	length = strspn(name, "0123456789");
	if (length > 0 && name[length] == '.') {
		name += length + 1;
		length = strspn(name, "0123456789");
	}
	return length > 0 && !name[length];
}

static int open_profile(int folder, const char *name)
{
	return openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
}

static uint64_t written_until(const struct session_header *header)
{
	return header->start_realtime + header->counters[COUNTER_wall_ns];
}

static bool is_stale(int fd)
{
	struct session_header *header;
	struct timespec now;
	struct stat status;
	bool stale = false;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
		return false;
	session_read_header(&header, fd);
	/* The kernel's: under libfaketime it may be any day, and nobody's profile may go for that.
	 */
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	if (header)
		stale = !header->kept && owner_state(header) == OWNER_ENDED &&
			(uint64_t)now.tv_sec * 1000000000u > written_until(header) + KEPT_NS;
	free(header);
	return stale;
}

/* Whether the process of an entry has ended, by the profile that it leads to (-1: none). */
static bool is_entry_of_past(int fd, const char *name)
{
	pid_t pid = atoi(name + strlen(PREFIX));
	struct session_header *header = NULL;
	bool past;

	if (fd >= 0)
		session_read_header(&header, fd);
	past = header && header->pid == pid ? owner_state(header) == OWNER_ENDED
					    : !process_started(pid);
	free(header);
	return past;
}

/*
 * Opens a profile in a folder or, as `path` then says, elsewhere, where an entry of this user's own
 * leads to. -1: it is neither, or leads nowhere. Removes an entry whose process has ended. Links of
 * other users are not followed: they may lead anywhere.
 */
static int open_left(int folder, const char *name, char path[PATH_MAX])
{
	int fd = open_profile(folder, name);
	struct stat status;
	ssize_t length;

	*path = '\0';
	if (fd >= 0)
		return fd;
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(status.st_mode) ||
	    status.st_uid != geteuid())
		return -1;
	length = readlinkat(folder, name, path, PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
	fd = *path == '/' ? open_profile(AT_FDCWD, path) : -1;
	if (!is_entry_of_past(fd, name))
		return fd;
	unlinkat(folder, name, 0);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Removes the profiles of one's own whose processes ended more than a day ago, and entries. */
static void sweep(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char leads_to[PATH_MAX];
		int fd;

		if (!is_profile_name(entry->d_name))
			continue;
		fd = open_left(dirfd(folder), entry->d_name, leads_to);
		if (fd >= 0 && !*leads_to && is_stale(fd))
			unlinkat(dirfd(folder), entry->d_name, 0);
		if (fd >= 0)
			close(fd);
	}
	if (folder)
		closedir(folder);
}

/* Creates a profile in a folder, or with `profile` an entry of that. */
static int create_in(const char *folder, struct session **session, unsigned flags,
		     const char *profile, char *path, size_t size)
{
	int error = -EEXIST;

	sweep(folder);
	for (unsigned i = 1; i <= NAMES_MOST && error == -EEXIST; i++) {
		int length = snprintf(path, size, "%s/" PREFIX "%d", folder, (int)getpid());

		if (length > 0 && (size_t)length < size && i > 1)
			length += snprintf(path + length, size - (size_t)length, ".%u", i);
		if (length < 0 || (size_t)length >= size)
			return -ENAMETOOLONG;
		if (profile)
			error = symlink(profile, path) < 0 ? -errno : 0;
		else
			error = session_create(session, path, flags);
	}
	return error;
}

/* The same in the folder for profiles with or without a trace. */
static int create(bool trace, struct session **session, const char *profile, char *path,
		  size_t size)
{
	const unsigned flags = trace ? SESSION_TRACE : 0;
	const char *named = environment_get(folders[trace].variable);
	int error = -ENOENT;

	/* su and containers leave the variable without its folder. */
	if (named && *named)
		error = create_in(named, session, flags, profile, path, size);
	return error ? create_in(folders[trace].otherwise, session, flags, profile, path, size) : 0;
}

int folder_enter(const char *profile, char *entry, size_t size)
{
	int error = create(false, NULL, profile, entry, size);

	if (error)
		*entry = '\0';
	return error;
}

int folder_create(struct session **session, bool trace, char *path, size_t size)
{
	return create(trace, session, NULL, path, size);
}

/* The running process that writes to an open file; 0: none. */
static pid_t holder_of(int fd)
{
	struct session_header *header;
	pid_t holder;

	session_read_header(&header, fd);
	holder = header && owner_state(header) == OWNER_RUNS ? header->pid : 0;
	free(header);
	return holder;
}

pid_t folder_holder(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	pid_t holder = fd >= 0 ? holder_of(fd) : 0;

	if (fd >= 0)
		close(fd);
	return holder;
}

/*
 * Puts a new profile in a file's place unless a running process writes a profile to it. Of several
 * processes that want the name, one holds the lock at a time; what the others have open is then no
 * longer the file. Who holds it for longer is none of them, and keeps no program waiting. 0,
 * -EAGAIN: not the file any more, -EBUSY, or another -errno.
 */
static int replace_unheld(struct session **session, const char *path, unsigned flags, pid_t *holder)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat opened, named;
	int error;

	/* What cannot be read can be replaced all the same. */
	if (fd < 0)
		return session_create(session, path, flags | SESSION_REPLACES);
	file_lock(fd, LOCK_MS);
	*holder = holder_of(fd);
	if (*holder)
		error = -EBUSY;
	else if (fstat(fd, &opened) < 0 || stat(path, &named) < 0 ||
		 opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
		error = -EAGAIN;
	else
		error = session_create(session, path, flags | SESSION_REPLACES);
	close(fd);
	return error;
}

int folder_create_kept(struct session **session, const char *path, bool trace, bool overwrite,
		       pid_t *holder)
{
	unsigned flags = SESSION_KEPT | (trace ? SESSION_TRACE : 0);
	int error = session_create(session, path, flags);

	*holder = 0;
	for (unsigned i = 0; i < NAMES_MOST && error == -EEXIST && overwrite; i++) {
		error = replace_unheld(session, path, flags, holder);
		if (error == -EAGAIN)
			error = -EEXIST;
	}
	if (error == -EEXIST) {
		*holder = folder_holder(path);
		if (*holder)
			error = -EBUSY;
	}
	return error;
}

/* Whether a running process can have made the file. What root owns may be of one that was root. */
static bool can_be_of(const struct session_header *header, const struct stat *status,
		      const char *name)
{
	if (name && atoi(name + strlen(PREFIX)) != header->pid)
		return false;
	return status->st_uid == 0 || process_is_of(header->pid, status->st_uid);
}

/* `name`: its own in a folder of profiles, or NULL. -EINVAL where the file is no profile, or may
 * not be read. */
static int describe(struct left_profile *profile, int fd, const char *name)
{
	const struct session_header *header;
	struct session *session;
	struct stat status;
	int error = session_open_file(&session, fd);

	if (error)
		return error == -ENOMEM ? error : -EINVAL;
	header = session_header(session);
	*profile = (struct left_profile){
		.pid = header->pid,
		.started = header->owner.started,
		.since = header->start_realtime,
		.until = written_until(header),
		.state = owner_state(header),
		.finished = header->finished,
		.reported = header->reported,
		.kept = header->kept,
		.command = strdup(session_string(session, header->command)),
	};
	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		profile->devices |= (uint64_t)(header->devices[i].used != 0) << i;
	if (fstat(fd, &status) == 0) {
		profile->user = status.st_uid;
		profile->bytes = (uint64_t)status.st_size;
		if (profile->state == OWNER_RUNS && !can_be_of(header, &status, name))
			profile->state = OWNER_UNKNOWN;
	}
	session_close(session);
	return profile->command ? 0 : -ENOMEM;
}

/* Adds an open file to the list; its path is taken over. */
static int add(struct left_profiles *profiles, int fd, char *path, const char *name)
{
	struct left_profile *grown =
		path ? realloc(profiles->of, (profiles->count + 1) * sizeof(*grown)) : NULL;
	int error = -ENOMEM;

	if (grown) {
		profiles->of = grown;
		error = describe(&grown[profiles->count], fd, name);
	}
	if (error) {
		free(path);
		return error;
	}
	grown[profiles->count++].path = path;
	return 0;
}

int left_profiles_add(struct left_profiles *profiles, const char *path)
{
	int fd = open_profile(AT_FDCWD, path);
	int error = fd >= 0 ? add(profiles, fd, strdup(path), NULL) : -errno;

	if (fd >= 0)
		close(fd);
	return error;
}

static int find_in(const char *path, struct left_profiles *profiles)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int error = 0;

	while (folder && !error && (entry = readdir(folder))) {
		char leads_to[PATH_MAX], *full;
		int fd;

		if (!is_profile_name(entry->d_name))
			continue;
		fd = open_left(dirfd(folder), entry->d_name, leads_to);
		if (fd < 0)
			continue;
		if (*leads_to)
			full = strdup(leads_to);
		else if (asprintf(&full, "%s/%s", path, entry->d_name) < 0)
			full = NULL;
		error = add(profiles, fd, full, entry->d_name);
		if (error != -ENOMEM)
			error = 0;
		close(fd);
	}
	if (folder)
		closedir(folder);
	return error;
}

static int compare_since(const void *left, const void *right)
{
	const struct left_profile *a = left, *b = right;

	return IN_ORDER(a->since, b->since) ?: strcmp(a->path, b->path);
}

/* Whether a folder is one that was looked through before, by another name maybe. */
static bool is_repeated(const char *const *paths, size_t index)
{
	struct stat one, other;

	if (stat(paths[index], &one) < 0)
		return true;
	for (size_t i = 0; i < index; i++)
		if (paths[i] && stat(paths[i], &other) == 0 && one.st_dev == other.st_dev &&
		    one.st_ino == other.st_ino)
			return true;
	return false;
}

int left_profiles_find(struct left_profiles *profiles)
{
	const char *paths[2 * FOLDERS];
	int error = 0;

	*profiles = (struct left_profiles){NULL, 0};
	for (size_t i = 0; i < 2 * FOLDERS && !error; i++) {
		paths[i] = i % 2 ? folders[i / 2].otherwise : getenv(folders[i / 2].variable);
		if (paths[i] && *paths[i] && !is_repeated(paths, i))
			error = find_in(paths[i], profiles);
	}
	if (error)
		left_profiles_free(profiles);
	else if (profiles->count > 0)
		qsort(profiles->of, profiles->count, sizeof(*profiles->of), compare_since);
	return error;
}

void left_profiles_free(struct left_profiles *profiles)
{
	for (size_t i = 0; i < profiles->count; i++) {
		free(profiles->of[i].path);
		free(profiles->of[i].command);
	}
	free(profiles->of);
	*profiles = (struct left_profiles){NULL, 0};
}
