/* SPDX-License-Identifier: MIT */
/* What ktime adds to the program's memory, measured: the pages of its own that were touched. */
#ifndef KTIME_PRELOAD_COLLECTOR_MEMORY_H
#define KTIME_PRELOAD_COLLECTOR_MEMORY_H

#include "report/session/session.h"

/*
 * Brings the peak in the session's counters up to date. What CUPTI and the driver take for
 * themselves is not in it. Some 50 us for a session of a megabyte; the collector thread alone.
 */
void memory_measure(struct session *session);

#endif
