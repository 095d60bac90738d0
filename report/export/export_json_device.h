/* SPDX-License-Identifier: MIT */
#ifndef KTIME_REPORT_EXPORT_EXPORT_JSON_DEVICE_H
#define KTIME_REPORT_EXPORT_EXPORT_JSON_DEVICE_H

#include <cjson/cJSON.h>

#include "report/session/device_info.h"

/* A device and its peaks, which the caller deletes; NULL if memory is out. */
cJSON *json_device(const struct device_info *info, int ordinal);
/* Energy and clocks of a device, which the caller deletes. */
cJSON *json_energy(const struct device_energy *energy);

#endif
