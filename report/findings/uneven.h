/* SPDX-License-Identifier: MIT */
/* What the processes of a job have to wait for, as one of them has more work than the others. */
#ifndef KTIME_REPORT_FINDINGS_UNEVEN_H
#define KTIME_REPORT_FINDINGS_UNEVEN_H

#include "report/session/session.h"

/* Nanoseconds. */
struct uneven {
	const struct job_row *row; /* NULL: none, or it costs no time */
	const struct job_process *slowest;
	const struct job_process *other; /* the only other one; NULL: there are several */
	uint64_t excess; /* what the slowest has beyond the mean: the others may wait for that */
	uint64_t more;	 /* beyond the mean of the others */
	/* The slowest's calls of the row and, on average, those of the others; the part by which
	 * each of them takes as long as the others'. 0: not known. */
	uint64_t calls;
	double others_calls, longer;
	/* So many of its calls take this many times as long as the others' on average, and the
	 * rest as long as those: an average would hide it. 0: that is not so, or not known. */
	uint64_t long_calls;
	double long_factor;
	double long_beyond; /* how many of these take the excess */
	double even_calls;  /* of each process of the job, if all made as many */
	/*
	 * For how much longer than the slowest's the GPUs of the others were idle while their
	 * programs made no calls, as far as they had less to do: they probably waited, in what
	 * is not seen (MPI). Of all of them, and the mean of each.
	 */
	uint64_t waited[IDLE_CAUSE_COUNT], waited_each;
	uint64_t operations; /* of each of the others, on average, in all rows */
};

/* The row of which one process has most beyond the mean. Collectives are left out, which take
 * longest where a process waits for the slowest. */
struct uneven uneven_find(const struct session *session);
/* Whether the others are said to wait for the slowest. */
bool uneven_waits(const struct uneven *uneven);

#endif
