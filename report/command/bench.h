/* SPDX-License-Identifier: MIT */
/* The parts of `ktime bench`: the folders of the runs, the runs, and what is printed of them. */
#ifndef KTIME_REPORT_COMMAND_BENCH_H
#define KTIME_REPORT_COMMAND_BENCH_H

#include <limits.h>

#include "report/compare/means.h"
#include "report/options/options.h"

/* Where the runs' profiles go in the end, and where they are until all are there: absolute paths,
 * which are equal if the folder is new. */
struct folders {
	char folder[PATH_MAX], runs[PATH_MAX];
};

#define RUN_PATH (PATH_MAX + 24)
/* The file of a run in a folder. */
const char *folders_run(char path[RUN_PATH], const char *folder, unsigned run);
/* Makes the folder. If it holds earlier runs, which -f allows to be replaced, makes one beside it
 * instead, whose profiles replace the earlier ones in the end. 0, or -errno with a message. */
int folders_make(struct folders *folders, const char *name, bool overwrite);
/* Puts the profiles of all runs in the place of those of earlier ones: 0, or -errno with a message.
 */
int folders_replace(const struct folders *folders, unsigned runs);
/* Removes the folder beside; if the runs failed, the folder too unless a file is in it. */
void folders_leave(const struct folders *folders, bool failed);

/* A program that is run, and what is known of its runs. */
struct side {
	struct means means;
	char name[PATH_MAX]; /* its folder, as the user has it */
	struct folders folders;
	struct profile profile;
	const char *files[1]; /* of the profile */
};

struct bench {
	const struct options *options;
	struct side sides[2];
	unsigned count;	    /* sides */
	unsigned done, all; /* runs, with those that warm up */
	uint64_t started;   /* ns, as now() has it */
	bool made_parent;   /* that the folders of two programs lie in */
	int ended;	    /* as waitpid(2) has the status of a run that failed */
};

/* Whether standard output is for ktime alone, and what programs write there goes to stderr. */
bool bench_takes_stdout(const struct options *options);
/* Prints what was asked for. 0, or -errno with a message. */
int bench_print(struct bench *bench);

#endif
