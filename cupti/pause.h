/* SPDX-License-Identifier: MIT */
/* Turning the recording of kernels, copies and memsets off and on while the program runs. */
#ifndef KTIME_CUPTI_PAUSE_H
#define KTIME_CUPTI_PAUSE_H

#include <stdbool.h>

/* Whether this CUPTI has been seen to record every launch made while the kinds are on, and to go on
 * well after: see pause.c. Call it once CUPTI is loaded. */
bool pause_is_safe(void);
/*
 * Stops recording kernels for ktime, with `copies` also copies and memsets, or goes on; what the
 * program has enabled goes on. False if CUPTI does not record. Any thread, without locks held.
 *
 * Where the program launches kernels by themselves, copies and memsets must go on: with them off
 * and on again some 50 times, PyTorch's ResNet-50 died in 36 of 98 runs of a double free in CUPTI's
 * own thread (H200, CUPTI 13.0), with kernels alone off and on in none of 20.
 */
bool pause_set(bool paused, bool copies);
/* Stops recording kernels for ktime, or goes on, for launches whose counters are read. Independent
 * of the function above. */
void pause_kernels(bool paused);
/* Whether the program records such work itself now: then a pause has no effect. Any thread. */
bool pause_is_refused(void);

#endif
