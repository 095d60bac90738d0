/* SPDX-License-Identifier: MIT */
/* What the processes of a job have to wait for, as one of them has more work than the others. */
#ifndef KTIME_REPORT_FINDINGS_UNEVEN_H
#define KTIME_REPORT_FINDINGS_UNEVEN_H

#include "report/session/session.h"

/*
 * The row of which one process has most beyond the mean, and by how much, ns: the others may wait
 * for that time. NULL: none, or it costs no time. Collectives are left out, which take longest
 * where a process waits for the slowest.
 */
const struct job_row *uneven_row(const struct session *session, uint64_t *excess);

#endif
