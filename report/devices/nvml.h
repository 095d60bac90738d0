/* SPDX-License-Identifier: MIT */
/* What NVML knows of a device and the driver does not: its links, clocks that a driver no longer
 * tells, and its energy and clocks of the moment. */
#ifndef KTIME_REPORT_DEVICES_NVML_H
#define KTIME_REPORT_DEVICES_NVML_H

#include <stddef.h>

#include "report/energy/energy.h"
#include "report/session/device_info.h"

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
