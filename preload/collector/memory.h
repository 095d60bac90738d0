/* SPDX-License-Identifier: MIT */
/* What ktime adds to the program's memory: the resident pages of its data. */
#ifndef KTIME_PRELOAD_COLLECTOR_MEMORY_H
#define KTIME_PRELOAD_COLLECTOR_MEMORY_H

#include "report/session/session.h"

/* Updates the peak in the profile's counters. Memory that CUPTI and the driver take is not
 * included, and in a program that has sandboxed itself the kernel is no longer
 * asked. Takes some 50 us for a profile of a megabyte. For the collector thread only. */
void memory_measure(struct session *session);

#endif
