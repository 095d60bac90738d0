/* SPDX-License-Identifier: MIT */
#include "report/command/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/devices/attributes.h"
#include "report/devices/nvml.h"

/* X(member of struct driver_calls, symbol, needed) */
#define PROBE_CALLS(X)                                                                             \
	X(init, cuInit, 1)                                                                         \
	X(count, cuDeviceGetCount, 1)                                                              \
	X(error_text, cuGetErrorString, 1)                                                         \
	X(device.name, cuDeviceGetName, 1)                                                         \
	X(device.uuid, cuDeviceGetUuid, 0)                                                         \
	X(device.memory, cuDeviceTotalMem_v2, 1)                                                   \
	X(device.attribute, cuDeviceGetAttribute, 1)

struct driver_calls {
	int (*init)(unsigned flags);
	int (*count)(int *count);
	int (*error_text)(int error, const char **text);
	struct device_calls device;
};

static int load_driver(struct driver_calls *driver, char *message, size_t size)
{
	void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	bool complete = true;

	if (!handle) {
		snprintf(message, size, "no CUDA driver here: %s", dlerror());
		return -ENODEV;
	}
#define PROBE_LOOK_UP(member, symbol, needed)                                                      \
	*(void **)&driver->member = dlsym(handle, #symbol);                                        \
	complete &= !(needed) || driver->member;
	PROBE_CALLS(PROBE_LOOK_UP)
#undef PROBE_LOOK_UP
	if (complete)
		return 0;
	snprintf(message, size, "the CUDA driver is too old");
	return -ENOSYS;
}

static int say_failure(const struct driver_calls *driver, int result, char *message, size_t size)
{
	const char *text = NULL;

	if (driver->error_text(result, &text) || !text)
		text = "unknown error";
	snprintf(message, size, "the CUDA driver says: %s (%d)", text, result);
	return -ENODEV;
}

int probe_devices(struct probe *probe, char *message, size_t size)
{
	struct driver_calls driver = {.init = NULL};
	int count = 0, result, error = load_driver(&driver, message, size);

	*probe = (struct probe){.count = 0};
	if (error)
		return error;
	result = driver.init(0);
	if (!result)
		result = driver.count(&count);
	if (result)
		return say_failure(&driver, result, message, size);
	for (int i = 0; i < count && i < SESSION_DEVICES; i++) {
		device_describe(&probe->devices[i], &driver.device, i);
		probe->count++;
	}
	probe->no_nvml = nvml_load(dlsym);
	if (!probe->no_nvml)
		probe->no_nvml = nvml_describe(probe->devices, probe->count);
	return 0;
}
