/* SPDX-License-Identifier: MIT */
#include "report/export/export_json_device.h"

#include <stdio.h>

#include "report/devices/peaks.h"
#include "report/export/export_trace.h"
#include "report/export/json.h"

/* null: it is not known. */
static void add_known(cJSON *object, const char *name, double value)
{
	if (value > 0)
		cJSON_AddNumberToObject(object, name, value);
	else
		cJSON_AddNullToObject(object, name);
}

static void add_peaks(cJSON *object, const struct device_info *info)
{
	struct peaks peaks = peaks_of(info);
	cJSON *entry = cJSON_AddObjectToObject(object, "peaks");

	add_known(entry, "dram", peaks.dram);
	add_known(entry, "fp32", peaks.flops[PRECISION_FP32]);
	add_known(entry, "fp64", peaks.flops[PRECISION_FP64]);
	add_known(entry, "fp16_tensor", peaks.flops[PRECISION_FP16]);
	add_known(entry, "host_link", peaks.host);
	add_known(entry, "nvlink", peaks.nvlink);
}

cJSON *json_device(const struct device_info *info, int ordinal)
{
	char name[sizeof(info->name) + 1], uuid[TRACE_UUID_SIZE], link[64];
	cJSON *object = cJSON_CreateObject();

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(info->name), info->name);
	cJSON_AddNumberToObject(object, "ordinal", ordinal);
	json_add_text(object, "name", name);
	json_add_text(object, "uuid", trace_uuid(info->uuid, uuid));
	json_add_unsigned(object, "compute_capability", info->compute_capability);
	json_add_unsigned(object, "memory", info->memory);
	add_known(object, "multiprocessors", info->multiprocessors);
	add_known(object, "clock_khz", info->clock_khz);
	add_known(object, "memory_clock_khz", info->memory_clock_khz);
	add_known(object, "bus_bits", info->bus_bits);
	add_known(object, "l2_bytes", info->l2_bytes);
	if (info->ecc == ECC_UNKNOWN)
		cJSON_AddNullToObject(object, "ecc");
	else
		cJSON_AddBoolToObject(object, "ecc", info->ecc == ECC_ON);
	json_add_text(object, "link", host_link_text(info, link, sizeof(link)));
	json_add_unsigned(object, "nvlink_links", info->nvlink_links);
	add_peaks(object, info);
	return object;
}
