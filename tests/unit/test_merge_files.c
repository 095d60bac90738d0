/* SPDX-License-Identifier: MIT */
/* Merging files: what cannot be merged is named and left out, up to twenty; nothing is replaced. */
#include <errno.h>
#include <unistd.h>

#include "report/merge/merge.h"
#include "tests/unit/caught.h"
#include "tests/unit/one_folder.h"

#define FILES 24

static char output[64], paths[FILES][64];
static const char *names[FILES];
static struct merge *merge;

BEFORE_EACH
{
	snprintf(output, sizeof(output), "%s/output", folder);
	for (int i = 0; i < FILES; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%d", folder, i);
		names[i] = paths[i];
	}
}

AFTER_EACH
{
	merge_free(merge);
	merge = NULL;
	for (int i = 0; i < FILES; i++)
		unlink(paths[i]);
	unlink(output);
}

static void profile_of(int number, int pid, const char *job, enum run_part part)
{
	struct session *session;
	struct session_header *header;

	assert_int_equal(session_create(&session, paths[number], SESSION_KEPT), 0);
	header = session_header(session);
	header->pid = pid;
	header->finished = part;
	strcpy(header->rank.launcher, "PMI");
	strcpy(header->rank.job, job);
	session_close(session);
}

static void profile(int number, int pid, const char *job)
{
	profile_of(number, pid, job, RUN_WHOLE);
}

static void no_profile(int number)
{
	FILE *file = fopen(paths[number], "we");

	assert_non_null(file);
	fputs("text", file);
	fclose(file);
}

/* Merges; what is written to the standard error goes to `complaint`. */
static int merged(const char *path, size_t count)
{
	int error;

	catch_begin(false);
	error = merge_files(&merge, path, false, false, names, count);
	catch_end();
	return error;
}

TEST(what_cannot_be_merged_is_named_and_left_out)
{
	const struct session_header *header;
	char expected[512];

	profile(0, 10, "one");
	no_profile(1);
	profile(2, 12, "two");
	profile(3, 10, "one");
	profile(5, 15, "one");
	assert_int_equal(merged(output, 6), 0);
	snprintf(expected, sizeof(expected),
		 "ktime: left out: %s: not a ktime profile\n"
		 "ktime: left out: %s: of another job\n"
		 "ktime: left out: %s: given twice\n"
		 "ktime: left out: %s: No such file or directory\n",
		 paths[1], paths[2], paths[3], paths[4]);
	assert_string_equal(complaint, expected);
	header = session_header(merge_session(merge));
	assert_int_equal(header->processes, 2);
	assert_int_equal(header->finished, RUN_WHOLE);
	assert_int_equal(header->note_count, 4);
	snprintf(expected, sizeof(expected), "Left out: %s: given twice.", paths[3]);
	assert_string_equal(session_string(merge_session(merge), header->notes[2]), expected);
	assert_int_equal(access(output, F_OK), 0);
}

TEST(windows_of_processes_are_a_window_of_the_job)
{
	profile_of(0, 10, "one", RUN_BETWEEN);
	profile_of(1, 11, "one", RUN_BETWEEN);
	assert_int_equal(merged(NULL, 2), 0);
	assert_int_equal(session_header(merge_session(merge))->finished, RUN_BETWEEN);
}

TEST(up_to_twenty_are_named)
{
	size_t lines = 0;

	profile(0, 10, "one");
	assert_int_equal(merged(NULL, 21), 0);
	for (const char *at = complaint; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 20);
	assert_null(strstr(complaint, "more files"));
	merge_free(merge);
	assert_int_equal(merged(NULL, FILES), 0);
	assert_non_null(strstr(complaint, "ktime: left out: 3 more files\n"));
	assert_int_equal(session_header(merge_session(merge))->note_count, 20);
}

TEST(without_a_profile_nothing_is_left)
{
	char expected[256];

	assert_int_equal(merged(output, 1), -ENODATA);
	snprintf(expected, sizeof(expected),
		 "ktime: left out: %s: No such file or directory\nktime: no profile could be "
		 "merged\n",
		 paths[0]);
	assert_string_equal(complaint, expected);
	assert_null(merge);
	assert_int_equal(access(output, F_OK), -1);
}

TEST(a_file_that_is_there_is_kept)
{
	char expected[256];

	profile(0, 10, "one");
	profile(1, 11, "one");
	assert_int_equal(merged(paths[1], 1), -EEXIST);
	snprintf(expected, sizeof(expected), "ktime: %s: File exists (-f replaces it)\n", paths[1]);
	assert_string_equal(complaint, expected);
	assert_int_equal(access(paths[1], F_OK), 0);
	assert_int_equal(merged("/nonexistent/folder/file", 1), -ENOENT);
	assert_string_equal(complaint,
			    "ktime: /nonexistent/folder/file: No such file or directory\n");
}
