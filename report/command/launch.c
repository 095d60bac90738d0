/* SPDX-License-Identifier: MIT */
#include "report/command/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "report/options/metrics.h"
#include "report/names/visible.h"
#include "report/options/filename.h"
#include "report/session/folder.h"
#include "report/session/files.h"
#include "report/session/text.h"

#define CANNOT_RUN 126
#define NOT_FOUND  127

/* Appends to what the environment variable holds already. */
static int append_variable(const char *name, const char *separator, const char *value)
{
	const char *before = getenv(name);
	char *joined;
	int error = 0;

	if (asprintf(&joined, "%s%s%s", before ? before : "", before && *before ? separator : "",
		     value) < 0)
		return -ENOMEM;
	if (setenv(name, joined, 1) < 0)
		error = -errno;
	free(joined);
	return error;
}

/* One word, quoted so that it is read back as it was. */
static void write_word(const char *word, FILE *out)
{
	fputs(" '", out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}

/* Whether the pattern names a file, not a standard stream. */
static bool is_file(const char *pattern)
{
	return pattern && strcmp(pattern, "%1") != 0 && strcmp(pattern, "%2") != 0;
}

/* Writes an option and its file by an absolute path: the program may change its directory before
 * the file is opened. */
static void write_absolute(const char *option, const char *pattern, FILE *out)
{
	char directory[PATH_MAX], *quoted, *path;

	if (!is_file(pattern) || *pattern == '/' || !getcwd(directory, sizeof(directory)))
		return;
	quoted = filename_quote(directory);
	if (quoted && asprintf(&path, "%s/%s", quoted, pattern) >= 0) {
		fprintf(out, " --%s", option);
		write_word(path, out);
		free(path);
	}
	free(quoted);
}

/*
 * A word that names a file of declarations, by its whole path: the program may change its directory
 * before the file is read.
 */
static void write_option_word(const char *word, const char *before, FILE *out)
{
	static const char *const names[] = {"--bytes", "--flops", "--work"};
	const char *file = NULL;
	char *path, *absolute;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i]);

		if (before && strcmp(before, names[i]) == 0)
			file = word;
		else if (strncmp(word, names[i], length) == 0 && word[length] == '=')
			file = word + length + 1;
	}
	path = file && *file == '@' ? realpath(file + 1, NULL) : NULL;
	if (path && asprintf(&absolute, "%.*s@%s", (int)(file - word), word, path) >= 0) {
		write_word(absolute, out);
		free(absolute);
	} else {
		write_word(word, out);
	}
	free(path);
}

/* Writes the option by which, with -f, only the first of several processes with the same name of
 * the profile replaces the existing file. */
static void write_replaced(const char *pattern, FILE *out)
{
	const struct name_codes codes = {getpid(), -1, -1};
	char message[512], text[FILE_IDENTITY_SIZE];
	char *path = pattern && !strstr(pattern, "%r")
			     ? filename_expand(pattern, &codes, message, sizeof(message))
			     : NULL;

	if (path && file_identity(path, text))
		fprintf(out, " --replaces %s", text);
	free(path);
}

static int set_options(const struct options *options, const char *tree)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int error;

	if (!out)
		return -ENOMEM;
	for (int i = 0; i < options->word_count; i++)
		write_option_word(options->words[i], i > 0 ? options->words[i - 1] : NULL, out);
	write_absolute("log-file", options->log_file, out);
	write_absolute("export-profile", options->export_profile, out);
	write_absolute("prometheus", options->prometheus, out);
	if (!options->profile_children)
		fprintf(out, " --only-process %d", (int)getpid());
	else if (options->force_overwrite)
		write_replaced(options->export_profile, out);
	if (tree) {
		fputs(" --tree", out);
		write_word(tree, out);
	}
	error = text_close(out, &text)
			?: append_variable("KTIME_OPTIONS", " ", text + (*text == ' '));
	free(text);
	return error;
}

/* Checks before the program runs that the file can be written after it. */
static int check_file(const char *pattern, const struct process_rank *rank, bool is_for_profile,
		      bool keep_existing, const char *const *program)
{
	char message[512], *path;
	struct name_codes codes = {getpid(), rank->rank, -1};
	struct stat status;
	bool is_input = false;
	int error = 0;

	if (!is_file(pattern))
		return 0;
	/* PROGRAM may start the ranks, as mpirun does. */
	if (strstr(pattern, "%r") && rank->rank < 0)
		codes.rank = 0;
	path = filename_expand(pattern, &codes, message, sizeof(message));
	if (!path)
		return visible_fail(-EINVAL, "ktime: %s", message);
	if (stat(path, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			error = -EISDIR;
		else if (keep_existing && !folder_holder(path))
			error = -EEXIST;
		else if (!is_for_profile && is_profile_file(path))
			error = -EMEDIUMTYPE;
		else if (access(path, W_OK) < 0)
			error = -errno;
		for (; *program && !error; program++)
			is_input = is_input || is_same_file(path, *program);
	} else {
		error = new_file_check_folder(path);
	}
	if (is_input)
		visible_line(
			stderr,
			"ktime: %s is the program, or a file that it is given: give another name",
			path);
	else if (error)
		visible_line(stderr, "ktime: %s cannot be written: %s", path,
			     new_file_error(error));
	free(path);
	return is_input ? -EINVAL : error;
}

/* Becomes the program; returns only with a message and a status. */
static int become(const struct options *options, const char *tree, const char *const *program)
{
	int error = set_options(options, tree);

	if (error)
		return visible_fail(CANNOT_RUN, "ktime: %s", strerror(-error));
	execvp(program[0], (char *const *)(uintptr_t)program);
	error = errno;
	visible_line(stderr, "ktime: %s: %s", program[0], strerror(error));
	return error == ENOENT ? NOT_FOUND : CANNOT_RUN;
}

/*
 * Closes the files that ktime does not need for the report. Whoever reads the program's output from
 * a pipe waits until nobody holds the other end: ktime must not, once the program has ended.
 */
static void let_go(const struct options *options)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		if (!options->log_file || strcmp(options->log_file, "%1") != 0)
			dup2(null, STDOUT_FILENO);
	}
	/* In glibc from 2.34 on, in Linux from 5.9 on. */
	if (syscall(SYS_close_range, 3, ~0U, 0) != 0)
		for (int file = 3; file < FD_SETSIZE; file++)
			close(file);
}

