/* SPDX-License-Identifier: MIT */
#include "report/session/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/session/folder.h"

bool is_profile_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	uint64_t magic = 0;
	bool is_profile;

	if (fd < 0)
		return false;
	is_profile = pread(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		     magic == SESSION_MAGIC;
	close(fd);
	return is_profile;
}

void file_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, text, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

bool is_same_file(const char *path, const char *other)
{
	struct stat one, two;

	return stat(path, &one) == 0 && stat(other, &two) == 0 && S_ISREG(one.st_mode) &&
	       one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

bool file_identity(const char *path, char text[FILE_IDENTITY_SIZE])
{
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	snprintf(text, FILE_IDENTITY_SIZE, "%ju.%jd.%09ld", (uintmax_t)status.st_ino,
		 (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
	return true;
}

int new_file_check(const char *path, unsigned flags)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return 0;
	if (!S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	if (!(flags & NEW_FILE_REPLACES))
		return -EEXIST;
	if (!(flags & NEW_FILE_PROFILE))
		return is_profile_file(path) ? -EMEDIUMTYPE : 0;
	return folder_holder(path) ? -EBUSY : 0;
}

/* Moves a file to a name that nothing has yet: 0, -EEXIST or another -errno. */
static int move_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* Some file systems cannot do it in one step, and some have no links either. */
	if (link(from, to) == 0)
		return unlink(from) < 0 ? -errno : 0;
	if (errno == EEXIST || faccessat(AT_FDCWD, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return rename(from, to) < 0 ? -errno : 0;
}

int new_file_check_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder =
		slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	int error = !folder ? -ENOMEM : access(folder, W_OK | X_OK) < 0 ? -errno : 0;

	free(folder);
	return error;
}

int new_file_open(struct new_file *file, const char *path, unsigned flags, mode_t mode)
{
	int descriptor, error = new_file_check(path, flags);
	char *temporary = NULL;

	*file = (struct new_file){.flags = flags};
	if (error)
		return error;
	file->path = strdup(path);
	if (!file->path || asprintf(&temporary, "%s.XXXXXX", path) < 0) {
		new_file_abandon(file);
		return -ENOMEM;
	}
	descriptor = mkostemp(temporary, O_CLOEXEC);
	if (descriptor < 0) {
		error = -errno;
		free(temporary);
		new_file_abandon(file);
		return error;
	}
	file->temporary = temporary;
	/* What the umask took away, too. Some file systems have no modes. */
	fchmod(descriptor, mode);
	return descriptor;
}

int new_file_place(struct new_file *file)
{
	/* Once more: the place may have been taken meanwhile. */
	int error = new_file_check(file->path, file->flags);

	if (!error && file->flags & NEW_FILE_REPLACES)
		error = rename(file->temporary, file->path) < 0 ? -errno : 0;
	else if (!error)
		error = move_new(file->temporary, file->path);
	if (!error) {
		free(file->temporary);
		file->temporary = NULL;
	}
	new_file_abandon(file);
	return error;
}

void new_file_abandon(struct new_file *file)
{
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct new_file){.path = NULL};
}

const char *new_file_error(int error)
{
	switch (error) {
	case -EEXIST:
		return "File exists (-f replaces it)";
	case -EMEDIUMTYPE:
		return "a ktime profile, which is replaced by nothing but a profile: give another "
		       "name";
	case -EBUSY:
		return "a running program writes its profile to it";
	case -EINVAL:
		return "not a regular file";
	default:
		return strerror(-error);
	}
}

/* How long a wait may be before it is said, how long somebody is waited for to open the pipe, and
 * the most that it may bring. Chosen. */
#define PATIENT_MS 500
#define WRITER_MS  5000
#define BYTES_MOST (1L << 30)
#define TICK_MS	   10

/* Writes all that a pipe brings to a file. */
static int take_all(int pipe, int file, const char *path, unsigned wait_ms,
		    void (*say)(const char *path))
{
	const unsigned writer_ms = wait_ms < WRITER_MS ? wait_ms : WRITER_MS;
	struct pollfd input = {.fd = pipe, .events = POLLIN};
	unsigned waited = 0;
	off_t taken = 0;
	char part[4096];

	for (;;) {
		ssize_t length = read(pipe, part, sizeof(part));

		if (length > 0) {
			if (write(file, part, (size_t)length) != length)
				return -ENOSPC;
			taken += length;
			if (taken > BYTES_MOST)
				return -EFBIG;
			waited = 0;
			continue;
		}
		if (length < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		/* The end is also what a pipe brings that nobody has opened yet, which has not hung
		 * up. */
		if (length == 0 &&
		    (taken > 0 || (poll(&input, 1, 0) > 0 && input.revents & (POLLHUP | POLLERR))))
			return 0;
		if (waited >= (length == 0 ? writer_ms : wait_ms))
			return -ETIMEDOUT;
		if (length == 0)
			poll(NULL, 0, TICK_MS);
		else
			poll(&input, 1, TICK_MS);
		waited += TICK_MS;
		if (waited == PATIENT_MS && say)
			say(path);
	}
}

/* What a pipe brought, as a file in memory: its descriptor or -errno. */
static int open_taken(int pipe, const char *path, unsigned wait_ms, void (*say)(const char *path))
{
	int error, file = memfd_create("ktime input", MFD_CLOEXEC);

	if (file < 0)
		return -errno;
	error = take_all(pipe, file, path, wait_ms, say);
	if (!error && lseek(file, 0, SEEK_SET) < 0)
		error = -errno;
	if (!error)
		return file;
	close(file);
	return error;
}

int input_open(FILE **file, const char *path, unsigned wait_ms, void (*say)(const char *path),
	       char *message, size_t size)
{
	/* Opening a pipe would wait for one who writes, reading some files of /proc for news. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), taken;
	struct stat status;
	int error = 0;

	*file = NULL;
	if (fd < 0 || fstat(fd, &status) < 0)
		error = -errno;
	else if (S_ISDIR(status.st_mode))
		error = -EISDIR;
	else if (S_ISFIFO(status.st_mode)) {
		taken = open_taken(fd, path, wait_ms, say);
		close(fd);
		fd = taken;
		error = taken < 0 ? taken : 0;
	} else if (!S_ISREG(status.st_mode)) {
		error = -ENXIO;
	}
	if (!error) {
		*file = fdopen(fd, "r");
		error = *file ? 0 : -errno;
	}
	if (!error)
		return 0;
	if (fd >= 0)
		close(fd);
	if (error == -ENXIO)
		snprintf(message, size, "%s is neither a regular file nor a pipe", path);
	else if (error == -ETIMEDOUT)
		snprintf(message, size, "%s: a pipe that brings nothing", path);
	else
		snprintf(message, size, "%s: %s", path, strerror(-error));
	return error;
}
