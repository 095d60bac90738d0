/* SPDX-License-Identifier: MIT */
#include "report/compare/import.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/session/session.h"

#define SQLITE_MAGIC "SQLite format 3"

/* How a file begins; -errno where it cannot be read. */
static int read_start(const char *path, char *start, size_t size)
{
	FILE *file = fopen(path, "re");
	int error = 0;

	memset(start, 0, size);
	if (!file)
		return -errno;
	errno = 0;
	if (fread(start, 1, size, file) == 0)
		error = ferror(file) ? -errno : -ENODATA;
	fclose(file);
	return error;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && !strcmp(text + length - end_length, end);
}

int import_profile(struct profile *profile, const char *path, char *message, size_t size)
{
	const uint64_t session_magic = SESSION_MAGIC;
	char start[sizeof(SQLITE_MAGIC)];
	int error;

	*profile = (struct profile){0};
	error = read_start(path, start, sizeof(start));
	if (error) {
		snprintf(message, size, "%s: %s", path,
			 error == -ENODATA ? "empty" : strerror(-error));
		return error;
	}
	if (!memcmp(start, &session_magic, sizeof(session_magic)))
		return import_session(profile, path, message, size);
	if (!memcmp(start, SQLITE_MAGIC, sizeof(SQLITE_MAGIC)))
		return import_sqlite(profile, path, message, size);
	if (ends_with(path, ".nsys-rep")) {
		snprintf(message, size,
			 "%s: a report that only nsys reads: give what `nsys export --type sqlite` "
			 "makes of it",
			 path);
		return -EINVAL;
	}
	return import_csv(profile, path, message, size);
}
