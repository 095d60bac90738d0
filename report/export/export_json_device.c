/* SPDX-License-Identifier: MIT */
#include "report/export/export_json_device.h"

#include <stdio.h>

#include "report/devices/peaks.h"
#include "report/energy/energy.h"
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

static void add_clock(cJSON *object, const char *name, const struct clock_range *clock)
{
	cJSON *entry = clock->samples ? cJSON_AddObjectToObject(object, name)
				      : cJSON_AddNullToObject(object, name);

	if (!clock->samples)
		return;
	json_add_unsigned(entry, "minimum", clock->minimum);
	cJSON_AddNumberToObject(entry, "average", clock_average(clock));
	json_add_unsigned(entry, "maximum", clock->maximum);
}

cJSON *json_energy(const struct device_energy *energy)
{
	cJSON *object = cJSON_CreateObject(), *reasons;

	if (!energy_is_known(energy)) {
		json_add_text(object, "missing", energy_missing(energy));
		cJSON_AddNumberToObject(object, "nvml_result", energy->result);
		return object;
	}
	if (energy->duration) {
		cJSON_AddNumberToObject(object, "joules", energy->joules);
		json_add_unsigned(object, "duration", energy->duration);
		cJSON_AddNumberToObject(object, "watts", energy_power(energy));
		cJSON_AddBoolToObject(object, "from_power", energy->source == ENERGY_FROM_POWER);
	}
	json_add_unsigned(object, "samples", energy->samples);
	json_add_unsigned(object, "samples_idle", energy->idle);
	add_clock(object, "sm_mhz", &energy->sm);
	add_clock(object, "memory_mhz", &energy->memory);
	reasons = cJSON_AddObjectToObject(object, "clock_reasons");
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		cJSON_AddNumberToObject(reasons, clock_reason_key(i),
					clock_reason_share(energy, i));
	return object;
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
	if (info->energy.state != ENERGY_NOT_ASKED)
		cJSON_AddItemToObject(object, "energy", json_energy(&info->energy));
	return object;
}
