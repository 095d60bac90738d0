/* SPDX-License-Identifier: MIT */
#include "report/export/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

/* The level, and the bytes that are compressed at once: see docs/design.md. */
#define COMPRESSED_MODE	  "wb1"
#define COMPRESSED_BUFFER 262144

static int say(int error, const char *path, char *message, size_t size)
{
	snprintf(message, size, "%s: %s", path, strerror(-error));
	return error;
}

/* mkstemp leaves the file to its owner alone; give it what open() would have. */
static void grant_usual_mode(int descriptor)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(descriptor, 0666 & ~mask))
		return; /* a file system without modes */
}

bool output_is_compressed(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && !strcmp(path + length - 3, ".gz");
}

static ssize_t compress_write(void *stream, const char *bytes, size_t size)
{
	unsigned part = size < INT_MAX ? (unsigned)size : INT_MAX;
	int written = gzwrite(stream, bytes, part);

	return written > 0 ? written : 0; /* 0: an error, to stdio */
}

static int compress_close(void *stream)
{
	int error = gzclose(stream);

	if (error != Z_OK && error != Z_ERRNO)
		errno = error == Z_MEM_ERROR ? ENOMEM : EIO;
	return error == Z_OK ? 0 : EOF;
}

/* Writes to a descriptor, which is closed with the stream or, on an error, at once. */
static FILE *open_stream(int descriptor, const char *path)
{
	static const cookie_io_functions_t functions = {.write = compress_write,
							.close = compress_close};
	gzFile compressed = NULL;
	FILE *file;

	if (!output_is_compressed(path)) {
		file = fdopen(descriptor, "w");
		if (!file)
			close(descriptor);
		return file;
	}
	compressed = gzdopen(descriptor, COMPRESSED_MODE);
	if (!compressed) {
		close(descriptor);
		errno = ENOMEM;
		return NULL;
	}
	gzbuffer(compressed, COMPRESSED_BUFFER);
	file = fopencookie(compressed, "w", functions);
	if (!file)
		gzclose(compressed);
	return file;
}

int output_open(struct output *output, const char *path, bool overwrite, char *message, size_t size)
{
	struct stat status;
	bool exists;
	int descriptor;

	*output = (struct output){.path = path, .overwrite = overwrite};
	if (!strcmp(path, "-")) {
		output->file = stdout;
		return 0;
	}
	exists = !stat(path, &status);
	if (exists && S_ISDIR(status.st_mode))
		return say(-EISDIR, path, message, size);
	if (exists && !S_ISREG(status.st_mode)) {
		descriptor = open(path, O_WRONLY | O_CLOEXEC);
		output->file = descriptor < 0 ? NULL : open_stream(descriptor, path);
		return output->file ? 0 : say(-errno, path, message, size);
	}
	if (exists && !overwrite) {
		snprintf(message, size, "%s: File exists (-f replaces it)", path);
		return -EEXIST;
	}
	if (asprintf(&output->temporary, "%s.XXXXXX", path) < 0) {
		output->temporary = NULL;
		return say(-ENOMEM, path, message, size);
	}
	descriptor = mkostemp(output->temporary, O_CLOEXEC);
	if (descriptor < 0) {
		int error = -errno;

		free(output->temporary);
		output->temporary = NULL;
		return say(error, path, message, size);
	}
	grant_usual_mode(descriptor);
	output->file = open_stream(descriptor, path);
	if (!output->file) {
		output_abandon(output);
		return say(-ENOMEM, path, message, size);
	}
	return 0;
}

static int put_in_place(const struct output *output)
{
	/* link() fails where a file has come up meanwhile, but some file systems have no links. */
	if (!output->overwrite) {
		if (!link(output->temporary, output->path))
			return 0;
		if (errno == EEXIST)
			return -EEXIST;
	}
	return rename(output->temporary, output->path) ? -errno : 0;
}

int output_finish(struct output *output, char *message, size_t size)
{
	bool failed = fflush(output->file) || ferror(output->file);
	int error = failed ? -errno : 0;

	/* A file system that is full may say so only now. */
	if (output->file != stdout && fclose(output->file) && !error)
		error = -errno;
	output->file = NULL;
	if (failed && !error)
		error = -EIO;
	if (!error && output->temporary)
		error = put_in_place(output);
	output_abandon(output);
	return error ? say(error, output->path, message, size) : 0;
}

void output_abandon(struct output *output)
{
	if (output->file && output->file != stdout)
		fclose(output->file);
	output->file = NULL;
	if (output->temporary)
		unlink(output->temporary);
	free(output->temporary);
	output->temporary = NULL;
}
