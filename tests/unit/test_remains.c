/* SPDX-License-Identifier: MIT */
/* Profiles that programs left: how they are listed, removed, and reported in the program's stead,
 * alone or as the processes of a tree. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "report/command/commands.h"
#include "report/session/folder.h"
#include "tests/unit/caught.h"
#include "tests/unit/one_folder.h"

static char paths[4][80], log_path[80];
static struct options options;

BEFORE_EACH
{
	for (int i = 0; i < 4; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/ktime.%d", folder, i + 1);
	snprintf(log_path, sizeof(log_path), "%s/log", folder);
	options_defaults(&options);
	assert_int_equal(setenv("XDG_RUNTIME_DIR", folder, 1) || setenv("TMPDIR", folder, 1) ||
				 setenv("TZ", "UTC", 1),
			 0);
}

AFTER_EACH
{
	options_free(&options);
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("TMPDIR");
	for (int i = 0; i < 4; i++)
		unlink(paths[i]);
	unlink(log_path);
}

/* A program that ended, with one kernel. */
static struct session *leave(int number, pid_t pid)
{
	struct session *session;
	struct session_header *header;
	struct row *row;

	assert_int_equal(session_create(&session, paths[number], 0), 0);
	header = session_header(session);
	header->pid = pid;
	header->owner.started = 5;
	header->start_realtime = 1700000000000000000 + (uint64_t)number * 1000000000;
	header->cupti_active = 1;
	header->command = session_intern(session, number ? "./other\tone" : "./app --fast");
	row = session_row(session, ROW_KERNEL, "work", 0);
	row->calls = 3;
	for (int i = 0; i < 3; i++)
		session_add_sample(session, &row->cupti, 1000);
	return session;
}

/* Has what `run` writes in `said` and `complaint`. */
static int caught(int (*run)(void *argument), void *argument)
{
	int status;

	catch_begin(false);
	status = run(argument);
	catch_end();
	return status;
}

/* The same where both streams are one, as on a terminal: it is all in `said`. */
static void caught_together(int (*run)(void *argument), void *argument)
{
	catch_begin(true);
	run(argument);
	catch_end();
}

static int list(void *left_only)
{
	return list_write(left_only != NULL, stdout);
}

/* The line of a file, without the user and what comes before. */
static void has_line(int number, const char *since, const char *rest)
{
	char *at = strstr(said, paths[number]), *line, expected[256];

	assert_non_null(at);
	for (line = at; line > said && line[-1] != '\n'; line--)
		;
	snprintf(expected, sizeof(expected), "%s  %s  %s\n", since, paths[number], rest);
	line = strstr(line, since);
	assert_non_null(line);
	assert_memory_equal(line, expected, strlen(expected));
}

TEST(profiles_have_a_line_each)
{
	struct session *session = leave(0, 77);

	session_header(session)->devices[0].used = session_header(session)->devices[2].used =
		session_header(session)->devices[63].used = 1;
	session_close(session);
	session = leave(1, 4321);
	session_header(session)->reported = 1;
	session_close(session);
	session = leave(2, 99);
	session_header(session)->start_realtime = 0;
	session_header(session)->owner.pid_namespace++;
	session_close(session);
	assert_true(caught(list, NULL) >= 3);
	assert_memory_equal(said,
			    "    PID  User      Since                    Size  State    GPU  File  "
			    "Command\n",
			    74);
	assert_non_null(strstr(said, "\n     77  "));
	has_line(0, "2023-11-14 22:13:20  192.00KB  ended    0,2,63", "./app --fast");
	has_line(1, "2023-11-14 22:13:21  192.00KB  ended    -  ", "./other\\x09one");
	has_line(2, "-                    192.00KB  unknown  -  ", "./other\\x09one");
	/* One whose report was written is not left. */
	assert_true(caught(list, &options) >= 2);
	assert_non_null(strstr(said, paths[0]));
	assert_null(strstr(said, paths[1]));
	assert_non_null(strstr(said, paths[2]));
}

struct cleaning {
	const char *const *files;
	size_t count;
};

static int clean(void *argument)
{
	const struct cleaning *cleaning = argument;

	return command_clean(&options, cleaning->files, cleaning->count);
}

TEST(what_is_named_is_removed_if_its_program_has_ended)
{
	const char *const files[] = {paths[0], paths[1], paths[2], paths[3]};
	struct cleaning all = {files, 3}, running = {files + 1, 2}, missing = {files + 2, 2};
	struct session *session;
	char expected[256];

	session_close(leave(0, 77));
	assert_int_equal(session_create(&session, paths[1], 0), 0);
	session_close(session);
	session = leave(2, 78);
	session_header(session)->kept = 1;
	session_close(session);
	assert_int_equal(caught(clean, &all), 0);
	snprintf(expected, sizeof(expected), "removed %s\n", paths[0]);
	assert_string_equal(said, expected);
	assert_int_equal(access(paths[0], F_OK), -1);
	assert_int_equal(caught(clean, &running), 0);
	assert_string_equal(said, "No profile of a program that has ended.\n");
	assert_int_equal(access(paths[1], F_OK), 0);
	assert_int_equal(access(paths[2], F_OK), 0);
	assert_int_equal(caught(clean, &missing), 1);
	assert_string_equal(said, "");
	snprintf(expected, sizeof(expected), "ktime: %s: No such file or directory\n", paths[3]);
	assert_string_equal(complaint, expected);
	fclose(fopen(paths[3], "we"));
	assert_int_equal(caught(clean, &missing), 1);
	snprintf(expected, sizeof(expected), "ktime: %s: no profile\n", paths[3]);
	assert_string_equal(complaint, expected);
}

