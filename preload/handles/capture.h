/* SPDX-License-Identifier: MIT */
/*
 * Stream captures. While none is under way no launch asks the driver about them; while one is,
 * nothing of ktime's may go into a stream that captures.
 */
#ifndef KTIME_PRELOAD_HANDLES_CAPTURE_H
#define KTIME_PRELOAD_HANDLES_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/base/launch_section.h"
#include "preload/driver/driver.h"

extern LAUNCH_STATE _Atomic int live_captures;

static inline bool capture_is_live(void)
{
	return atomic_load_explicit(&live_captures, memory_order_relaxed) > 0;
}

/* Before and after the driver's call that begins a capture, and after the one that ends it. */
void capture_begins(void);
void capture_began(CUresult result);
void capture_ended(CUresult result);

/* Asks the driver, so only within the call that brought the handle. */
bool capture_is_in(CUstream handle) LAUNCH_SELDOM;

#endif
