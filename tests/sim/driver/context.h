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

/* Whether either device may reach into the other's memory. */
bool context_peer_access(CUdevice one, CUdevice other);

/* A context of its own; NULL without memory. */
struct context *context_create(CUdevice device, bool primary, unsigned int flags);

/* Waits for the work in flight, as a reset does, and ends all that lives in the context. */
void context_destroy(struct context *context);

/* The device's primary context, made where there is none; NULL without memory. */
struct context *context_primary_retain(CUdevice device);
CUresult context_primary_release(CUdevice device);

#endif
