/* SPDX-License-Identifier: MIT */
/*
 * How long processes waited in collectives, of a merged profile. A collective takes each process
 * from its own start until all are in it and the data has moved: the process that comes last waits
 * for nobody.
 */
#ifndef KTIME_REPORT_MERGE_WAITS_H
#define KTIME_REPORT_MERGE_WAITS_H

#include "report/session/session.h"

struct process_wait {
	uint64_t process; /* offset of struct job_process */
	/*
	 * The least wait that the sums of rows show: what they hold beyond the process that has the
	 * least of the same row in as many calls, less what is uncertain about estimates.
	 */
	double least;
	double exact;  /* by the traces, call by call */
	bool is_exact; /* every process has all its records, as many calls of each collective */
};

struct waits {
	struct process_wait *processes; /* in the order of their creation */
	size_t count;
	/* How far apart the ends of a collective lie on different processes: what the nodes' clocks
	 * may differ by. Nanoseconds; calls of 0: not known. */
	uint64_t calls, ends_mean, ends_most;
};

/* 0 or -ENOMEM; free it with waits_free(). */
int waits_find(struct waits *waits, const struct session *session);
void waits_free(struct waits *waits);
/* Of one of the session's processes; NULL: it came later. */
const struct process_wait *waits_of(const struct waits *waits, const struct session *session,
				    const struct job_process *process);

#endif
