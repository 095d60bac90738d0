/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/command/bench.h"
#include "report/names/visible.h"

const char *folders_run(char path[RUN_PATH], const char *folder, unsigned run)
{
	snprintf(path, RUN_PATH, "%s/run-%03u" RUNS_SUFFIX, folder, run);
	return path;
}

/* Removes the profiles of runs from a folder, from run `first` on; other files stay. */
static int remove_runs(const char *folder, unsigned first)
{
	char path[RUN_PATH];

	for (unsigned run = first; run <= OPTIONS_RUNS_MOST; run++)
		if (unlink(folders_run(path, folder, run)) < 0 && errno != ENOENT)
			return -errno;
	return 0;
}

static bool is_beside(const struct folders *folders)
{
	return strcmp(folders->folder, folders->runs) != 0;
}

int folders_make(struct folders *folders, const char *name, bool overwrite)
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

int folders_replace(const struct folders *folders, unsigned runs)
{
	char from[RUN_PATH], to[RUN_PATH];
	int error = 0;

	if (!is_beside(folders))
		return 0;
	for (unsigned run = 1; run <= runs && !error; run++)
		if (rename(folders_run(from, folders->runs, run),
			   folders_run(to, folders->folder, run)) < 0)
			error = -errno;
	if (!error)
		error = remove_runs(folders->folder, runs + 1);
	if (error)
		visible_line(stderr, "ktime bench: the runs cannot be put into %s: %s",
			     folders->folder, strerror(-error));
	return error;
}

void folders_leave(const struct folders *folders, bool failed)
{
	if (!*folders->runs)
		return;
	if (is_beside(folders)) {
		remove_runs(folders->runs, 1);
		rmdir(folders->runs);
	} else if (failed) {
		rmdir(folders->folder);
	}
}
