/* SPDX-License-Identifier: MIT */
/*
 * What NVML knows of a device and the driver does not: its links, and clocks that a driver no
 * longer tells. libnvidia-ml.so.1 is loaded when it is first needed, and stays loaded.
 */
#ifndef KTIME_REPORT_DEVICES_NVML_H
#define KTIME_REPORT_DEVICES_NVML_H

#include <stddef.h>

#include "report/session/device_info.h"

/*
 * Fills in the members of the devices that are still 0. `lookup` is dlsym or a function like it.
 * NULL, or one line on why NVML says nothing. It opens files, allocates and takes the loader's
 * lock: not on a thread of the program's. One thread at a time.
 */
const char *nvml_describe(struct device_info *devices, size_t count,
			  void *(*lookup)(void *handle, const char *name));

#endif
