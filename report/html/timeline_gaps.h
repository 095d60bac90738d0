/* SPDX-License-Identifier: MIT */
/* When a trace's devices were idle, and why, by the calls that the trace has. */
#ifndef KTIME_REPORT_HTML_TIMELINE_GAPS_H
#define KTIME_REPORT_HTML_TIMELINE_GAPS_H

#include "report/html/timeline_items.h"

/* Adds a track of idle time for each device, above its streams. 0 or -ENOMEM. */
int items_add_gaps(struct timeline *timeline);

#endif
