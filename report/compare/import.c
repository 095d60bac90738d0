/* SPDX-License-Identifier: MIT */
#include "report/compare/import.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "report/names/visible.h"
#include "report/session/input.h"
#include "report/session/session.h"

#define SQLITE_MAGIC "SQLite format 3"

/* How long a pipe may bring nothing: what writes to it may be a command on another machine. Chosen.
 */
#define PIPE_WAIT_MS 60000

/* How a file begins; -errno where it cannot be read. */
static int read_start(FILE *file, char *start, size_t size)
{
	memset(start, 0, size);
	errno = 0;
	if (fread(start, 1, size, file) == 0)
		return ferror(file) ? -errno : -ENODATA;
	rewind(file);
	return 0;
}

static void say_waiting(const char *path)
{
	visible_line(stderr, "ktime: waiting for what the pipe %s brings", path);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && !strcmp(text + length - end_length, end);
}

static int import_file(struct profile *profile, FILE *file, const char *path, char *message,
		       size_t size)
{
	const uint64_t session_magic = SESSION_MAGIC;
	char start[sizeof(SQLITE_MAGIC)];
	bool is_session, is_database;
	struct stat status;
	int error = read_start(file, start, sizeof(start));

	if (error) {
		snprintf(message, size, "%s: %s", path,
			 error == -ENODATA ? "empty" : strerror(-error));
		return error;
	}
	is_session = !memcmp(start, &session_magic, sizeof(session_magic));
	is_database = !memcmp(start, SQLITE_MAGIC, sizeof(SQLITE_MAGIC));
	/* These are opened by their name once more. */
	if ((is_session || is_database) && (stat(path, &status) < 0 || !S_ISREG(status.st_mode))) {
		snprintf(message, size, "%s: a pipe can bring CSV alone: name the file", path);
		return -EINVAL;
	}
	if (is_session)
		return import_session(profile, path, message, size);
	if (is_database)
		return import_sqlite(profile, path, message, size);
	if (ends_with(path, ".nsys-rep")) {
		snprintf(message, size,
			 "%s: a report that only nsys reads: give what `nsys export --type sqlite` "
			 "makes of it",
			 path);
		return -EINVAL;
	}
	return import_csv(profile, file, path, message, size);
}

int import_profile(struct profile *profile, const char *path, char *message, size_t size)
{
	FILE *file;
	int error = input_open(&file, path, PIPE_WAIT_MS, say_waiting, message, size);

	*profile = (struct profile){0};
	if (error)
		return error;
	error = import_file(profile, file, path, message, size);
	fclose(file);
	return error;
}
