/* SPDX-License-Identifier: MIT */
#include "report/command/bench.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/command/child.h"
#include "report/command/launch.h"
#include "report/compare/compare_print.h"
#include "report/compare/runs.h"

#define MESSAGE_SIZE 512
#define BAD_USAGE    2
#define MOST_RUNS    1000

/* The file of a run; the caller frees it. */
static char *run_path(const char *folder, unsigned run)
{
	char *path;

	return asprintf(&path, "%s/run-%03u" RUNS_SUFFIX, folder, run) < 0 ? NULL : path;
}

/* A path as -o takes it, where a percent sign begins a name. */
static char *quote_percent(const char *path)
{
	char *quoted = malloc(2 * strlen(path) + 1), *end = quoted;

	for (; quoted && *path; path++) {
		if (*path == '%')
			*end++ = '%';
		*end++ = *path;
	}
	if (quoted)
		*end = '\0';
	return quoted;
}

/* Removes the profiles of earlier runs; other files stay. */
static int empty_folder(const char *folder)
{
	for (unsigned run = 1; run <= MOST_RUNS; run++) {
		char *path = run_path(folder, run);
		int error = !path ? -ENOMEM : unlink(path) < 0 && errno != ENOENT ? -errno : 0;

		free(path);
		if (error)
			return error;
	}
	return 0;
}

/* Makes the folder and returns its whole path, which the caller frees; NULL with a message. */
static char *make_folder(const char *name, bool overwrite)
{
	char *folder = NULL;
	int error = mkdir(name, 0777) < 0 ? -errno : 0;

	if (error == -EEXIST && overwrite)
		error = empty_folder(name);
	if (!error) {
		folder = realpath(name, NULL);
		error = folder ? 0 : -errno;
	}
	if (error)
		fprintf(stderr, "ktime bench: %s: %s%s\n", name, strerror(-error),
			error == -EEXIST ? " (-f replaces its profiles, -o takes another folder)"
					 : "");
	return folder;
}

/* Runs the program once; its status as waitpid(2) has it, or -errno. */
static int run_once(const struct options *options, const char *path, char *const *argv)
{
	char force[] = "-f", quiet[] = "--quiet", output[] = "-o";
	struct options run_options = *options;
	char *pattern = quote_percent(path);
	char *const words[] = {output, pattern, force, quiet};
	struct child child;
	int status;

	if (!pattern)
		return -ENOMEM;
	run_options.export_profile = pattern;
	run_options.force_overwrite = true;
	status = child_fork(&child);
	if (status == 0)
		_exit(launch(&run_options, words, sizeof(words) / sizeof(*words), argv));
	if (status > 0) {
		status = child_wait(&child);
		/* child_fork held signals back. */
		sigaction(SIGCHLD, &child.child_action, NULL);
		sigprocmask(SIG_SETMASK, &child.mask, NULL);
	}
	free(pattern);
	return status;
}

/* Runs the program as often as asked for; the exit status. */
static int run_all(const struct options *options, const char *folder, char *const *argv)
{
	for (unsigned run = 1; run <= options->runs; run++) {
		char *path = run_path(folder, run);
		int status = path ? run_once(options, path, argv) : -ENOMEM;
		bool kept = path && access(path, F_OK) == 0;

		free(path);
		if (status < 0) {
			fprintf(stderr, "ktime bench: %s\n", strerror(-status));
			return EXIT_FAILURE;
		}
		if (status != 0) {
			fprintf(stderr, "ktime bench: run %u of %u failed\n", run, options->runs);
			return child_end_alike(status);
		}
		if (!kept) {
			fprintf(stderr, "ktime bench: run %u left no profile: no CUDA was used\n",
				run);
			return EXIT_FAILURE;
		}
	}
	return EXIT_SUCCESS;
}

int command_bench(const struct options *options, const char *const *argv, size_t count)
{
	char *const *program = (char *const *)(uintptr_t)argv; /* as execvp(3) takes it */
	struct profile runs = {0};
	char message[MESSAGE_SIZE], name[PATH_MAX], *folder;
	const char *base = strrchr(argv[0], '/');
	int status;

	(void)count;
	if (options->runs == 0 || options->runs > MOST_RUNS) {
		fprintf(stderr, "ktime bench: --runs takes 1 to %d\n", MOST_RUNS);
		return BAD_USAGE;
	}
	snprintf(name, sizeof(name), "%s.runs", base ? base + 1 : argv[0]);
	folder = make_folder(options->export_profile ? options->export_profile : name,
			     options->force_overwrite);
	if (!folder)
		return BAD_USAGE;
	status = run_all(options, folder, program);
	if (status == EXIT_SUCCESS) {
		status =
			runs_load(&runs, (const char *const[]){folder}, 1, message, sizeof(message))
				? EXIT_FAILURE
				: EXIT_SUCCESS;
		if (status == EXIT_SUCCESS)
			runs_print_text(&runs, stderr);
		else
			fprintf(stderr, "ktime bench: %s\n", message);
	}
	/* Nothing stays of a program that could not be run. */
	if (status != EXIT_SUCCESS)
		rmdir(folder);
	profile_free(&runs);
	free(folder);
	return status;
}
