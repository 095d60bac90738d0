/* SPDX-License-Identifier: MIT */
/*
 * ktime's overhead, for the profile's counters: the host time of the hooks, which is measured; what
 * CUPTI and events add to the host's and the device's time, which is assumed from measurements; and
 * by how much all of that makes the run longer. And the other counters, which are read off other
 * state now and then. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_COST_H
#define KTIME_PRELOAD_COLLECTOR_COST_H

#include <stdbool.h>
#include <stdint.h>

struct activity;
struct seen;

/* Adds an operation by its record, and returns what ran on its device before it and at the same
 * time. Records should come in the order of their starts; for a record that comes late an overlap
 * may be missed, but none is reported that did not happen. */
struct concurrency concurrency_add(const struct activity *activity);

/* Adds what CUPTI's recording of an operation has cost. */
void cost_take(const struct seen *seen);
/* Adds an event pair that was recorded. */
void cost_of_pair(void);
/* Updates the profile's counters of ktime's cost; `threads`: the number of the program's threads
 * that launch at the same time, or 0 if that is unchanged. */
void cost_update(unsigned threads);
/* The number of the program's threads that launch at the same time, as last measured: at least 1.
 */
extern unsigned cost_threads;

/* Brings all counters up to date: some microseconds, and every second some 50 more. */
void counters_update(void);
/* Updates the peak of what ktime adds to the program's memory: the resident pages of its data.
 * Memory that CUPTI and the driver take is not included, and in a program that has sandboxed itself
 * the kernel is no longer asked. Takes some 50 us for a profile of a megabyte. */
void memory_measure(void);

#endif
