/* SPDX-License-Identifier: MIT */
/* What the counters said, as nvprof prints its metrics. */
#ifndef KTIME_REPORT_METRICS_METRICS_TEXT_H
#define KTIME_REPORT_METRICS_METRICS_TEXT_H

#include <stdio.h>

#include "report/options/options.h"
#include "report/session/session.h"

/* How rows are named. */
struct metrics_names {
	/* The name of a row; NULL: it is not shown. It lasts until the next call. */
	const char *(*name)(const struct row *row, void *argument);
	void *argument;
	void (*csv)(const char *text, FILE *file); /* writes a text as a cell */
};

/* The table of the values that a profile has, as text or CSV; nothing if it has none. `prefix` is
 * "==PID== " or "======== ". */
void metrics_write(const struct session *session, const struct options *options, const char *prefix,
		   const struct metrics_names *names, FILE *file);

/* What --query-metrics prints. */
void metrics_list(FILE *file);

#endif
