/* SPDX-License-Identifier: MIT */
/*
 * Reading a run's times from the files of ktime and of other profilers. What a file is, is told by
 * what it holds. Functions return 0 or -errno with a one-line message that begins with the path;
 * a profile is to be freed whatever they return.
 */
#ifndef KTIME_REPORT_COMPARE_IMPORT_H
#define KTIME_REPORT_COMPARE_IMPORT_H

#include <stddef.h>
#include <stdio.h>

#include "report/compare/profile.h"

/*
 * A ktime session file, an Nsight Systems SQLite export, the CSV of `nsys
 * stats` (one or more of its summaries in one file), or nvprof's or ktime's CSV summary.
 */
int import_profile(struct profile *profile, const char *path, char *message, size_t size);

int import_session(struct profile *profile, const char *path, char *message, size_t size);
int import_sqlite(struct profile *profile, const char *path, char *message, size_t size);
/* Both kinds of CSV, from an open file. -EINVAL where no table of either is in it. */
int import_csv(struct profile *profile, FILE *file, const char *path, char *message, size_t size);

#endif
