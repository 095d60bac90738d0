/* SPDX-License-Identifier: MIT */
/*
 * --metrics: the counters of some launches of each kernel. Without it nothing here runs: the
 * wrappers call the driver. With it they call launches.c, which may lock, wait for the device and
 * allocate, because the user asked for it.
 */
#ifndef KTIME_PRELOAD_METRICS_METRICS_H
#define KTIME_PRELOAD_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/launch/thread.h"
#include "report/session/session.h"

struct thread;

/* If the user asked for metrics: has the wrappers of launches call launches.c. Once library_load()
 * has been tried; `cupti`: why CUPTI is not there, or "". Before the first launch. */
void metrics_start(const char *cupti);

/* For the collector: what the call was to the counters. To be asked of all call records of a
 * thread, in their order, and once of each. */
enum metrics_part {
	METRICS_NONE,
	METRICS_TRIED, /* its counters were to be read: the host's time and its event pair hold that
			*/
	METRICS_READ   /* and they were: there is no activity record */
};
enum metrics_part metrics_part_of(const struct thread *thread, const struct call_record *record);
/* For the collector: writes what there is of values into the profile; at the end, also those of
 * kernels that had fewer launches than there are passes. */
void metrics_update(struct session *session);
void metrics_finish(struct session *session);

#endif
