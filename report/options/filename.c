/* SPDX-License-Identifier: MIT */
#include "report/options/filename.h"
#include "report/session/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes what follows a % at `code` to `out`; returns the rest of the pattern, NULL for an error.
 */
static const char *expand_code(FILE *out, const char *code, const struct name_codes *codes,
			       char *message, size_t size)
{
	char host[256], variable[256];
	const char *end, *value;

	switch (*code) {
	case '%':
		fputc('%', out);
		return code + 1;
	case 'p':
		fprintf(out, "%d", (int)codes->pid);
		return code + 1;
	case 'r':
		if (codes->rank < 0) {
			snprintf(message, size,
				 "the rank of %%r is not known: no launcher tells it "
				 "(--rank-variable "
				 "NAME names what does)");
			return NULL;
		}
		fprintf(out, "%d", codes->rank);
		return code + 1;
	case 'h':
		if (gethostname(host, sizeof(host)) < 0)
			strcpy(host, "localhost");
		host[sizeof(host) - 1] = '\0';
		fputs(host, out);
		return code + 1;
	case 'i':
		if (codes->id < 0)
			break;
		fprintf(out, "%lld", (long long)codes->id);
		return code + 1;
	case 'q':
		end = code[1] == '{' ? strchr(code, '}') : NULL;
		if (!end || (size_t)(end - code - 2) >= sizeof(variable)) {
			snprintf(message, size, "%%q needs the name of a variable: %%q{NAME}");
			return NULL;
		}
		*(char *)mempcpy(variable, code + 2, (size_t)(end - code - 2)) = '\0';
		value = environment_get(variable);
		if (!value) {
			snprintf(message, size, "the environment variable %s of %%q{%s} is not set",
				 variable, variable);
			return NULL;
		}
		fputs(value, out);
		return end + 1;
	}
	if (*code)
		snprintf(message, size,
			 "%%%c means nothing in a name (%%p, %%r, %%h, %%q{ENV}, %%%%)", *code);
	else
		snprintf(message, size, "a name ends in a lone %% (write %%%%)");
	return NULL;
}

char *filename_expand(const char *pattern, const struct name_codes *codes, char *message,
		      size_t size)
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
			pattern = expand_code(out, pattern + 1, codes, message, size);
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

char *filename_expand_path(const char *pattern, const struct name_codes *codes, char *message,
			   size_t size)
{
	char *name = filename_expand(pattern, codes, message, size), *path = NULL;
	const char *directory = name && *name != '/' ? environment_directory() : NULL;

	if (!directory)
		return name;
	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		snprintf(message, size, "out of memory");
		path = NULL;
	}
	free(name);
	return path;
}
