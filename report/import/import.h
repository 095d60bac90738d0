/* SPDX-License-Identifier: MIT */
/*
 * A run's times from the files of ktime and of other profilers. What a file is, is told by
 * what it holds. Functions return 0 or -errno with a one-line message that begins with the path;
 * a profile is to be freed whatever they return.
 */
#ifndef KTIME_REPORT_IMPORT_IMPORT_H
#define KTIME_REPORT_IMPORT_IMPORT_H

#include <stddef.h>

#include "report/import/profile.h"

/* How files are read. */
struct import_options {
	unsigned part; /* as in import_text() */
	/* Bytes that kernels move, which profiles of ktime do not hold; NULL: none. */
	const struct options *work;
};

/*
 * A profile of ktime, an SQLite export of nsys, or a text with the tables of nvprof, nsys or ktime.
 * `how`: NULL for a file with one run, and without declared work.
 */
int import_profile(struct profile *profile, const char *path, const struct import_options *how,
		   char *message, size_t size);

int import_sqlite(struct profile *profile, const char *path, char *message, size_t size);
/*
 * Reads the part of that number, from 1, of the runs and processes in a text of any encoding; of a
 * text that has one, that one. 0: there must be one. What was passed over and what is damaged is
 * said in the profile.
 */
int import_text(struct profile *profile, const char *bytes, size_t size, unsigned part,
		const char *path, char *message, size_t message_size);

/* The runs of one program, from their files or from the folder that `ktime bench` wrote. */

/* How the profiles in a folder are called; others are not read. */
#define RUNS_SUFFIX ".ktime"

/*
 * Adds up the runs of files of the kinds that import_profile reads; a folder stands for its
 * profiles. 0 or -errno with a one-line message. The sum is to be freed whatever is returned.
 */
int runs_load(struct profile *sum, const char *const *paths, size_t count,
	      const struct import_options *how, char *message, size_t size);

#endif
