/* SPDX-License-Identifier: MIT */
/* Files that come into being whole or not at all, and what ktime export refuses to write. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/export/export.h"
#include "report/export/output.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/caught.h"
#include "tests/unit/one_folder.h"

static char profile[64], message[512];

BEFORE_EACH
{
	snprintf(profile, sizeof(profile), "%s/profile", folder);
	*message = '\0';
}

/* Nothing else may be left in the folder. */
AFTER_EACH
{
	unlink(profile);
}

static void has(const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, file), strlen(expected));
	assert_string_equal(text, expected);
	fclose(file);
}

static int write_text(const char *text, bool overwrite)
{
	struct output output;
	int error = output_open(&output, path, overwrite, false, message, sizeof(message));

	if (error)
		return error;
	fputs(text, output.file);
	error = output_finish(&output, message, sizeof(message));
	assert_null(output.file);
	assert_null(output.place.temporary);
	output_abandon(&output);
	return error;
}

TEST(a_file_is_there_once_it_is_whole)
{
	mode_t mask = umask(027);
	struct output output;
	struct stat status;

	assert_int_equal(output_open(&output, path, false, false, message, sizeof(message)), 0);
	assert_non_null(output.place.temporary);
	assert_int_equal(access(path, F_OK), -1);
	fputs("whole", output.file);
	assert_int_equal(output_finish(&output, message, sizeof(message)), 0);
	has("whole");
	/* It is of a profile, which only this user may read. */
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(umask(mask), 027);
	assert_string_equal(message, "");
}

TEST(a_file_that_is_given_up_leaves_nothing)
{
	struct output output;

	assert_int_equal(output_open(&output, path, false, false, message, sizeof(message)), 0);
	fputs("part", output.file);
	output_abandon(&output);
	assert_null(output.file);
	assert_null(output.place.temporary);
	output_abandon(&output);
	assert_int_equal(access(path, F_OK), -1);
}

TEST(a_file_that_is_there_is_replaced_only_if_asked_for)
{
	struct output output;
	char expected[128];

	assert_int_equal(write_text("one", false), 0);
	assert_int_equal(write_text("two", false), -EEXIST);
	snprintf(expected, sizeof(expected), "%s: File exists (-f replaces it)", path);
	assert_string_equal(message, expected);
	has("one");
	assert_int_equal(write_text("three", true), 0);
	has("three");
	/* Another came up meanwhile. */
	unlink(path);
	assert_int_equal(output_open(&output, path, false, false, message, sizeof(message)), 0);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	fputs("four", output.file);
	assert_int_equal(output_finish(&output, message, sizeof(message)), -EEXIST);
	assert_string_equal(message, expected);
	has("");
}

TEST(a_profile_is_replaced_by_nothing_but_a_profile)
{
	struct session *session;
	struct output output;
	char expected[192];

	assert_int_equal(session_create(&session, path, SESSION_KEPT), 0);
	snprintf(expected, sizeof(expected),
		 "%s: a ktime profile, which is replaced by nothing but a profile: give another "
		 "name",
		 path);
	assert_int_equal(write_text("text", true), -EMEDIUMTYPE);
	assert_string_equal(message, expected);
	assert_int_equal(write_text("text", false), -EEXIST);
	/* Nor by one while a process writes to it. */
	assert_int_equal(output_open(&output, path, true, true, message, sizeof(message)), -EBUSY);
	assert_int_equal(output_check(path, true, true, message, sizeof(message)), -EBUSY);
	session_header(session)->owner.started++;
	assert_int_equal(output_open(&output, path, true, true, message, sizeof(message)), 0);
	fputs("profile", output.file);
	assert_int_equal(output_finish(&output, message, sizeof(message)), 0);
	has("profile");
	session_close(session);
	/* One that has come meanwhile. */
	assert_int_equal(output_open(&output, path, true, false, message, sizeof(message)), 0);
	assert_int_equal(session_create(&session, path, SESSION_REPLACES), 0);
	assert_int_equal(output_finish(&output, message, sizeof(message)), -EMEDIUMTYPE);
	assert_true(is_profile_file(path));
	session_close(session);
}

TEST(no_link_is_followed)
{
	struct stat status;

	assert_int_equal(write_text("whole", false), 0);
	assert_int_equal(rename(path, profile), 0);
	assert_int_equal(symlink(profile, path), 0);
	assert_int_equal(write_text("other", false), -EEXIST);
	assert_int_equal(write_text("other", true), 0);
	has("other");
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(rename(profile, path), 0);
	has("whole");
	/* One that leads to nothing. */
	unlink(path);
	assert_int_equal(symlink(profile, path), 0);
	assert_int_equal(write_text("other", false), -EEXIST);
	assert_int_equal(access(profile, F_OK), -1);
}

