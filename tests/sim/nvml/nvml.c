/* SPDX-License-Identifier: MIT */
/* A simulated libnvidia-ml: what SIM_NVML says of every device, and what it leaves out is not
 * known. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NVML_EXPORT	    __attribute__((visibility("default")))
#define NVML_SUCCESS	    0
#define NVML_UNINITIALIZED  1
#define NVML_INVALID	    2
#define NVML_NOT_SUPPORTED  3
#define VALUE_UNSIGNED	    1
#define FIELD_NVLINK_SPEED  90
#define FIELD_C2C_LINKS	    170
#define FIELD_C2C_STATUS    171
#define FIELD_C2C_BANDWIDTH 172

struct field_value {
	unsigned id, scope;
	long long timestamp, latency;
	int type, result;
	union {
		unsigned number;
		double wide;
	} value;
};

static int initialized;

/* The number of a field in "pcie=5,lanes=16". */
static bool find(const char *name, unsigned *value)
{
	const char *text = getenv("SIM_NVML");
	size_t length = strlen(name);

	for (; text && *text; text += strcspn(text, ","), text += *text == ',') {
		if (strncmp(text, name, length) != 0 || text[length] != '=')
			continue;
		*value = (unsigned)strtoul(text + length + 1, NULL, 10);
		return true;
	}
	return false;
}

static int answer(const char *name, unsigned *value)
{
	if (!initialized)
		return NVML_UNINITIALIZED;
	return find(name, value) ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
}

NVML_EXPORT int nvmlInit_v2(void);
NVML_EXPORT int nvmlInit_v2(void)
{
	const char *refused = getenv("SIM_NO_NVML");

	if (refused)
		return atoi(refused);
	initialized++;
	return NVML_SUCCESS;
}

NVML_EXPORT int nvmlShutdown(void);
NVML_EXPORT int nvmlShutdown(void)
{
	if (!initialized)
		return NVML_UNINITIALIZED;
	initialized--;
	return NVML_SUCCESS;
}

/* The simulated driver's, whose last byte is the device's number. */
NVML_EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
NVML_EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
	static const char known[] = "GPU-51515151-5151-5151-5151-5151515151";

	if (!initialized)
		return NVML_UNINITIALIZED;
	if (strncmp(uuid, known, sizeof(known) - 1) != 0 || strlen(uuid) != sizeof(known) + 1)
		return NVML_INVALID;
	*device = &initialized;
	return NVML_SUCCESS;
}

NVML_EXPORT int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz);
NVML_EXPORT int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz)
{
	(void)device;
	return clock == 1   ? answer("sm_mhz", mhz)
	       : clock == 2 ? answer("memory_mhz", mhz)
			    : NVML_INVALID;
}

#define NUMBER(function, name)                                                                     \
	NVML_EXPORT int function(void *device, unsigned *value);                                   \
	NVML_EXPORT int function(void *device, unsigned *value)                                    \
	{                                                                                          \
		(void)device;                                                                      \
		return answer(name, value);                                                        \
	}
NUMBER(nvmlDeviceGetMemoryBusWidth, "bus_bits")
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "pcie")
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "lanes")

/* One link more than are active: it is down. */
NVML_EXPORT int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *active);
NVML_EXPORT int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *active)
{
	unsigned links;
	int result = answer("nvlinks", &links);

	(void)device;
	if (result)
		return result;
	*active = link < links;
	return link <= links ? NVML_SUCCESS : NVML_INVALID;
}

NVML_EXPORT int nvmlDeviceGetFieldValues(void *device, int count, struct field_value *fields);
NVML_EXPORT int nvmlDeviceGetFieldValues(void *device, int count, struct field_value *fields)
{
	(void)device;
	for (int i = 0; i < count; i++) {
		struct field_value *field = &fields[i];

		field->type = VALUE_UNSIGNED;
		field->value.number = 1;
		field->result = field->id == FIELD_NVLINK_SPEED
					? answer("nvlink_mbps", &field->value.number)
				: field->id == FIELD_C2C_LINKS
					? answer("c2c_links", &field->value.number)
				: field->id == FIELD_C2C_BANDWIDTH
					? answer("c2c_mbps", &field->value.number)
				: field->id == FIELD_C2C_STATUS ? NVML_SUCCESS
								: NVML_NOT_SUPPORTED;
	}
	return NVML_SUCCESS;
}