static const struct child *program;
static int program_status;

static int report_remains(void *tree)
{
	remains_report(&options, tree, program, program_status);
	return 0;
}

/* What is in the log file. */
static const char *logged(void)
{
	static char text[8192];
	FILE *file = fopen(log_path, "re");
	size_t length;

	if (!file)
		return "";
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	return text;
}

TEST(what_a_program_left_is_reported_and_removed)
{
	const struct child child = {.pid = 77, .started = 5};

	program = &child;
	program_status = SIGKILL;
	options.log_file = log_path;
	session_close(leave(0, 77));
	session_close(leave(1, 78));
	caught_together(report_remains, NULL);
	assert_string_equal(said,
			    "==77== ktime: the program was killed (Killed): its profile tells "
			    "this\n");
	assert_non_null(strstr(logged(), "work"));
	assert_memory_equal(logged(), "==77== ", 7);
	assert_int_equal(access(paths[0], F_OK), -1);
	assert_int_equal(access(paths[1], F_OK), 0);
	/* One that ended by itself; one that started at another time is another's. */
	unlink(log_path);
	program_status = 0;
	session_close(leave(0, 77));
	caught_together(report_remains, NULL);
	assert_string_equal(said,
			    "==77== ktime: the program ended without a report: its profile tells "
			    "this\n");
	session_close(leave(0, 77));
	program = &(const struct child){.pid = 77, .started = 6};
	caught_together(report_remains, NULL);
	assert_string_equal(said, "");
	assert_int_equal(access(paths[0], F_OK), 0);
}

TEST(what_was_reported_is_removed_alone)
{
	const struct child child = {.pid = 77, .started = 5};
	struct session *session = leave(0, 77);

	program = &child;
	options.log_file = log_path;
	session_header(session)->reported = 1;
	caught_together(report_remains, NULL);
	assert_string_equal(said, "");
	assert_string_equal(logged(), "");
	assert_int_equal(access(paths[0], F_OK), -1);
	session_close(session);
	/* The user asked for this one. */
	session = leave(0, 77);
	session_header(session)->kept = 1;
	options.quiet = true;
	caught_together(report_remains, NULL);
	assert_string_equal(said, "");
	assert_non_null(strstr(logged(), "work"));
	assert_int_equal(access(paths[0], F_OK), 0);
	session_header(session)->reported = 1;
	caught_together(report_remains, NULL);
	assert_int_equal(access(paths[0], F_OK), 0);
	session_close(session);
}

TEST(the_profile_of_a_name_is_found)
{
	const struct child child = {.pid = 77, .started = 5};
	char pattern[80];

	program = &child;
	options.log_file = log_path;
	session_close(leave(0, 77));
	snprintf(pattern, sizeof(pattern), "%s/kept.%%p", folder);
	options.export_profile = pattern;
	snprintf(paths[3], sizeof(paths[3]), "%s/kept.77", folder);
	assert_int_equal(rename(paths[0], paths[3]), 0);
	caught_together(report_remains, NULL);
	assert_non_null(strstr(logged(), "==77== Generated result file: "));
	/* It was not asked for by -o when it was made. */
	assert_int_equal(access(paths[3], F_OK), -1);
}

static int report_tree(void *path)
{
	tree_report(&options, path);
	return 0;
}

TEST(a_tree_has_a_summary_and_is_removed)
{
	char *tree, path[128];

	options.profile_children = true;
	tree = tree_create(&options);
	assert_non_null(tree);
	assert_memory_equal(tree, folder, strlen(folder));
	options.log_file = log_path;
	for (int i = 0; i < 2; i++) {
		session_close(leave(i, 80 + i));
		snprintf(path, sizeof(path), "%s/%d", tree, i);
		assert_int_equal(rename(paths[i], path), 0);
	}
	caught_together(report_tree, tree);
	assert_string_equal(said, "");
	assert_non_null(strstr(logged(), "Processes: 2 on 1 node; times are sums over them."));
	assert_non_null(strstr(logged(), "Slowest processes, by GPU time, 2 of 2"));
	assert_int_equal(access(tree, F_OK), -1);
	free(tree);
	/* One process has its own report. */
	unlink(log_path);
	tree = tree_create(&options);
	session_close(leave(0, 80));
	snprintf(path, sizeof(path), "%s/0", tree);
	assert_int_equal(rename(paths[0], path), 0);
	caught_together(report_tree, tree);
	assert_string_equal(logged(), "");
	assert_int_equal(access(tree, F_OK), -1);
	free(tree);
	tree_report(&options, NULL);
}

TEST(a_tree_needs_children_without_a_name)
{
	char *tree;

	assert_null(tree_create(&options));
	options.profile_children = true;
	options.export_profile = "file";
	assert_null(tree_create(&options));
	options.export_profile = NULL;
	/* A folder of a relative name is the program's, elsewhere. */
	setenv("TMPDIR", "relative", 1);
	tree = tree_create(&options);
	assert_non_null(tree);
	assert_memory_equal(tree, "/tmp/ktime-tree.", 16);
	assert_int_equal(rmdir(tree), 0);
	free(tree);
	setenv("TMPDIR", "/nonexistent", 1);
	assert_null(tree_create(&options));
}
