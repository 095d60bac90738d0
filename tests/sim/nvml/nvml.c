/* SPDX-License-Identifier: MIT */
/* A simulated libnvidia-ml: what SIM_NVML says of every device, and what it leaves out is not
 * known. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#define DEVICES 8
static int initialized;
static int numbers[DEVICES]; /* their addresses are the handles */
static unsigned readings[DEVICES];

/*
 * What SIM_NVML_FAULT says of a function: NAME:R,… returns R, or with -1 never returns. `R@N` from
 * its Nth call on.
 */
static int fault(const char *function)
{
	static struct {
		const char *function;
		_Atomic unsigned calls;
	} counted[32];
	const char *text = getenv("SIM_NVML_FAULT");
	size_t length = strlen(function);
	unsigned calls = 0;

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (!counted[i].function)
			counted[i].function = function;
		if (strcmp(counted[i].function, function) != 0)
			continue;
		calls = ++counted[i].calls;
		break;
	}
	for (; text && *text; text += strcspn(text, ","), text += *text == ',') {
		char *end;
		long result;

		if (strncmp(text, function, length) != 0 || text[length] != ':')
			continue;
		result = strtol(text + length + 1, &end, 10);
		if (*end == '@' && calls < strtoul(end + 1, NULL, 10))
			continue;
		while (result < 0)
			pause();
		return (int)result;
	}
	return NVML_SUCCESS;
}

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

/* The answer of `function`, whose number has this name. */
static int ask(const char *function, const char *name, unsigned *value)
{
	int result = fault(function);

	if (result)
		return result;
	if (!initialized)
		return NVML_UNINITIALIZED;
	return find(name, value) ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
}

static int answer(const char *name, unsigned *value)
{
	return ask("", name, value);
}

/* Like a driver call, to tell what came before it. */
static void note_in_log(void)
{
	const char *path = getenv("SIM_LOG");
	FILE *log = path && *path ? fopen(path, "ae") : NULL;

	if (!log)
		return;
	fprintf(log, "%d nvmlInit_v2 (nil) 0 0\n", gettid());
	fclose(log);
}

NVML_EXPORT int nvmlInit_v2(void);
NVML_EXPORT int nvmlInit_v2(void)
{
	const char *refused = getenv("SIM_NO_NVML");
	int result;

	if (refused)
		return atoi(refused);
	note_in_log();
	result = fault(__func__);
	if (result)
		return result;
	initialized++;
	return NVML_SUCCESS;
}

NVML_EXPORT int nvmlShutdown(void);
NVML_EXPORT int nvmlShutdown(void)
{
	int result = fault(__func__);

	if (result)
		return result;
	if (!initialized)
		return NVML_UNINITIALIZED;
	initialized--;
	return NVML_SUCCESS;
}

/* The simulated driver's UUIDs, whose last byte is the device's number. */
NVML_EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
NVML_EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
	static const char known[] = "-51515151-5151-5151-5151-5151515151";
	unsigned instance = 0;
	int result = fault(__func__);

	if (result)
		return result;
	if (!initialized)
		return NVML_UNINITIALIZED;
	find("mig_instance", &instance);
	if (strncmp(uuid, instance ? "MIG" : "GPU", 3) != 0 ||
	    strncmp(uuid + 3, known, sizeof(known) - 1) != 0 || strlen(uuid) != sizeof(known) + 4)
		return NVML_INVALID;
	*device = &numbers[strtoul(uuid + sizeof(known) + 2, NULL, 16) % DEVICES];
	return NVML_SUCCESS;
}

NVML_EXPORT int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *later);
NVML_EXPORT int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *later)
{
	(void)device;
	*later = 0;
	return ask(__func__, "mig", now);
}

/* The first answer for a device is "joules", what was used before; all others "used_joules" more.
 */
NVML_EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
NVML_EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
	unsigned before = 0, used = 0;
	int result = ask(__func__, "used_joules", &used);

	if (result)
		return result;
	find("joules", &before);
	*millijoules =
		1000ull * before + (readings[(int *)device - numbers]++ ? 1000ull * used : 0);
	return NVML_SUCCESS;
}

NVML_EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
NVML_EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
	(void)device;
	return ask(__func__, "milliwatts", milliwatts);
}

NVML_EXPORT int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
NVML_EXPORT int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
	(void)device;
	return ask(__func__, clock == 1 ? "sm_now" : clock == 2 ? "memory_now" : "", mhz);
}

#define REASONS(function, name)                                                                    \
	NVML_EXPORT int function(void *device, unsigned long long *reasons);                       \
	NVML_EXPORT int function(void *device, unsigned long long *reasons)                        \
	{                                                                                          \
		unsigned bits = 0;                                                                 \
		int result = ask(__func__, name, &bits);                                           \
                                                                                                   \
		(void)device;                                                                      \
		*reasons = bits;                                                                   \
		return result;                                                                     \
	}
REASONS(nvmlDeviceGetCurrentClocksEventReasons, "reasons")
REASONS(nvmlDeviceGetCurrentClocksThrottleReasons, "old_reasons")

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
