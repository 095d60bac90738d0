/* SPDX-License-Identifier: MIT */
#include "report/print/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/options/filename.h"

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
			 strerror(-error));
	}
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
			 strerror(-error));
	else
		snprintf(message, size, "the report cannot be written: %s", strerror(-error));
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
