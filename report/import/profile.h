/* SPDX-License-Identifier: MIT */
/* The times of runs by name, wherever they come from. */
#ifndef KTIME_REPORT_IMPORT_PROFILE_H
#define KTIME_REPORT_IMPORT_PROFILE_H

#include "report/session/entries.h"
#include "report/session/session.h"

/* A row in one of several runs, which timed it. */
struct row_run {
	size_t run; /* from 0 */
	uint64_t calls;
	double total, average; /* ns */
	double bytes;	       /* as in the row */
};

struct profile_row {
	struct text_entry entry; /* by nsys's name for it */
	bool api;		 /* a call on the host; else an activity of the GPU */
	char *name;		 /* as it is printed */
	uint64_t calls;		 /* timed or not */
	uint64_t timed;		 /* those that average, variance, minimum and maximum come from */
	double total;		 /* of all calls; times are in ns */
	double average, variance;
	double minimum, maximum;
	/* That the calls moved which `total` is the time of: copies, memsets, and kernels of which
	 * it was declared. 0 or NAN: not known. */
	double bytes;
	/* Blocks of a kernel's launches of which all are known. 0 or NAN: not known. */
	double blocks;
	uint64_t launches;
	unsigned part;	      /* which table of its file it came from */
	struct row_run *runs; /* see profile_add_run */
	size_t run_count;
};

/* The times in which a cause had the GPUs idle. */
struct idle_gaps {
	double count;		    /* in a profile added up over the runs */
	double longest;		    /* of all runs, ns; 0: not known */
	const char *before, *after; /* the short names of the operations around the longest */
};

/* A cause of the GPUs' idle time. */
struct profile_idle {
	struct text_entry entry; /* "launch latency", "cudaMalloc" */
	double total;		 /* of all devices, ns */
	struct idle_gaps gaps;
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
	/* Of the run, from the start of CUDA to its end, ns; 0: not known, or it is a part of one.
	 */
	double wall;
	double *walls; /* the same of each run that was added up */
	/* Idle time by cause, added up over the runs that know it. */
	struct text_entry *idle, *names; /* the names of operations around gaps */
	size_t idle_runs;
	/* Calls that made the host wait for the GPU, added up over the runs. */
	double synchronizing;
	/* How long the GPU worked, and how long a run took before its first operation, ns, added up
	 * over the runs of which that is known, with their idle time, and which used one GPU. */
	double busy, before;
	size_t busy_runs;
	char *path;    /* of the first run, if it is a profile of ktime; else NULL */
	bool traced;   /* that profile has a trace */
	char *command; /* that made the first run; NULL: not known, or a part of a job alone */
	size_t runs;   /* that were added up; 0: the profile of a single run, as it was read */
	/* What is to be told of what was read: lines, without their ends. */
	char **said;
	size_t said_count;
	bool damaged; /* rows are missing, so that nothing can be concluded from the sums */
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

/* Adds idle time to a cause's; gaps of NULL are not known. 0 or -ENOMEM. */
int profile_add_idle(struct profile *profile, const char *cause, double total,
		     const struct idle_gaps *gaps);

/* Adds a line to what is said. */
__attribute__((format(printf, 2, 3))) void profile_say(struct profile *profile, const char *format,
						       ...);

/* Adds a run to the sum of the runs of one program. -ENOMEM. */
int profile_add_run(struct profile *sum, const struct profile *run);

void profile_free(struct profile *profile);

#endif
