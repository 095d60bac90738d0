/* SPDX-License-Identifier: MIT */
#include "report/command/commands.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/compare/compare.h"
#include "report/names/visible.h"
#include "report/options/filename.h"

#define RUN_PATH (PATH_MAX + 24)

/* The file of a run. */
static const char *run_path(char path[RUN_PATH], const char *folder, unsigned run)
{
	snprintf(path, RUN_PATH, "%s/run-%03u" RUNS_SUFFIX, folder, run);
	return path;
}

/* Removes the profiles of runs from a folder, from run `first` on; other files stay. */
static int remove_runs(const char *folder, unsigned first)
{
	char path[RUN_PATH];

	for (unsigned run = first; run <= OPTIONS_RUNS_MOST; run++)
		if (unlink(run_path(path, folder, run)) < 0 && errno != ENOENT)
			return -errno;
	return 0;
}

/* Where the runs' profiles go in the end, and where they are until all are there: absolute paths,
 * which are equal if the folder is new. */
struct folders {
	char folder[PATH_MAX], runs[PATH_MAX];
};

static bool is_beside(const struct folders *folders)
{
	return strcmp(folders->folder, folders->runs) != 0;
}

/* Makes the folder. If it holds earlier runs, which -f allows to be replaced, makes one beside it
 * instead, whose profiles replace the earlier ones in the end. 0, or -errno with a message. */
static int make_folders(struct folders *folders, const char *name, bool overwrite)
{
	int error = mkdir(name, 0777) < 0 ? -errno : 0;
	bool beside = error == -EEXIST && overwrite;

	if (!error || beside)
		error = realpath(name, folders->folder) ? 0 : -errno;
	if (!error && snprintf(folders->runs, PATH_MAX, "%s%s", folders->folder,
			       beside ? ".XXXXXX" : "") >= PATH_MAX)
		error = -ENAMETOOLONG;
	if (!error && beside && !mkdtemp(folders->runs))
		error = -errno;
	if (error)
		visible_line(stderr, "ktime bench: %s: %s%s", name, strerror(-error),
			     error == -EEXIST
				     ? " (-f replaces its profiles, -o takes another folder)"
				     : "");
	return error;
}

/* Puts the profiles of all runs in the place of those of earlier ones: 0, or -errno with a message.
 */
static int replace_runs(const struct folders *folders, unsigned runs)
{
	char from[RUN_PATH], to[RUN_PATH];
	int error = 0;

	if (!is_beside(folders))
		return 0;
	for (unsigned run = 1; run <= runs && !error; run++)
		if (rename(run_path(from, folders->runs, run), run_path(to, folders->folder, run)) <
		    0)
			error = -errno;
	if (!error)
		error = remove_runs(folders->folder, runs + 1);
	if (error)
		visible_line(stderr, "ktime bench: the runs cannot be put into %s: %s",
			     folders->folder, strerror(-error));
	return error;
}

/* Runs the program once; its status as waitpid(2) has it, or -errno. */
static int run_once(const struct options *options, const char *path, const char *const *program)
{
	char force[] = "-f", quiet[] = "--quiet", output[] = "-o";
	struct options run_options = *options;
	char *pattern = filename_quote(path);
	char *const words[] = {output, pattern, force, quiet};
	struct child child;
	int status;

	if (!pattern)
		return -ENOMEM;
	run_options.words = words;
	run_options.word_count = sizeof(words) / sizeof(*words);
	run_options.export_profile = pattern;
	run_options.force_overwrite = true;
	status = child_fork(&child);
	if (status == 0)
		_exit(launch(&run_options, program));
	if (status > 0) {
		status = child_wait(&child);
		/* child_fork held signals back. */
		sigaction(SIGCHLD, &child.child_action, NULL);
		sigprocmask(SIG_SETMASK, &child.mask, NULL);
	}
	free(pattern);
	return status;
}

/* Runs the program as often as asked for; the exit status. *ended: as waitpid(2) has the status of
 * a run that failed, else 0. */
static int run_all(const struct options *options, const char *folder, const char *const *program,
		   int *ended)
{
	for (unsigned run = 1; run <= options->runs; run++) {
		char path[RUN_PATH];
		int status = run_once(options, run_path(path, folder, run), program);

		if (status < 0)
			return visible_fail(EXIT_FAILURE, "ktime bench: %s", strerror(-status));
		if (status != 0) {
			visible_line(stderr, "ktime bench: run %u of %u failed", run,
				     options->runs);
			*ended = status;
			return EXIT_FAILURE;
		}
		if (access(path, F_OK) < 0)
			return visible_fail(EXIT_FAILURE,
					    "ktime bench: run %u left no profile: no CUDA was used",
					    run);
	}
	return EXIT_SUCCESS;
}

int command_bench(const struct options *options, const char *const *program, size_t count)
{
	struct profile runs = {0};
	char message[512], name[PATH_MAX];
	struct folders folders;
	int ended = 0;
	const char *base = strrchr(program[0], '/');
	int status;

	(void)count;
	snprintf(name, sizeof(name), "%s.runs", base ? base + 1 : program[0]);
	if (make_folders(&folders, options->export_profile ? options->export_profile : name,
			 options->force_overwrite))
		return EXIT_BAD_USAGE;
	status = run_all(options, folders.runs, program, &ended);
	if (status == EXIT_SUCCESS && replace_runs(&folders, options->runs))
		status = EXIT_FAILURE;
	if (status == EXIT_SUCCESS) {
		const char *const path[] = {folders.folder};

		if (runs_load(&runs, path, 1, 0, message, sizeof(message))) {
			visible_line(stderr, "ktime bench: %s", message);
			status = EXIT_FAILURE;
		} else {
			runs_print_text(&runs, stderr);
		}
	}
	if (is_beside(&folders)) {
		remove_runs(folders.runs, 1);
		rmdir(folders.runs);
	} else if (status != EXIT_SUCCESS) {
		/* If the program could not be run, no empty folder is left. */
		rmdir(folders.folder);
	}
	profile_free(&runs);
	return ended ? child_end_alike(ended) : status;
}
