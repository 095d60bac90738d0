/* SPDX-License-Identifier: MIT */
/* When windows open (recording.h) and how long they are, so that all together cost their part of
 * the budget. Times are nanoseconds. For the collector thread only. */
#ifndef KTIME_PRELOAD_RECORDING_WINDOW_TIMES_H
#define KTIME_PRELOAD_RECORDING_WINDOW_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* How far apart windows are on average, if that lets them be long enough. */
#define WINDOW_GAP_NS 200000000u

/* `budget`: the part of the time that windows may take; `random`: where chance begins. */
void window_times_start(double budget, uint64_t random);
/* How long after a window that has cost `spent` the next one opens. */
uint64_t window_times_gap(double spent);
/* Whether a window that has been open for this time, and has cost `spent`, is to be closed. */
bool window_times_are_over(uint64_t open, double spent);
/* Chooses how long the next window is, after one that has cost `spent`. */
void window_times_adapt(double spent);

#endif
