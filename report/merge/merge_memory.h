/* SPDX-License-Identifier: MIT */
/* What the processes of a merged profile held of memory. */
#ifndef KTIME_REPORT_MERGE_MERGE_MEMORY_H
#define KTIME_REPORT_MERGE_MERGE_MEMORY_H

#include "report/session/session.h"

/* Adds a profile's memory by device and kind: sums, and of peaks the largest, as those of processes
 * are at different times. -ENOMEM. */
int merge_memory(struct session *merged, const struct session *session);
/* What a process held of its devices' memory: the most of one at once, and of all in the end. */
void process_memory(struct job_process *process, const struct session *session);

#endif
