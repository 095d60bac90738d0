/* SPDX-License-Identifier: MIT */
/* The path of activity records into the profile's rows, and to the calls that they belong to. For
 * the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_RECORDS_H
#define KTIME_PRELOAD_COLLECTOR_RECORDS_H

#include <stdbool.h>

#include "cupti/activity.h"

/* To be called first. */
void records_start(void);
/* Takes a record: the callback of cupti_drain(). */
void records_take(const struct activity *activity, void *unused);
/* Whether calls that began before the records which come next may not be queued yet. */
void records_expect_late_calls(bool late);
/* To be called after each drain: ends the graph launches whose nodes have all been recorded. */
void records_settle(void);
/* To be called at the end of the run or of CUPTI: ends the other graph launches too. */
void records_finish(void);

#endif
