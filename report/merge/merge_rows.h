/* SPDX-License-Identifier: MIT */
/* The rows of a merged profile: the sums over processes, and each row's spread over them. */
#ifndef KTIME_REPORT_MERGE_MERGE_ROWS_H
#define KTIME_REPORT_MERGE_MERGE_ROWS_H

#include <stdbool.h>

#include "report/session/session.h"

struct merge_rows {
	struct session *session;      /* that is written */
	struct merge_entry *sums;     /* by name, device, and the clock that the report shows */
	struct merge_entry *spreads;  /* by name */
	struct spread_entry *touched; /* by the process that is being added */
};

/*
 * Adds a process's rows. `process`: in the merged session; its GPU time is filled in, and its
 * spread follows from merge_rows_settle(). If the profile is a merged one, `process` is NULL, and
 * merge_rows_add_job() adds what it knows of each process. -ENOMEM.
 */
int merge_rows_add(struct merge_rows *rows, const struct session *from,
		   struct job_process *process);
/* The row that another profile's row, which was added, is summed in; NULL if memory is out. */
struct row *merge_rows_sum(struct merge_rows *rows, const struct session *source,
			   const struct row *from);
/* Adds to what the process that is being added has of a name (offset in the merged session) beside
 * its rows. -ENOMEM. */
int merge_rows_spread(struct merge_rows *rows, enum row_kind kind, uint64_t name, uint64_t calls,
		      double total);
/* All that the process has is known: it joins the spreads. -ENOMEM. */
int merge_rows_settle(struct merge_rows *rows, struct job_process *process);
/*
 * Adds the spreads of a merged profile. `process_of` gives the offset in the merged session of a
 * process at an offset in `from`. -ENOMEM.
 */
int merge_rows_add_job(struct merge_rows *rows, const struct session *from,
		       uint64_t (*process_of)(void *argument, uint64_t process), void *argument);
void merge_rows_free(struct merge_rows *rows);

/* Whether a row is of a collective of NCCL's; SendRecv is between two ranks, and is not. */
bool row_is_collective(enum row_kind kind, const char *name);

/* The hardware counters of a merged profile: of each row's launches, in whichever process. */
struct merge_metrics {
	struct merge_rows *rows;
	struct merged_metric *metrics; /* by row and name */
};

/* Adds a profile's metrics, after its rows. -ENOMEM. */
int merge_metrics_add(struct merge_metrics *metrics, const struct session *from);
void merge_metrics_free(struct merge_metrics *metrics);

/* The NVTX ranges of a merged profile: sums over processes and their threads, by path, and how the
 * GPU's time in each is spread over the processes. */

/* Ranges of a merged profile, of all paths. Names that differ in each process would be without end.
 * Chosen. */
#define MERGED_RANGES_MOST 65536u

struct merge_ranges {
	struct merge_rows *rows;
	struct merged_range *ranges; /* by parent, name, domain and style */
	struct merged_part *parts;   /* by range and row */
	unsigned count;
	bool said; /* that there are more than fit */
};

/*
 * Adds a profile's ranges, after its rows. `process`: as for merge_rows_add(), before
 * merge_rows_settle(). -ENOMEM.
 */
int merge_ranges_add(struct merge_ranges *ranges, const struct session *from,
		     struct job_process *process);
void merge_ranges_free(struct merge_ranges *ranges);

#endif
