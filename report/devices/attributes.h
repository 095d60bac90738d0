/* SPDX-License-Identifier: MIT */
/*
 * What the driver says of a device. The command, which is built without the toolkit's headers and
 * loads the driver itself, and libktime.so, which is inside a program that has, ask alike.
 */
#ifndef KTIME_REPORT_DEVICES_ATTRIBUTES_H
#define KTIME_REPORT_DEVICES_ATTRIBUTES_H

#include <stddef.h>

#include "report/session/device_info.h"

/* X(member of struct device_info, its CUdevice_attribute, its name in cuda.h without the prefix) */
#define DEVICE_ATTRIBUTES(X)                                                                       \
	X(multiprocessors, 16, MULTIPROCESSOR_COUNT)                                               \
	X(clock_khz, 13, CLOCK_RATE)                                                               \
	X(memory_clock_khz, 36, MEMORY_CLOCK_RATE)                                                 \
	X(bus_bits, 37, GLOBAL_MEMORY_BUS_WIDTH)                                                   \
	X(l2_bytes, 38, L2_CACHE_SIZE)                                                             \
	X(integrated, 18, INTEGRATED)                                                              \
	X(most_threads, 39, MAX_THREADS_PER_MULTIPROCESSOR)                                        \
	X(most_blocks, 106, MAX_BLOCKS_PER_MULTIPROCESSOR)                                         \
	X(most_registers, 82, MAX_REGISTERS_PER_MULTIPROCESSOR)                                    \
	X(most_shared, 81, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)                                   \
	X(reserved_shared, 111, RESERVED_SHARED_MEMORY_PER_BLOCK)                                  \
	X(coherent, 100, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES)

#define DEVICE_ATTRIBUTE_MAJOR 75
#define DEVICE_ATTRIBUTE_MINOR 76
#define DEVICE_ATTRIBUTE_ECC   32

/* The driver's functions, which return 0 if all is well; `uuid` may be NULL. */
struct device_calls {
	int (*name)(char *name, int length, int device);
	int (*uuid)(void *uuid, int device);
	int (*memory)(size_t *bytes, int device);
	int (*attribute)(int *value, int attribute, int device);
};

/* Fills in what the driver knows of a device; the rest stays as it is. The driver must be
 * initialised. Any thread. */
void device_describe(struct device_info *info, const struct device_calls *calls, int device);

#endif
