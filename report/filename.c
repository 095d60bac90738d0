/* SPDX-License-Identifier: MIT */
#include "report/filename.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes what follows a % at `code` to `out`; returns the rest of the pattern, NULL for an error.
 */
static const char *expand_code(FILE *out, const char *code, pid_t pid, int64_t id, char *message,
			       size_t size)
{
	char host[256], variable[256];
	const char *end, *value;

	switch (*code) {
	case '%':
		fputc('%', out);
		return code + 1;
	case 'p':
		fprintf(out, "%d", (int)pid);
		return code + 1;
	case 'h':
		if (gethostname(host, sizeof(host)) < 0)
			strcpy(host, "localhost");
		host[sizeof(host) - 1] = '\0';
		fputs(host, out);
		return code + 1;
	case 'i':
		if (id < 0)
			break;
		fprintf(out, "%lld", (long long)id);
		return code + 1;
	case 'q':
		end = code[1] == '{' ? strchr(code, '}') : NULL;
		if (!end || (size_t)(end - code - 2) >= sizeof(variable)) {
			snprintf(message, size, "%%q needs the name of a variable: %%q{NAME}");
			return NULL;
		}
		*(char *)mempcpy(variable, code + 2, (size_t)(end - code - 2)) = '\0';
		value = getenv(variable);
		if (!value) {
			snprintf(message, size, "the environment variable %s of %%q{%s} is not set",
				 variable, variable);
			return NULL;
		}
		fputs(value, out);
		return end + 1;
	}
	if (*code)
		snprintf(message, size, "%%%c means nothing in a name (%%p, %%h, %%q{ENV}, %%%%)",
			 *code);
	else
		snprintf(message, size, "a name ends in a lone %% (write %%%%)");
	return NULL;
}

char *filename_expand(const char *pattern, pid_t pid, int64_t id, char *message, size_t size)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out) {
		snprintf(message, size, "out of memory");
		return NULL;
	}
	while (pattern && *pattern) {
		if (*pattern == '%')
			pattern = expand_code(out, pattern + 1, pid, id, message, size);
		else
			fputc(*pattern++, out);
	}
	if (fclose(out) != 0 && pattern) {
		snprintf(message, size, "out of memory");
		pattern = NULL;
	}
	if (!pattern) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * stderr and stdout by a stream of our own: the program may have closed its own, and what is
 * written to a closed one must not end up in a file that took the descriptor over unnoticed by us.
 */
static int open_standard(int descriptor, FILE **file)
{
	int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return -errno;
	*file = fdopen(fd, "w");
	if (!*file) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

int filename_open_log(const char *pattern, pid_t pid, FILE **file, char *message, size_t size)
{
	char *path = NULL;
	int fd, error = 0;

	*file = NULL;
	if (!pattern || strcmp(pattern, "%2") == 0 || strcmp(pattern, "%1") == 0) {
		error = open_standard(pattern && pattern[1] == '1' ? STDOUT_FILENO : STDERR_FILENO,
				      file);
		if (error)
			snprintf(message, size, "the report has nowhere to go: %s",
				 strerrordesc_np(-error));
		return error;
	}
	path = filename_expand(pattern, pid, -1, message, size);
	if (!path)
		return -EINVAL;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd >= 0)
		*file = fdopen(fd, "w");
	if (!*file) {
		error = -errno;
		snprintf(message, size, "the log file %s cannot be written: %s", path,
			 strerrordesc_np(-error));
		if (fd >= 0)
			close(fd);
	}
	free(path);
	return error;
}

int filename_close_log(FILE *file)
{
	int error = ferror(file) ? -EIO : 0;

	if (fclose(file) != 0)
		error = -errno;
	return error;
}
