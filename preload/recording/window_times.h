/* SPDX-License-Identifier: MIT */
/*
 * When windows open (recording.h) and how long they are, so that all together cost their part of
 * the budget. Times are nanoseconds. So is work: what recording all launches so far would have
 * cost. Windows open after a random amount of work, not of time: a program that goes through phases
 * launches more in some, and a launch in those must be met as often as one in the others. For the
 * collector thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_WINDOW_TIMES_H
#define KTIME_PRELOAD_RECORDING_WINDOW_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* How far apart windows are on average, if that lets them be long enough. */
#define WINDOW_GAP_NS 200000000u

/* `budget`: the part of the time that windows may take; `random`: where chance begins. */
void window_times_start(uint64_t now, double budget, uint64_t random);
/* Plans the next window, after one that was closed now and has cost `spent`. */
void window_times_plan(uint64_t now, double work, double spent);
/* Passes time, of which only that pays for windows in which the program launches, or did a moment
 * ago. To be called once a period, before the next function. */
void window_times_pass(uint64_t now, double work);
/* Whether the next window opens. */
bool window_times_are_due(uint64_t now, double work);
/* Whether a window that has been open for this time, and has cost `spent`, is to be closed. Once
 * its time is over that takes one more launch: the last one that is recorded will be left out. */
bool window_times_are_over(uint64_t open, double work, double spent);
/* Chooses how long the next window is, after one that has cost `spent`. */
void window_times_adapt(double spent);

#endif
