/* SPDX-License-Identifier: MIT */
/* Counts the stream captures in progress. While there are none, launches need not ask the driver
 * about them; while there is one, ktime must put nothing into a capturing stream. */
#ifndef KTIME_PRELOAD_HANDLES_CAPTURE_H
#define KTIME_PRELOAD_HANDLES_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/base/launch_state.h"
#include "preload/driver/driver.h"

static inline bool capture_is_live(void)
{
	return atomic_load_explicit(&launch_state.captures, memory_order_relaxed) > 0;
}

/* To be called before and after the driver's call that begins a capture, and after the one that
 * ends it. Any thread. */
void capture_begins(void);
void capture_began(CUresult result);
void capture_ended(CUresult result);

/* Whether a stream is capturing. Asks the driver, which crashes on a destroyed stream, so call it
 * only within the program's call that passed the handle. */
bool capture_is_in(CUstream handle) LAUNCH_COLD;

#endif
