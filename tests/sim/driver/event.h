/* SPDX-License-Identifier: MIT */
#ifndef SIM_DRIVER_EVENT_H
#define SIM_DRIVER_EVENT_H

#include "tests/sim/driver/context.h"

/* Events of a context that ends answer CUDA_ERROR_CONTEXT_IS_DESTROYED from then on. */
void event_orphan_all(struct context *context);

/*
 * Once the device is in use again, such events are gone, and using one crashes the program, as it
 * does in the real driver.
 */
void event_bury_all(CUdevice device);

/* A graph's node records the event; nothing happens where there is none. */
void event_record_at(CUevent handle, uint64_t ns);

#endif
