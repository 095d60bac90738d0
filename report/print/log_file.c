/* SPDX-License-Identifier: MIT */
#include "report/print/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/options/filename.h"

/* A file is stamped with the clock of the last tick, 10 ms at most; in seconds. */
#define TICK 0.01

int log_file_resolve(struct log_file *log, const char *pattern, pid_t pid, char *message,
		     size_t size)
{
	char directory[PATH_MAX], *path;
	int error = 0;

	*log = (struct log_file){.descriptor = STDERR_FILENO};
	if (!pattern || strcmp(pattern, "%2") == 0)
		return 0;
	if (strcmp(pattern, "%1") == 0) {
		log->descriptor = STDOUT_FILENO;
		return 0;
	}
	path = filename_expand(pattern, pid, -1, message, size);
	if (!path)
		return -EINVAL;
	/* The program may change its directory. */
	if (*path == '/') {
		log->path = path;
		return 0;
	}
	if (!getcwd(directory, sizeof(directory)))
		error = -errno;
	else if (asprintf(&log->path, "%s/%s", directory, path) < 0)
		error = -ENOMEM;
	if (error) {
		log->path = NULL;
		snprintf(message, size, "the log file %s cannot be found: %s", path,
			 strerrordesc_np(-error));
	}
	free(path);
	return error;
}

/* Up to `size` - 1 bytes from a file's beginning, and a zero; 0 or -errno. */
static int read_beginning(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t length = fd >= 0 ? read(fd, text, size - 1) : -1;
	int error = length < 0 ? -errno : 0;

	text[length > 0 ? length : 0] = '\0';
	if (fd >= 0)
		close(fd);
	return error;
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds since this process began, which exec does not change; 0 if it is not known. */
static double process_age(void)
{
	unsigned long long started; /* clock ticks since the system's start */
	char text[1024], *name_end;

	if (read_beginning("/proc/self/stat", text, sizeof(text)))
		return 0;
	/* A program's name may hold anything. The 22nd field: proc_pid_stat(5). */
	name_end = strrchr(text, ')');
	if (!name_end ||
	    sscanf(name_end + 1,
		   " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%llu",
		   &started) != 1)
		return 0;
	return seconds(CLOCK_BOOTTIME) - (double)started / (double)sysconf(_SC_CLK_TCK);
}

bool log_file_is_continued(const struct log_file *log, pid_t pid)
{
	char first[32], own[32];
	struct stat status;

	if (!log->path || stat(log->path, &status) || !S_ISREG(status.st_mode) ||
	    read_beginning(log->path, first, sizeof(first)))
		return false;
	snprintf(own, sizeof(own), "==%d== ", (int)pid);
	return strncmp(first, own, strlen(own)) == 0 &&
	       seconds(CLOCK_REALTIME) - (double)status.st_mtim.tv_sec -
			       (double)status.st_mtim.tv_nsec * 1e-9 <
		       process_age() + TICK;
}

int log_file_open(const struct log_file *log, bool append, FILE **file, char *message, size_t size)
{
	int fd, error = 0;

	*file = NULL;
	if (log->path)
		fd = open(log->path,
			  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (append ? O_APPEND : O_TRUNC),
			  0666);
	else
		fd = fcntl(log->descriptor, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		*file = fdopen(fd, "w");
	if (*file)
		return 0;
	error = -errno;
	if (fd >= 0)
		close(fd);
	if (log->path)
		snprintf(message, size, "the log file %s cannot be written: %s", log->path,
			 strerrordesc_np(-error));
	else
		snprintf(message, size, "the report cannot be written: %s",
			 strerrordesc_np(-error));
	return error;
}

int log_file_close(FILE *file)
{
	int error = ferror(file) ? -EIO : 0;

	if (fclose(file) != 0)
		error = -errno;
	return error;
}

void log_file_free(struct log_file *log)
{
	free(log->path);
	*log = (struct log_file){.descriptor = STDERR_FILENO};
}
