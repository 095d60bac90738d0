/* SPDX-License-Identifier: MIT */
/* The counters in the profile's header that are read off other state now and then. */
#ifndef KTIME_PRELOAD_COLLECTOR_COUNTERS_H
#define KTIME_PRELOAD_COLLECTOR_COUNTERS_H

/* Brings them up to date: some microseconds, and every second some 50 more. The collector alone. */
void counters_update(void);

/* What ktime adds to the program's memory: the resident pages of its data. */

/* Updates the peak in the profile's counters. Memory that CUPTI and the driver take is not
 * included, and in a program that has sandboxed itself the kernel is no longer
 * asked. Takes some 50 us for a profile of a megabyte. For the collector thread only. */
void memory_measure(void);

#endif
