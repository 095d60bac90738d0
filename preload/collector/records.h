/* SPDX-License-Identifier: MIT */
/*
 * Activity records on their way into the rows of the session, and to the calls that they belong to.
 * The collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_RECORDS_H
#define KTIME_PRELOAD_COLLECTOR_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"

void records_start(void);
/* For collection_drain. */
void records_take(const struct activity *activity, void *unused);
/* Whether records come with CLOCK_REALTIME, as they do unless the program changes it. */
void records_trust_clock(bool trusted);
/*
 * A module is about to be unloaded. From here on CUPTI's names of kernels are not relied on: it
 * gives a kernel that comes to stand at an old handle the old one's name (CUPTI 13.0, driver 580:
 * of 60 launches of 30 modules 59 were named wrongly), and the call that a record is of knows
 * better. Any thread.
 */
void records_distrust_names(void);
/* After each drain: closes the launches of graphs whose nodes have all come. */
void records_settle(void);
/* At the end, or CUPTI's: closes the other ones too. */
void records_finish(void);

#endif
