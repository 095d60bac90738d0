/* SPDX-License-Identifier: MIT */
#include "report/devices/describe.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

/* 0 if the driver does not have the attribute. */
static uint32_t attribute_of(const struct device_calls *calls, int attribute, int device)
{
	int value = 0;

	if (calls->attribute(&value, attribute, device) || value < 0)
		return 0;
	return (uint32_t)value;
}

static uint32_t ecc_of(const struct device_calls *calls, int device)
{
	int value;

	if (calls->attribute(&value, DEVICE_ATTRIBUTE_ECC, device))
		return ECC_UNKNOWN;
	return value ? ECC_ON : ECC_OFF;
}

void device_describe(struct device_info *info, const struct device_calls *calls, int device)
{
	size_t bytes = 0;

	calls->name(info->name, sizeof(info->name), device);
	if (calls->uuid)
		calls->uuid(info->uuid, device);
	calls->memory(&bytes, device);
	info->memory = bytes;
	info->compute_capability = attribute_of(calls, DEVICE_ATTRIBUTE_MAJOR, device) * 10 +
				   attribute_of(calls, DEVICE_ATTRIBUTE_MINOR, device);
	info->ecc = ecc_of(calls, device);
#define READ_ATTRIBUTE(member, number, name) info->member = attribute_of(calls, number, device);
	DEVICE_ATTRIBUTES(READ_ATTRIBUTE)
#undef READ_ATTRIBUTE
}

/* NVML's numbers: NVML_CLOCK_SM and NVML_CLOCK_MEM; field ids; the type of a value. */
#define CLOCK_SM	    1
#define CLOCK_MEMORY	    2
#define MIG_ENABLED	    1
#define FIELD_NVLINK_SPEED  90 /* 10^6 bytes/s of each active link, in one direction */
#define FIELD_C2C_LINKS	    170
#define FIELD_C2C_STATUS    171 /* 1: active */
#define FIELD_C2C_BANDWIDTH 172 /* as of NVLink */
#define VALUE_UNSIGNED	    1
#define MOST_LINKS	    32

struct nvml_field {
	unsigned id, scope; /* scope: which link */
	long long timestamp, latency;
	int type;
	int result;
	union {
		unsigned number;
		double of_its_size;
	} value;
};

/* X(name, arguments, needed); one that is not needed may be NULL, in an older NVML. */
#define NVML_CALLS(X)                                                                              \
	X(nvmlInit_v2, (void), 1)                                                                  \
	X(nvmlShutdown, (void), 1)                                                                 \
	X(nvmlDeviceGetHandleByUUID, (const char *uuid, nvml_device *device), 1)                   \
	X(nvmlDeviceGetMaxClockInfo, (nvml_device device, int clock, unsigned *mhz), 0)            \
	X(nvmlDeviceGetMemoryBusWidth, (nvml_device device, unsigned *bits), 0)                    \
	X(nvmlDeviceGetMaxPcieLinkGeneration, (nvml_device device, unsigned *generation), 0)       \
	X(nvmlDeviceGetMaxPcieLinkWidth, (nvml_device device, unsigned *lanes), 0)                 \
	X(nvmlDeviceGetNvLinkState, (nvml_device device, unsigned link, int *active), 0)           \
	X(nvmlDeviceGetFieldValues, (nvml_device device, int count, struct nvml_field *fields), 0) \
	X(nvmlDeviceGetMigMode, (nvml_device device, unsigned *now, unsigned *later), 0)           \
	X(nvmlDeviceGetTotalEnergyConsumption,                                                     \
	  (nvml_device device, unsigned long long *millijoules), 0)                                \
	X(nvmlDeviceGetPowerUsage, (nvml_device device, unsigned *milliwatts), 0)                  \
	X(nvmlDeviceGetClockInfo, (nvml_device device, int clock, unsigned *mhz), 0)               \
	X(nvmlDeviceGetCurrentClocksEventReasons,                                                  \
	  (nvml_device device, unsigned long long *reasons), 0)                                    \
	X(nvmlDeviceGetCurrentClocksThrottleReasons, /* its name before driver 535 */              \
	  (nvml_device device, unsigned long long *reasons), 0)

static struct {
#define NVML_POINTER(name, arguments, needed) int(*name) arguments;
	NVML_CALLS(NVML_POINTER)
#undef NVML_POINTER
} nvml;
static bool loaded;

