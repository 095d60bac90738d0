/* SPDX-License-Identifier: MIT */
#include "report/session/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
		snprintf(message, size, "%s: neither a file nor a pipe", path);
	else if (error == -ETIMEDOUT)
		snprintf(message, size, "%s: a pipe that brings nothing", path);
	else
		snprintf(message, size, "%s: %s", path, strerror(-error));
	return error;
}
