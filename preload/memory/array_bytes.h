/* SPDX-License-Identifier: MIT */
/* What the elements of an array take; its padding is the driver's matter. */
#ifndef KTIME_PRELOAD_MEMORY_ARRAY_BYTES_H
#define KTIME_PRELOAD_MEMORY_ARRAY_BYTES_H

#include <stdint.h>

#include "preload/driver/driver.h"

/* Bytes of an array with `levels` mipmap levels, 1 for one without any; 0 for a sparse array, or
 * one that is given memory later. */
uint64_t array_bytes(const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, unsigned levels);

#endif
