/* SPDX-License-Identifier: MIT */
#ifndef SIM_DRIVER_GLOBAL_H
#define SIM_DRIVER_GLOBAL_H

#include "tests/sim/driver/sim.h"

/* owner: the module or library, NULL where the handle was none. */
CUresult global_get(const void *owner, const char *name, CUdeviceptr *address, size_t *bytes);

/* The variables end with their owner. */
void global_forget(const void *owner);

#endif
