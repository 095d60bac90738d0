/* SPDX-License-Identifier: MIT */
/* Devices, contexts, and the stack of current ones that each thread has. */
#ifndef SIM_DRIVER_CONTEXT_H
#define SIM_DRIVER_CONTEXT_H

#include "tests/sim/driver/handle.h"
#include "tests/sim/driver/sim.h"

enum {
	DEVICES_MAX = 8,
};

struct context {
	struct handle handle;
	uint64_t id; /* 1, 2, …; as CUPTI counts contexts */
	CUdevice device;
	bool primary;
	unsigned int flags;
	struct stream *legacy;
	struct stream *per_thread; /* a list, by thread */
};

int context_device_count(void);
bool context_device_valid(CUdevice device);

/* CUDA_SUCCESS, or the error of a call made with no usable context current. */
CUresult context_usable(void);

/* The calling thread's; NULL where it has none or a dead one. */
struct context *context_current(void);
CUcontext context_current_handle(void);
struct context *context_get(CUcontext handle);

#endif
