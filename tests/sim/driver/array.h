/* SPDX-License-Identifier: MIT */
#ifndef SIM_DRIVER_ARRAY_H
#define SIM_DRIVER_ARRAY_H

#include "tests/sim/driver/memory.h"

struct array {
	struct handle handle;
	CUDA_ARRAY3D_DESCRIPTOR description;
	struct allocation *allocation;
	size_t element_bytes, pitch;
};

/* NULL where the handle is none. */
struct array *array_get(CUarray handle);

#endif
