/* SPDX-License-Identifier: MIT */
/*
 * What ends a context: its own destruction, the last release of a device's primary context, a
 * reset, the end of a green context. Each of these is called before the driver's own call; they
 * wait until the collector has let go of the context, at most some seconds. Any thread without
 * locks.
 */
#ifndef KTIME_PRELOAD_LIFECYCLE_CONTEXT_END_H
#define KTIME_PRELOAD_LIFECYCLE_CONTEXT_END_H

#include "preload/driver/driver.h"

void context_ends(CUcontext handle);
void primary_ends(CUdevice device);
void primary_released(CUdevice device);
void green_ends(void *green);
/* After a retain, or the making of a green context, which retains too: `handle` is then NULL. */
void primary_retained(CUdevice device, const CUcontext *handle, CUresult result);

#endif
