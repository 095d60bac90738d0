/* SPDX-License-Identifier: MIT */
/*
 * A run's times from the files of ktime and of other profilers. What a file is, is told by
 * what it holds. Functions return 0 or -errno with a one-line message that begins with the path;
 * a profile is to be freed whatever they return.
 */
#ifndef KTIME_REPORT_IMPORT_IMPORT_H
#define KTIME_REPORT_IMPORT_IMPORT_H

#include <stdio.h>

#include "report/import/profile.h"

/*
 * A ktime session file, an Nsight Systems SQLite export, the CSV of `nsys
 * stats` (one or more of its summaries in one file), or nvprof's or ktime's CSV summary.
 */
int import_profile(struct profile *profile, const char *path, char *message, size_t size);

int import_sqlite(struct profile *profile, const char *path, char *message, size_t size);
/* Both kinds of CSV, from an open file. -EINVAL where no table of either is in it. */
int import_csv(struct profile *profile, FILE *file, const char *path, char *message, size_t size);

/* The runs of one program, from their files or from the folder that `ktime bench` wrote. */

/* How the profiles in a folder are called; others are not read. */
#define RUNS_SUFFIX ".ktime"

/*
 * Adds up the runs of files of the kinds that import_profile reads; a folder stands for its
 * profiles. 0 or -errno with a one-line message. The sum is to be freed whatever is returned.
 */
int runs_load(struct profile *sum, const char *const *paths, size_t count, char *message,
	      size_t size);

#endif