const char *nvml_load(void *(*lookup)(void *handle, const char *name))
{
	void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return "libnvidia-ml.so.1 was not found";
	loaded = true;
#define NVML_LOOK_UP(name, arguments, needed)                                                      \
	*(void **)&nvml.name = lookup(handle, #name);                                              \
	loaded &= !(needed) || nvml.name;
	NVML_CALLS(NVML_LOOK_UP)
#undef NVML_LOOK_UP
	return loaded ? NULL : "libnvidia-ml.so.1 is too old";
}

/* Whether NVML has a function and it has answered. */
#define ANSWERS(call, ...) (nvml.nvml##call && nvml.nvml##call(__VA_ARGS__) == 0)

/* 0 where NVML does not say. */
static uint32_t field_of(nvml_device device, unsigned id, unsigned link)
{
	struct nvml_field field = {.id = id, .scope = link};

	if (!ANSWERS(DeviceGetFieldValues, device, 1, &field) || field.result ||
	    field.type != VALUE_UNSIGNED)
		return 0;
	return field.value.number;
}

static void describe_nvlink(struct device_info *info, nvml_device device)
{
	for (unsigned link = 0; link < MOST_LINKS; link++) {
		int active = 0;

		if (!ANSWERS(DeviceGetNvLinkState, device, link, &active))
			break;
		info->nvlink_links += active == 1;
	}
	if (info->nvlink_links)
		info->nvlink_mbps = field_of(device, FIELD_NVLINK_SPEED, 0);
}

static void describe_c2c(struct device_info *info, nvml_device device)
{
	unsigned links = field_of(device, FIELD_C2C_LINKS, 0);

	for (unsigned link = 0; link < links && link < MOST_LINKS; link++)
		if (field_of(device, FIELD_C2C_STATUS, link) == 1)
			info->c2c_mbps += field_of(device, FIELD_C2C_BANDWIDTH, link);
}

static void describe(struct device_info *info, nvml_device device)
{
	unsigned value = 0;

	if (!info->clock_khz && ANSWERS(DeviceGetMaxClockInfo, device, CLOCK_SM, &value))
		info->clock_khz = value * 1000;
	if (!info->memory_clock_khz && ANSWERS(DeviceGetMaxClockInfo, device, CLOCK_MEMORY, &value))
		info->memory_clock_khz = value * 1000;
	if (!info->bus_bits && ANSWERS(DeviceGetMemoryBusWidth, device, &value))
		info->bus_bits = value;
	if (ANSWERS(DeviceGetMaxPcieLinkGeneration, device, &value))
		info->pcie_generation = value;
	if (ANSWERS(DeviceGetMaxPcieLinkWidth, device, &value))
		info->pcie_lanes = value;
	info->nvlink_links = info->nvlink_mbps = info->c2c_mbps = 0;
	describe_nvlink(info, device);
	describe_c2c(info, device);
}

const char *device_uuid(char text[DEVICE_UUID_SIZE], const char *kind, const uint8_t uuid[16])
{
	char *end = text + sprintf(text, "%.4s", kind);

	for (int i = 0; i < 16; i++)
		end += sprintf(end, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			       uuid[i]);
	return text;
}

const char *nvml_describe(struct device_info *devices, size_t count)
{
	const char *reason = NULL;

	if (!loaded)
		return "NVML was not loaded";
	if (nvml.nvmlInit_v2())
		return "NVML could not be initialised";
	for (size_t i = 0; i < count; i++) {
		char uuid[DEVICE_UUID_SIZE];
		nvml_device device;

		device_uuid(uuid, "GPU-", devices[i].uuid);
		if (nvml.nvmlDeviceGetHandleByUUID(uuid, &device) == 0)
			describe(&devices[i], device);
		else
			reason = "NVML does not know the device";
	}
	nvml.nvmlShutdown();
	return reason;
}

int nvml_start(void)
{
	return nvml.nvmlInit_v2();
}

void nvml_stop(void)
{
	nvml.nvmlShutdown();
}

enum energy_state nvml_find(const uint8_t uuid[16], nvml_device *device, int *result)
{
	char text[DEVICE_UUID_SIZE];
	unsigned now = 0, later;

	device_uuid(text, "GPU-", uuid);
	*result = nvml.nvmlDeviceGetHandleByUUID(text, device);
	if (*result == 0)
		return ANSWERS(DeviceGetMigMode, *device, &now, &later) && now == MIG_ENABLED
			       ? ENERGY_MIG
			       : ENERGY_READ;
	device_uuid(text, "MIG-", uuid);
	if (nvml.nvmlDeviceGetHandleByUUID(text, device))
		return ENERGY_UNKNOWN_DEVICE;
	*result = 0;
	return ENERGY_MIG;
}

void nvml_read(nvml_device device, enum energy_source source, struct energy_reading *reading)
{
	unsigned long long value;

	reading->parts = 0;
	if (source != ENERGY_FROM_POWER &&
	    ANSWERS(DeviceGetTotalEnergyConsumption, device, &value)) {
		reading->parts |= READING_ENERGY;
		reading->millijoules = value;
	} else if (source != ENERGY_FROM_COUNTER &&
		   ANSWERS(DeviceGetPowerUsage, device, &reading->milliwatts)) {
		reading->parts |= READING_POWER;
	}
	if (ANSWERS(DeviceGetClockInfo, device, CLOCK_SM, &reading->sm_mhz))
		reading->parts |= READING_SM;
	if (ANSWERS(DeviceGetClockInfo, device, CLOCK_MEMORY, &reading->memory_mhz))
		reading->parts |= READING_MEMORY;
	if (ANSWERS(DeviceGetCurrentClocksEventReasons, device, &value) ||
	    ANSWERS(DeviceGetCurrentClocksThrottleReasons, device, &value)) {
		reading->parts |= READING_REASONS;
		reading->reasons = value;
	}
}