/* Runs the program as a child, and reports on it where it could not do that itself. */
static int run(const struct options *options, const char *const *program)
{
	char *tree = tree_create(options);
	struct child child;
	int status, forked = child_fork(&child);

	if (forked < 0) {
		visible_line(stderr, "ktime: %s", strerror(-forked));
		tree_report(options, tree);
		free(tree);
		return CANNOT_RUN;
	}
	if (forked == 0)
		_exit(become(options, tree, program));
	let_go(options);
	status = child_wait(&child);
	remains_report(options, tree, &child, status);
	tree_report(options, tree);
	free(tree);
	remains_say_daemons(options, &child);
	return child_end_alike(status);
}

static int check_files(const struct options *options, const char *const *program)
{
	const char *profile = options->export_profile, *log = options->log_file;
	char pattern[PATH_MAX];
	struct process_rank rank = rank_find(options->rank_variable);
	bool of_rank = profile && rank_file_pattern(pattern, sizeof(pattern), profile, &rank);

	if (profile && log && strcmp(profile, log) == 0)
		return visible_fail(-EINVAL,
				    "ktime: the profile and the report would be one file, %s", log);
	/* An existing file of a rank is not replaced: the new file gets another name. */
	return check_file(log, &rank, false, false, program) ||
	       check_file(profile ? pattern : NULL, &rank, true,
			  !options->force_overwrite && !of_rank, program);
}

int launch(const struct options *options, const char *const *program)
{
	char *library;
	int error;

	if (check_files(options, program))
		return EXIT_BAD_USAGE;
	if (options->profile_children && is_file(options->log_file) &&
	    !filename_tells_apart(options->log_file))
		visible_line(
			stderr,
			"ktime: several processes would write to %s, one over the other: put %%p "
			"into the name for --log-file",
			options->log_file);
	if (preloaded_find(&library))
		return CANNOT_RUN;
	error = append_variable("LD_PRELOAD", ":", library);
	free(library);
	if (error)
		return visible_fail(CANNOT_RUN, "ktime: %s", strerror(-error));
	return run(options, program);
}

static bool is_on_path(const char *program)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	/* As execvp does without PATH. */
	for (path = path ? path : "/bin:/usr/bin";; path++) {
		size_t length = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s%s%s", (int)length, path, length ? "/" : "",
			 program);
		if (access(file, X_OK) == 0)
			return true;
		path += length;
		if (!*path)
			return false;
	}
}

/* Whether there is such a program, as far as can be told; says what may have been meant if not. */
static bool check_program(const char *program)
{
	const char *instead = command_instead(program);
	struct nearest nearest = {NULL, 0};

	if (strchr(program, '/') || is_on_path(program))
		return true;
	for (size_t i = 1; i < COMMAND_COUNT; i++)
		nearest_consider(&nearest, program, strlen(program), commands[i].name);
	nearest_consider(&nearest, program, strlen(program), "--help");
	if (access(program, X_OK) == 0)
		visible_line(stderr, "ktime: %s is not on PATH; did you mean ./%s?", program,
			     program);
	else if (instead)
		visible_line(stderr, "ktime: there is no command %s: %s", program, instead);
	else if (nearest.name)
		visible_line(stderr, "ktime: no program %s on PATH; did you mean ktime %s?",
			     program, nearest.name);
	else if (strlen(program) > 3 && strcmp(program + strlen(program) - 3, ".py") == 0)
		visible_line(stderr, "ktime: no program %s on PATH; did you mean ktime python3 %s?",
			     program, program);
	else
		visible_line(stderr, "ktime: no program %s on PATH", program);
	return false;
}

/* Prints the library's path, for LD_PRELOAD, if the command cannot be the program's parent. */
static int print_library(void)
{
	char *library;

	if (preloaded_find(&library))
		return EXIT_FAILURE;
	puts(library);
	free(library);
	return EXIT_SUCCESS;
}

int command_run(const struct options *options, const char *const *program, size_t count)
{
	if (options->version) {
		puts("ktime " KTIME_VERSION);
		return EXIT_SUCCESS;
	}
	if (options->library)
		return print_library();
	if (options->query_metrics) {
		metrics_list(stdout);
		return EXIT_SUCCESS;
	}
	if (options->completion) {
		completion_write(stdout);
		return EXIT_SUCCESS;
	}
	/* As nvprof: the report goes to stderr. */
	if (options->import_profile)
		return show_files(options, &options->import_profile, 1);
	if (count == 0)
		return visible_fail(EXIT_BAD_USAGE, "ktime: no program given (ktime --help)");
	return check_program(program[0]) ? launch(options, program) : NOT_FOUND;
}
