/* SPDX-License-Identifier: MIT */
/* Why a trace's devices were idle. */
#ifndef KTIME_REPORT_HTML_GAPS_H
#define KTIME_REPORT_HTML_GAPS_H

#include "report/html/tracks.h"

/* Adds a track of idle time for each device, whose items are the causes, above its streams. 0 or
 * -ENOMEM. */
int gaps_add(struct timeline *timeline);

#endif
