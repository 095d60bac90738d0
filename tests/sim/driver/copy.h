/* SPDX-License-Identifier: MIT */
#ifndef SIM_DRIVER_COPY_H
#define SIM_DRIVER_COPY_H

#include "tests/sim/driver/memory.h"
#include "tests/sim/driver/stream.h"

enum copy_expected {
	COPY_TO_DEVICE = 1,
	COPY_FROM_DEVICE = 2,
};

struct copy_side copy_side_linear(CUdeviceptr address);

/* Whether the bytes from the address on lie in one allocation, or in none. */
bool copy_in_bounds(CUdeviceptr address, size_t bytes);

/* The copy that a descriptor asks for. */
CUresult copy_of_3d(const CUDA_MEMCPY3D *copy, struct operation *operation);

/* A copy of no bytes is no operation. */
CUresult copy_submit(struct operation *operation, CUstream handle, bool asynchronous);

CUresult copy_linear(CUdeviceptr to, CUdeviceptr from, size_t bytes, unsigned int expected,
		     CUstream stream, bool asynchronous);

#endif
