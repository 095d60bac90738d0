/* SPDX-License-Identifier: MIT */
#include "report/export/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "report/names/visible.h"

/* The level, and the bytes that are compressed at once: see docs/internals/mechanisms.md. */
#define COMPRESSED_MODE	  "wb1"
#define COMPRESSED_BUFFER 262144

/* How long a pipe may have no reader, and after what time that is said. Chosen. */
#define READER_MS	  3000
#define PATIENT_MS	  500
#define TICK_MS		  10

static int say(int error, const char *path, char *message, size_t size)
{
	snprintf(message, size, "%s: %s", strcmp(path, "-") ? path : "standard output",
		 error == -ENXIO ? "nobody reads it" : new_file_error(error));
	return error;
}

/* The descriptor that a path of /dev or /proc stands for: 1 of "/dev/stdout"; -1: for none. Opened
 * by such a path a file would be written from its beginning again. */
static int descriptor_of(const char *path)
{
	int number, end = 0;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	if ((sscanf(path, "/dev/fd/%d%n", &number, &end) == 1 ||
	     sscanf(path, "/proc/self/fd/%d%n", &number, &end) == 1) &&
	    end > 0 && !path[end])
		return number;
	return -1;
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

static bool is_stream(const char *path)
{
	struct stat status;

	return descriptor_of(path) >= 0 ||
	       (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static unsigned flags_of(bool overwrite, bool profile)
{
	return (overwrite ? NEW_FILE_REPLACES : 0) | (profile ? NEW_FILE_PROFILE : 0);
}

int output_check(const char *path, bool overwrite, bool profile, char *message, size_t size)
{
	int error = is_stream(path) ? 0 : new_file_check(path, flags_of(overwrite, profile));

	return error ? say(error, path, message, size) : 0;
}

/* Opens a pipe or a device. A pipe that nobody reads is waited for, for some seconds. */
static int open_in_place(const char *path)
{
	int descriptor, flags;

	for (unsigned waited = 0;; waited += TICK_MS) {
		descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (descriptor >= 0 || errno != ENXIO || waited >= READER_MS)
			break;
		if (waited == PATIENT_MS)
			visible_line(stderr, "ktime: waiting for somebody to read %s", path);
		poll(NULL, 0, TICK_MS);
	}
	if (descriptor < 0)
		return -errno;
	flags = fcntl(descriptor, F_GETFL);
	if (flags >= 0)
		fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
	return descriptor;
}

int output_open(struct output *output, const char *path, bool overwrite, bool profile,
		char *message, size_t size)
{
	int standard = descriptor_of(path), descriptor, error = 0;

	*output = (struct output){.path = path};
	fflush(stdout);
	if (!is_stream(path)) {
		descriptor =
			new_file_open(&output->place, path, flags_of(overwrite, profile), 0600);
		error = descriptor < 0 ? descriptor : 0;
	} else {
		descriptor =
			standard < 0 ? open_in_place(path) : fcntl(standard, F_DUPFD_CLOEXEC, 3);
		if (descriptor < 0)
			error = standard < 0 ? descriptor : -errno;
	}
	if (error)
		return say(error, path, message, size);
	output->file = open_stream(descriptor, path);
	if (!output->file) {
		output_abandon(output);
		return say(-ENOMEM, path, message, size);
	}
	return 0;
}

int output_finish(struct output *output, char *message, size_t size)
{
	bool failed = fflush(output->file) || ferror(output->file);
	int error = failed ? -errno : 0;

	/* A file system that is full may say so only now. */
	if (fclose(output->file) && !error)
		error = -errno;
	output->file = NULL;
	if (failed && !error)
		error = -EIO;
	if (!error && output->place.temporary)
		error = new_file_place(&output->place);
	output_abandon(output);
	return error ? say(error, output->path, message, size) : 0;
}

void output_abandon(struct output *output)
{
	if (output->file)
		fclose(output->file);
	output->file = NULL;
	new_file_abandon(&output->place);
}