/* By such a path a file would be written from its beginning. */
TEST(a_descriptor_is_written_on_by_its_path)
{
	char name[32];
	int fd;

	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && write(fd, "first ", 6) == 6);
	for (unsigned i = 0; i < 2; i++) {
		struct output output;

		snprintf(name, sizeof(name), i ? "/proc/self/fd/%d" : "/dev/fd/%d", fd);
		assert_int_equal(output_open(&output, name, false, false, message, sizeof(message)),
				 0);
		fputs("next ", output.file);
		assert_int_equal(output_finish(&output, message, sizeof(message)), 0);
	}
	close(fd);
	has("first next next ");
}

TEST(what_cannot_be_written_is_said)
{
	struct output output;
	char expected[128];

	assert_int_equal(output_open(&output, folder, true, false, message, sizeof(message)),
			 -EISDIR);
	snprintf(expected, sizeof(expected), "%s: Is a directory", folder);
	assert_string_equal(message, expected);
	assert_int_equal(
		output_open(&output, "/nonexistent/file", true, false, message, sizeof(message)),
		-ENOENT);
	assert_string_equal(message, "/nonexistent/file: No such file or directory");
	/* A device is written in place, and says only at the end that it is full. */
	assert_int_equal(output_open(&output, "/dev/full", false, false, message, sizeof(message)),
			 0);
	assert_null(output.place.temporary);
	fputs("text", output.file);
	assert_int_equal(output_finish(&output, message, sizeof(message)), -ENOSPC);
	assert_string_equal(message, "/dev/full: No space left on device");
	assert_int_equal(output_open(&output, "/dev/null", false, false, message, sizeof(message)),
			 0);
	assert_int_equal(output_finish(&output, message, sizeof(message)), 0);
	assert_int_equal(output_open(&output, "-", false, false, message, sizeof(message)), 0);
	assert_ptr_not_equal(output.file, stdout);
	assert_int_equal(output_finish(&output, message, sizeof(message)), 0);
}

/* Runs ktime export of the profile; what it says goes to `complaint`. */
static int export_profile(const struct options *options)
{
	const char *const files[] = {profile};
	int status;

	catch_begin(false);
	status = command_export(options, files, 1);
	catch_end();
	return status;
}

TEST(a_profile_is_exported_in_each_form)
{
	static const char *const starts[] = {"SQLite format 3", "{\"", "{\"format\":"};
	struct options options;

	session_close(whole_profile(WHOLE_CUPTI, profile));
	for (int form = 0; form < 3; form++) {
		char start[20] = "";
		FILE *file;

		options_defaults(&options);
		*(form == 0 ? &options.sqlite : form == 1 ? &options.chrome : &options.json) = path;
		assert_int_equal(export_profile(&options), 0);
		assert_string_equal(complaint, "");
		file = fopen(path, "re");
		assert_non_null(file);
		assert_int_equal(fread(start, 1, strlen(starts[form]), file), strlen(starts[form]));
		assert_string_equal(start, starts[form]);
		fclose(file);
		assert_int_equal(export_profile(&options), 1);
		options.force_overwrite = true;
		assert_int_equal(export_profile(&options), 0);
		options_free(&options);
		unlink(path);
	}
}

TEST(what_is_not_exported_is_said)
{
	struct options options;
	struct session *session;
	char expected[512];

	options_defaults(&options);
	assert_int_equal(export_profile(&options), 2);
	assert_non_null(strstr(complaint, "ktime export: give --perfetto OUT, "));
	options.chrome = path;
	assert_int_equal(export_profile(&options), 1);
	snprintf(expected, sizeof(expected), "ktime: %s: No such file or directory\n", profile);
	assert_string_equal(complaint, expected);
	assert_int_equal(session_create(&session, profile, SESSION_KEPT), 0);
	session_close(session);
	assert_int_equal(export_profile(&options), 1);
	snprintf(expected, sizeof(expected),
		 "ktime: %s has no trace, which --chrome needs: record it with ktime --keep-trace "
		 "all -o FILE\n",
		 profile);
	assert_string_equal(complaint, expected);
	unlink(profile);
	session = whole_profile(WHOLE_CUPTI, profile);
	options.sqlite = "/dev/null";
	options.chrome = NULL;
	assert_int_equal(export_profile(&options), 1);
	assert_string_equal(complaint, "ktime: /dev/null: --sqlite needs a regular file\n");
	session_header(session)->processes = 2;
	options.sqlite = path;
	assert_int_equal(export_profile(&options), 1);
	snprintf(expected, sizeof(expected),
		 "ktime: %s is merged: --sqlite exports the profile of one process\n", profile);
	assert_string_equal(complaint, expected);
	session_close(session);
	options_free(&options);
}

TEST(a_pipe_without_a_reader_is_given_up)
{
	char expected[128];
	int reader;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(write_text("text", false), -ENXIO);
	snprintf(expected, sizeof(expected), "%s: nobody reads it", path);
	assert_string_equal(message, expected);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	assert_int_equal(write_text("text", false), 0);
	assert_int_equal(read(reader, expected, sizeof(expected)), 4);
	close(reader);
}
