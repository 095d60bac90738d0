/* SPDX-License-Identifier: MIT */
/* Opening what a user names as an input comes to an end, whatever it is. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "report/session/files.h"
#include "tests/unit/one_folder.h"

static char message[256];
static unsigned said;

static void say(const char *of)
{
	assert_string_equal(of, path);
	said++;
}

BEFORE_EACH
{
	said = 0;
}

/* That it is refused with a line "PATH: REASON". */
static void refused(const char *name, unsigned wait_ms, int error, const char *reason)
{
	char expected[256];
	FILE *file;

	assert_int_equal(input_open(&file, name, wait_ms, say, message, sizeof(message)), error);
	assert_null(file);
	snprintf(expected, sizeof(expected), "%s%s%s", name,
		 strncmp(reason, "is ", 3) == 0 ? " " : ": ", reason);
	assert_string_equal(message, expected);
}

static void holds(const char *name, const char *text)
{
	char read[64] = "";
	FILE *file;

	assert_int_equal(input_open(&file, name, 60000, say, message, sizeof(message)), 0);
	/* Twice: it can be sought in. */
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(fread(read, 1, sizeof(read) - 1, file), strlen(text));
		assert_string_equal(read, text);
		rewind(file);
	}
	fclose(file);
}

TEST(a_file_is_read)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs("one\ntwo\n", file);
	fclose(file);
	holds(path, "one\ntwo\n");
}

TEST(what_is_neither_a_file_nor_a_pipe_is_refused)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	refused(path, 0, -ENOENT, "No such file or directory");
	refused(folder, 0, -EISDIR, "Is a directory");
	refused("/dev/zero", 0, -ENXIO, "is neither a regular file nor a pipe");
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof(address)), 0);
	refused(path, 0, -ENXIO, "is neither a regular file nor a pipe");
	close(server);
}

TEST(a_pipe_is_read_to_its_end)
{
	int ends[2];
	char name[32];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "text", 4), 4);
	close(ends[1]);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
	holds(name, "text");
	close(ends[0]);
}

TEST(a_pipe_that_brings_nothing_is_given_up)
{
	int writer;

	assert_int_equal(mkfifo(path, 0600), 0);
	/* Nobody has it open. */
	refused(path, 0, -ETIMEDOUT, "a pipe that brings nothing");
	assert_int_equal(said, 0);
	/* Somebody does, and writes nothing, or no more. */
	writer = open(path, O_RDWR | O_CLOEXEC);
	assert_true(writer >= 0);
	refused(path, 500, -ETIMEDOUT, "a pipe that brings nothing");
	assert_int_equal(said, 1);
	assert_int_equal(write(writer, "half", 4), 4);
	refused(path, 0, -ETIMEDOUT, "a pipe that brings nothing");
	close(writer);
}
