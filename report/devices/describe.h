/* SPDX-License-Identifier: MIT */
/*
 * What the driver says of a device, and what NVML alone knows: its links, clocks that a driver no
 * longer tells, and its energy and clocks of the moment. The command, which is built without the
 * toolkit's headers and loads the driver itself, and libktime.so, which is inside a program that
 * has, ask alike.
 */
#ifndef KTIME_REPORT_DEVICES_DESCRIBE_H
#define KTIME_REPORT_DEVICES_DESCRIBE_H

#include <stddef.h>

#include "report/energy/energy.h"
#include "report/session/session.h"

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

#define DEVICE_UUID_SIZE (4 + 37)
/* Writes a device's UUID as nvidia-smi does. `kind` comes before it: "GPU-", "MIG-" or "". Returns
 * `text`.
 */
const char *device_uuid(char text[DEVICE_UUID_SIZE], const char *kind, const uint8_t uuid[16]);

/*
 * Loads libnvidia-ml.so.1, which stays loaded; `lookup` is dlsym or a function like it. Takes the
 * loader's lock. NULL, or one line on why NVML cannot be had.
 */
const char *nvml_load(void *(*lookup)(void *handle, const char *name));
/*
 * After nvml_load(): fills in the members of the devices that NVML alone knows, and others that are
 * still 0. Opens files, allocates, and took 20 ms on an H200: not on a thread of the program's. One
 * thread at a time. NULL, or one line on why NVML says nothing.
 */
const char *nvml_describe(struct device_info *devices, size_t count);

/*
 * After nvml_load(), on a thread that may be kept waiting: a broken driver may never answer. What
 * NVML refuses is its own number, else 0. nvml_stop() goes with each nvml_start() that succeeded.
 */
typedef struct nvml_device *nvml_device;
int nvml_start(void);
void nvml_stop(void);
/* ENERGY_READ: the device is there to be read; *result: what NVML answered. */
enum energy_state nvml_find(const uint8_t uuid[16], nvml_device *device, int *result);
/* Reads what can be had but the time; the energy in this way alone, or for the first time in any.
 */
void nvml_read(nvml_device device, enum energy_source source, struct energy_reading *reading);

#endif
