/* SPDX-License-Identifier: MIT */
/* What NVML knows of a device and the driver does not: its links, and clocks that a driver no
 * longer tells. */
#ifndef KTIME_REPORT_DEVICES_NVML_H
#define KTIME_REPORT_DEVICES_NVML_H

#include <stddef.h>

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

#endif
