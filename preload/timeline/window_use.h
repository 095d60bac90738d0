/* SPDX-License-Identifier: MIT */
/*
 * Busy and idle time where kernels are recorded in windows (recording.h), as estimates.
 *
 * In a window all is known, from its first kernel's start to that of its last launch: the union of
 * the operations, and the causes of the gaps. It is known from the window's begin on if the device
 * had nothing to do then, as a call had waited for it. What a window says of other times goes
 * by what the host did, which is known all the time. So time is sorted by how long ago the device
 * got work last, and whether a call has waited for the device since. Of each sort the whole is
 * known; the windows say which part of it the device was busy, and why it was idle in the rest
 * (post-stratification). So a pause that is longer than any window counts in full, and what
 * windows meet too often or too rarely makes no difference. The parts add up to the whole.
 *
 * How exact that is tells the jackknife: the windows are put into groups, and the estimate is made
 * without each of them in turn. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_TIMELINE_WINDOW_USE_H
#define KTIME_PRELOAD_TIMELINE_WINDOW_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/pauses.h"
#include "preload/timeline/timeline.h"

/* Takes a call by its number that gave a device work, or waited; all of them, in the order of their
 * begins. `device`: that got work, in that stream; -1: none. */
void window_use_call(uint32_t number, const struct host_call *call, int device, const void *stream);
/*
 * Takes an operation while kernels are recorded in windows. Before that began everything was
 * recorded: returns the end of the time for which that is so, UINT64_MAX if it still is. What began
 * before is no window's, and counts as it was recorded, up to that end.
 */
uint64_t window_use_take(const struct interval *operation, uint32_t device, bool kernel,
			 uint32_t correlation);
/* To be called once per period, after the recording was turned off or on. */
void window_use_update(const struct kernel_window *window);
/* Brings the profile up to date. */
void window_use_write(void);
/* To be called at the end, after the last window's records were taken. */
void window_use_finish(const struct kernel_window *window);
/* What a device's busy time has of estimates, in nanoseconds: of all, of kernels, of copies. */
struct use_told {
	uint64_t busy, kernels, copies;
};
const struct use_told *window_use_told(uint32_t device);
/* How many bytes it takes. */
size_t window_use_memory(void);

#endif
