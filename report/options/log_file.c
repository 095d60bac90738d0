/* SPDX-License-Identifier: MIT */
#include "report/options/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "report/names/visible.h"
#include "report/session/files.h"

/* How long a reader of the log may take nothing of it. */
#define WRITE_WAIT_NS UINT64_C(2000000000)

int log_file_resolve(struct log_file *log, const char *pattern, const struct name_codes *codes,
		     char *message, size_t size)
{
	char *directory, *path;
	int error = 0;

	*log = (struct log_file){.descriptor = STDERR_FILENO};
	if (!pattern || strcmp(pattern, "%2") == 0)
		return 0;
	if (strcmp(pattern, "%1") == 0) {
		log->descriptor = STDOUT_FILENO;
		return 0;
	}
	path = filename_expand_path(pattern, codes, message, size);
	if (!path)
		return -EINVAL;
	/* The program may change its directory. */
	if (*path == '/') {
		log->path = path;
		return 0;
	}
	directory = getcwd(NULL, 0);
	if (!directory)
		error = -errno;
	else if (asprintf(&log->path, "%s/%s", directory, path) < 0)
		error = -ENOMEM;
	if (error) {
		log->path = NULL;
		snprintf(message, size, "the log file %s cannot be found: %s", path,
			 strerror(-error));
	}
	free(directory);
	free(path);
	return error;
}

bool log_file_is_continued(const struct log_file *log, pid_t pid)
{
	char first[32] = "", own[32];
	struct stat status;
	FILE *file;

	/* Opening a pipe for reading would wait. */
	if (!log->path || stat(log->path, &status) || !S_ISREG(status.st_mode))
		return false;
	file = fopen(log->path, "re");
	if (!file)
		return false;
	snprintf(own, sizeof(own), "==%d== ", (int)pid);
	fgets(first, sizeof(first), file);
	fclose(file);
	return strncmp(first, own, strlen(own)) == 0;
}

/* What the standard streams were when the program started; an inode of 0 where one was closed. */
static struct opened_file streams[3];

static void note_file(int fd, struct opened_file *file)
{
	struct stat status;

	if (fstat(fd, &status) == 0)
		*file = (struct opened_file){status.st_dev, status.st_ino};
}

static bool is_file(const struct stat *status, const struct opened_file *file)
{
	return status->st_ino == file->inode && status->st_dev == file->device;
}

__attribute__((constructor)) static void remember_streams(void)
{
	int saved_errno = errno;

	for (int fd = 1; fd < 3; fd++)
		note_file(fd, &streams[fd]);
	errno = saved_errno;
}

/*
 * A program may have closed a standard stream, and the next file that it opens gets the number: its
 * data. What stands for both streams now is where the program put its own output.
 */
bool log_file_is_stream(int fd)
{
	struct stat status, other;

	if (fstat(fd, &status) < 0)
		return false;
	if (is_file(&status, &streams[fd]))
		return true;
	return fstat(3 - fd, &other) == 0 && other.st_ino == status.st_ino &&
	       other.st_dev == status.st_dev &&
	       !(S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3)); /* /dev/null */
}

/* An open log file; the cookie of its stream. Atomic because exit() on another thread, which no
 * longer waits for the report, writes what the stream holds. */
struct output {
	_Atomic int fd;
	bool closes;
	_Atomic int error; /* of the first write that failed */
};

static _Atomic bool writes_alone; /* see log_file_keep_open */

/*
 * One write whose failure is only told: SIGPIPE and SIGXFSZ, which would end the program, are taken
 * back before anybody sees them.
 */
static ssize_t write_quietly(int fd, const char *text, size_t size)
{
	const struct timespec no_time = {0};
	sigset_t signals, pending, before;
	ssize_t written;
	int error;

	if (atomic_load(&writes_alone))
		return write(fd, text, size);
	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	sigaddset(&signals, SIGXFSZ);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	written = write(fd, text, size);
	error = errno;
	if (written < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
		sigdelset(&signals, SIGXFSZ);
	else if (written < 0 && error == EFBIG && !sigismember(&pending, SIGXFSZ))
		sigdelset(&signals, SIGPIPE);
	else
		sigemptyset(&signals);
	if (!sigisemptyset(&signals))
		sigtimedwait(&signals, NULL, &no_time);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return written;
}

/* By the system call: under libfaketime libc's waits for as long as it likes. */
bool log_file_has_room(int descriptor, uint64_t nanoseconds)
{
	struct pollfd output = {.fd = descriptor, .events = POLLOUT};
	struct timespec limit = {(time_t)(nanoseconds / 1000000000u),
				 (long)(nanoseconds % 1000000000u)};

	return syscall(SYS_ppoll, &output, 1, &limit, NULL, 0) == 1 && !(output.revents & POLLNVAL);
}

static ssize_t output_write(void *cookie, const char *text, size_t size)
{
	struct output *output = cookie;
	int fd = atomic_load(&output->fd);
	size_t done = 0;

	while (done < size && !output->error) {
		ssize_t written = write_quietly(fd, text + done, size - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno == EAGAIN ? !log_file_has_room(fd, WRITE_WAIT_NS) : errno != EINTR)
			output->error = errno;
	}
	/* 0 is what stdio takes for a failure. */
	return output->error ? 0 : (ssize_t)size;
}

static int output_close(void *cookie)
{
	struct output *output = cookie;
	int error = output->error;

	if (output->closes && close(output->fd) < 0 && !error)
		error = errno;
	free(output);
	errno = error;
	return error ? -1 : 0;
}

/* The log that was opened last: such a stream has no fileno(). */
static struct {
	_Atomic(FILE *) file;
	_Atomic int fd;
} open_stream;

int log_file_descriptor(FILE *file)
{
	int fd = atomic_load(&open_stream.fd);

	return file == atomic_load(&open_stream.file) ? fd : fileno(file);
}

/* Opens what another user's link does not lead to: in a folder that is shared the name of a log may
 * be foreseen. */
static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_NOFOLLOW, 0666);
	struct stat status;

	if (fd < 0 && errno == ELOOP && lstat(path, &status) == 0 &&
	    (status.st_uid == geteuid() || status.st_uid == 0))
		fd = open(path, flags, 0666);
	return fd < 0 ? -errno : fd;
}

