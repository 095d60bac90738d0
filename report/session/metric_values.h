/* SPDX-License-Identifier: MIT */
/* What the hardware counters said of some launches of a kernel. As for all of a session: one thread
 * at a time writes, and reading while it is written is safe. */
#ifndef KTIME_REPORT_SESSION_METRIC_VALUES_H
#define KTIME_REPORT_SESSION_METRIC_VALUES_H

#include "report/session/session.h"

/* One metric of one row. The count is stored last. */
#define METRIC_FIGURES(X)                                                                          \
	X(metric_values, U64, count, COUNT, SUM, LATER, "values")                                  \
	X(metric_values, REAL, minimum, COUNT, LEAST, LATER, "the least of them",                  \
	  IF_KNOWN(metric_values, MINIMUM))                                                        \
	X(metric_values, REAL, maximum, COUNT, MOST, LATER, "the most",                            \
	  IF_KNOWN(metric_values, MAXIMUM))                                                        \
	X(metric_values, REAL, total, COUNT, SUM, LATER, "their sum")

struct metric_values {
	uint32_t committed; /* set last, with release order */
	uint32_t unit;	    /* enum metric_unit (report/options/metrics.h) */
	uint64_t row;	    /* offset of struct row */
	uint64_t name;	    /* offsets of strings; a counter's own name has no description */
	uint64_t description;
	METRIC_FIGURES(FIGURE_MEMBER)
	uint32_t known; /* enum figure_known */
} __attribute__((aligned(64)));

/* Adds a metric of a row, without values; NULL if there is no room. For the writer. */
struct metric_values *session_add_metric(struct session *session, const struct row *row,
					 const char *name, const char *description, uint32_t unit);

#define session_for_each_metric(session, metric)                                                   \
	session_for_each_item(session, SEGMENT_METRICS, metric)

#endif
