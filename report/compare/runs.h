/* SPDX-License-Identifier: MIT */
/* The runs of one program, from their files or from the folder that `ktime bench` wrote. */
#ifndef KTIME_REPORT_COMPARE_RUNS_H
#define KTIME_REPORT_COMPARE_RUNS_H

#include <stddef.h>

#include "report/compare/profile.h"

/* How the profiles in a folder are called; others are not read. */
#define RUNS_SUFFIX ".ktime"

/*
 * Adds up the runs of files of the kinds that import_profile reads; a folder stands for its
 * profiles. 0 or -errno with a one-line message. The sum is to be freed whatever is returned.
 */
int runs_load(struct profile *sum, const char *const *paths, size_t count, char *message,
	      size_t size);

#endif
