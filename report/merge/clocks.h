/* SPDX-License-Identifier: MIT */
/*
 * What the clocks of a job's processes have to do with each other. Records lie on the wall clock of
 * their node. Processes of one node share it, unless it was set between their starts: the monotonic
 * clock tells by how much. How far the clocks of several nodes are apart is shown by collectives,
 * which end everywhere at nearly the same time.
 */
#ifndef KTIME_REPORT_MERGE_CLOCKS_H
#define KTIME_REPORT_MERGE_CLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "report/merge/waits.h"
#include "report/session/session.h"

/* A wall clock that moved by less was not set: both clocks are read within a microsecond or so, and
 * a daemon sets one that is off by milliseconds. Chosen. */
#define CLOCK_SET_LEAST_NS 100000u

/* The clock of a node's processes: that of the first one. */
struct node_clock;

/*
 * By how much (ns) the records of a process are to be moved, so that they lie on the clock of its
 * node; `offset` as in its header. 0 or -ENOMEM.
 */
int node_clock_shift(struct node_clock **clocks, const struct session_owner *owner, uint64_t offset,
		     int64_t *shift);
void node_clocks_free(struct node_clock *clocks);

/* How exact times and orders between processes are, for people: a line without an end; "" if there
 * are no records of which it could be said. */
#define JOB_CLOCKS_SIZE 400
void job_clocks_text(const struct session *session, const struct waits *waits,
		     char text[JOB_CLOCKS_SIZE]);

#endif
