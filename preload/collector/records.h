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
/* For cupti_drain. */
void records_take(const struct activity *activity, void *unused);
/* Whether records come with CLOCK_REALTIME, as they do unless the program changes it. */
void records_trust_clock(bool trusted);
/* After each drain: closes the launches of graphs whose nodes have all come. */
void records_settle(void);
/* At the end, or CUPTI's: closes the other ones too. */
void records_finish(void);

#endif