int log_file_kept(const struct log_file *log)
{
	struct stat status;

	return log->kept_file.inode && fstat(log->kept, &status) == 0 &&
			       is_file(&status, &log->kept_file)
		       ? log->kept
		       : -1;
}

/* The descriptor, or -errno; -EMEDIUMTYPE: a profile. A pipe is not waited for until somebody reads
 * it. */
static int open_output(const struct log_file *log, bool append)
{
	struct stat status;
	int fd = log_file_kept(log), error = 0;

	if (!log->path)
		return log_file_is_stream(log->descriptor) ? log->descriptor : -EBADF;
	if (fd >= 0)
		return fd;
	fd = open_file(log->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
					  (append ? O_APPEND : 0));
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0)
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		return fd;
	else if (is_profile_file(log->path))
		error = -EMEDIUMTYPE;
	else if (is_file(&status, &streams[1]) || is_file(&status, &streams[2]))
		/* A standard stream goes there, which has its part of it. */
		error = fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK) < 0 ? -errno : 0;
	else if (!append && ftruncate(fd, 0) < 0)
		error = -errno;
	if (error)
		close(fd);
	return error ? error : fd;
}

void log_file_keep_open(struct log_file *log)
{
	atomic_store(&writes_alone, true);
	log->kept = log->path ? open_output(log, true) : -1;
	note_file(log->kept, &log->kept_file);
}

int log_file_open(const struct log_file *log, bool append, FILE **file, char *message, size_t size)
{
	const cookie_io_functions_t functions = {.write = output_write, .close = output_close};
	int error, fd = open_output(log, append);
	struct output *output = fd >= 0 ? malloc(sizeof(*output)) : NULL;

	*file = NULL;
	if (output) {
		output->closes = log->path != NULL;
		atomic_init(&output->error, 0);
		atomic_store(&output->fd, fd);
		*file = fopencookie(output, "w", functions);
	}
	if (*file) {
		atomic_store(&open_stream.fd, fd);
		atomic_store(&open_stream.file, *file);
		return 0;
	}
	error = fd < 0 ? fd : -ENOMEM;
	if (fd >= 0 && log->path)
		close(fd);
	free(output);
	if (error == -ENOMEM)
		snprintf(message, size, "there is no memory for the report");
	else if (!log->path)
		snprintf(message, size,
			 "%s was closed, or the program has a file of its own in its place",
			 log->descriptor == STDOUT_FILENO ? "stdout" : "stderr");
	else if (error == -EMEDIUMTYPE)
		snprintf(message, size,
			 "the log file %s is a ktime profile, which is not overwritten: give "
			 "another name",
			 log->path);
	else if (error == -ENXIO)
		snprintf(message, size, "the log file %s is a pipe that nobody reads", log->path);
	else
		snprintf(message, size, "the log file %s cannot be written: %s", log->path,
			 strerror(-error));
	return error;
}

int log_file_close(FILE *file)
{
	int error = ferror(file) ? -EIO : 0;

	if (file == atomic_load(&open_stream.file))
		atomic_store(&open_stream.file, NULL);
	if (fclose(file) != 0)
		error = -errno;
	return error;
}

void log_file_free(struct log_file *log)
{
	free(log->path);
	*log = (struct log_file){.descriptor = STDERR_FILENO};
}

/* There is no memory for a stream: the line, or as much of it as a small stack has room for. */
static void say_without_memory(pid_t pid, const char *format, va_list arguments)
{
	struct output errors = {.fd = STDERR_FILENO};
	char line[512];
	int start = snprintf(line, sizeof(line), "==%d== ktime: ", (int)pid);
	size_t length;

	vsnprintf(line + start, sizeof(line) - (size_t)start - 1, format, arguments);
	length = strlen(line);
	visible_replace(line, length);
	line[length++] = '\n';
	output_write(&errors, line, length);
}

void log_file_say(pid_t pid, const char *format, ...)
{
	const struct log_file errors = {.descriptor = STDERR_FILENO};
	char message[128];
	va_list arguments;
	FILE *file;
	int error = log_file_open(&errors, true, &file, message, sizeof(message));

	va_start(arguments, format);
	if (!error) {
		fprintf(file, "==%d== ktime: ", (int)pid);
		visible_vline(file, format, arguments);
		log_file_close(file);
	} else if (error == -ENOMEM) {
		say_without_memory(pid, format, arguments);
	}
	va_end(arguments);
}
