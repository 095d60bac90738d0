/* SPDX-License-Identifier: MIT */
/* The hardware counters of a merged profile: of each row's launches, in whichever process. */
#ifndef KTIME_REPORT_MERGE_MERGE_METRICS_H
#define KTIME_REPORT_MERGE_MERGE_METRICS_H

#include "report/merge/merge_rows.h"
#include "report/session/session.h"

struct merge_metrics {
	struct merge_rows *rows;
	struct merged_metric *metrics; /* by row and name */
};

/* Adds a profile's metrics, after its rows. -ENOMEM. */
int merge_metrics_add(struct merge_metrics *metrics, const struct session *from);
void merge_metrics_free(struct merge_metrics *metrics);

#endif
