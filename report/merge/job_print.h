/* SPDX-License-Identifier: MIT */
/* What a merged profile's report says of its processes: which rows are uneven, and who is slow. */
#ifndef KTIME_REPORT_MERGE_JOB_PRINT_H
#define KTIME_REPORT_MERGE_JOB_PRINT_H

#include <stdio.h>

#include "report/options/options.h"
#include "report/session/session.h"

/* The lines on the processes: how many, which are missing or cut short, how far apart their clocks
 * are. In the "C" locale. 0 or -errno. */
int job_lines_write(const struct session *session, const char *prefix, FILE *file);
/* Writes it after the report; nothing for a profile of one process. 0 or -errno. */
int job_write(const struct session *session, const struct options *options, FILE *file);

#endif
