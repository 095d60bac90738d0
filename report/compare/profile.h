/* SPDX-License-Identifier: MIT */
/* The times of a run, or of several runs, by name, wherever they come from. */
#ifndef KTIME_REPORT_COMPARE_PROFILE_H
#define KTIME_REPORT_COMPARE_PROFILE_H

#include "report/session/entries.h"
#include "report/session/session.h"

/* A row in one of several runs, which timed it. */
struct row_run {
	size_t run; /* from 0 */
	uint64_t calls;
	double total, average; /* ns */
};

struct profile_row {
	struct text_entry entry; /* by nsys's name for it */
	bool api;		 /* a call on the host; else an activity of the GPU */
	char *name;		 /* as it is printed */
	uint64_t calls;		 /* all of them */
	uint64_t timed;		 /* those that average, variance, minimum and maximum come from */
	double total;		 /* of all calls; times are in ns */
	double average, variance;
	double minimum, maximum;
	unsigned part;	      /* which table of its file it came from */
	struct row_run *runs; /* see profile_add_run */
	size_t run_count;
};

struct profile {
	const char *source;	  /* what kind of file it was read from */
	const char *const *files; /* of runs_load() */
	size_t file_count;
	struct text_entry *rows[2]; /* activities of the GPU, calls on the host */
	/* Energy and clocks, added up over the runs that have them. */
	struct device_energy energies[SESSION_DEVICES];
	size_t energy_runs;
	/* The most that a run held of each device's memory at once; 0: not known. */
	uint64_t memory_peaks[SESSION_DEVICES];
	/* Of all rows, added up over the runs: those of the table that are shown by themselves. */
	double figures[ROW_FIGURE_COUNT];
	size_t runs; /* that were added up; 0: the profile of a single run, as it was read */
};

/* The row of a name; added, empty, where it is not there. NULL where memory is out. */
struct profile_row *profile_row(struct profile *profile, bool api, const char *key,
				const char *name);
/* Adds one call's time to a row. */
void profile_add_sample(struct profile_row *row, uint64_t nanoseconds);
/* Adds a group of calls: figures for one row that come in several parts. */
void profile_add_group(struct profile_row *row, uint64_t calls, uint64_t timed, double total,
		       double average, double variance, double minimum, double maximum);
/* The most that a variance can be between a minimum and a maximum, the average being known. */
double profile_variance_bound(double average, double minimum, double maximum, uint64_t calls);

/* Adds a run to the sum of the runs of one program. -ENOMEM. */
int profile_add_run(struct profile *sum, const struct profile *run);

void profile_free(struct profile *profile);

/*
 * Reading a run's times from the files of ktime and of other profilers. What a file is, is told by
 * what it holds. Functions return 0 or -errno with a one-line message that begins with the path;
 * a profile is to be freed whatever they return.
 */

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
