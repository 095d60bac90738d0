/* SPDX-License-Identifier: MIT */
/* The operation of a copy, by the memory on its two sides. Any thread; those that take an address
 * ask the driver about it, and keep errno. */
#ifndef KTIME_PRELOAD_HANDLES_COPY_DIRECTION_H
#define KTIME_PRELOAD_HANDLES_COPY_DIRECTION_H

#include "preload/handles/operation.h"

/* Whether an address counts as CU_MEMORYTYPE_HOST or CU_MEMORYTYPE_DEVICE. */
CUmemorytype copy_side(CUdeviceptr pointer);
/* Whether a host address is pageable memory. */
bool copy_is_pageable(const void *host);
/* The operation of a copy between two memory types, as cuda.h numbers them; of one within the
 * device also if it is one between two devices. */
enum fixed_operation copy_between_types(CUmemorytype source, CUmemorytype destination);
/* The operation of a copy between two device addresses. Asks the driver for their devices if
 * several are in use. */
enum fixed_operation copy_between_devices(CUdeviceptr destination, CUdeviceptr source);
/* That of a copy between two addresses of these types, CU_MEMORYTYPE_UNIFIED among them. */
enum fixed_operation copy_direction(CUmemorytype source, CUdeviceptr source_pointer,
				    CUmemorytype destination, CUdeviceptr destination_pointer);

#endif
