/* SPDX-License-Identifier: MIT */
/* Initialisation, devices and the texts of errors. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/driver/context.h"
#include "tests/sim/driver/timeline.h"

int context_device_count(void)
{
	uint64_t devices = sim_setting("SIM_DEVICES", 1);

	return devices < DEVICES_MAX ? devices : DEVICES_MAX;
}

bool context_device_valid(CUdevice device)
{
	return device >= 0 && device < context_device_count();
}

/* A tool that comes with the driver's start, as tests/bench/bare_tracer.c does. */
static void load_injection(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *handle = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*initialize)(void) =
		handle ? (int (*)(void))dlsym(handle, "InitializeInjection") : NULL;

	if (initialize)
		initialize();
}

SIM_ENTRY_NEEDING(SIM_NEEDS_NOTHING, cuInit, (unsigned int flags), (flags))
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	CUresult result;

	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	result = context_device_count() ? sim_start() : CUDA_ERROR_NO_DEVICE;
	if (result == CUDA_SUCCESS)
		pthread_once(&once, load_injection);
	return result;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_NOTHING, cuDriverGetVersion, (int *version), (version))
{
	*version = sim_setting("SIM_DRIVER_VERSION", SIM_DRIVER_VERSION);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetCount, (int *count), (count))
{
	*count = context_device_count();
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal))
{
	if (!context_device_valid(ordinal))
		return CUDA_ERROR_INVALID_DEVICE;
	*device = ordinal;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetName, (char *name, int length, CUdevice device),
		  (name, length, device))
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, length,
		 device > 0 && sim_setting("SIM_MIXED", 0) ? "Other GPU" : "Simulated GPU");
	return CUDA_SUCCESS;
}

static CUresult uuid_of(CUuuid *uuid, CUdevice device)
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	memset(uuid, 0x51, sizeof(*uuid));
	uuid->bytes[15] = device;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), (uuid, device))
{
	return uuid_of(uuid, device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device),
		  (uuid, device))
{
	return uuid_of(uuid, device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device),
		  (bytes, device))
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = 0x50000000;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetPCIBusId, (char *id, int length, CUdevice device),
		  (id, length, device))
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(id, length, "0000:%02X:00.0", device + 1);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer),
		  (can, device, peer))
{
	*can = device != peer;
	return CUDA_SUCCESS;
}

static const struct {
	CUdevice_attribute attribute;
	int value;
} attributes[] = {
	{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
	{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
	{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
	{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
	{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
	{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
	{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
	{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
	{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
	{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
	{CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
	{CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
	{CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
	{CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
	{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
	{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
	{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 62914560},
	{CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
	{CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
	{CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
	{CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
	{CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
	{CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
	{CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
	{CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
	{CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
	{CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
	{CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
	{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
	{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
	{CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
};

/* "16=108,37=-1": the attribute's value; -1: this driver does not have it. */
static bool asked_for(CUdevice_attribute attribute, int *value)
{
	const char *text = getenv("SIM_ATTRIBUTES");
	int number, given, length;

	for (; text && sscanf(text, "%d=%d%n", &number, &given, &length) == 2;
	     text += length + (text[length] == ',')) {
		if (number != (int)attribute)
			continue;
		*value = given;
		return true;
	}
	return false;
}

/* Attributes that the table lacks are 0. */
SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetAttribute,
		  (int *value, CUdevice_attribute attribute, CUdevice device),
		  (value, attribute, device))
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*value = 0;
	if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
		*value = device + 1;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if (attributes[i].attribute == attribute)
			*value = attributes[i].value;
	}
	return asked_for(attribute, value) && *value < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

#define ERRORS(X)                                                                                  \
	X(CUDA_SUCCESS, "no error")                                                                \
	X(CUDA_ERROR_INVALID_VALUE, "invalid argument")                                            \
	X(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")                                               \
	X(CUDA_ERROR_NOT_INITIALIZED, "initialization error")                                      \
	X(CUDA_ERROR_DEINITIALIZED, "driver shutting down")                                        \
	X(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected")                              \
	X(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal")                                     \
	X(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid")                              \
	X(CUDA_ERROR_INVALID_CONTEXT, "invalid device context")                                    \
	X(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle")                                    \
	X(CUDA_ERROR_NOT_FOUND, "named symbol not found")                                          \
	X(CUDA_ERROR_NOT_READY, "device not ready")                                                \
	X(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered")                  \
	X(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed")                                 \
	X(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure")                                  \
	X(CUDA_ERROR_NOT_SUPPORTED, "operation not supported")                                     \
	X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,                                                   \
	  "operation not permitted when stream is capturing")                                      \
	X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,                                                   \
	  "operation failed due to a previous error during capture")                               \
	X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture was not initiated in this stream")         \
	X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work")                \
	X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,                                                      \
	  "operation would make the legacy stream depend on a capturing blocking stream")          \
	X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,                                                  \
	  "attempt to terminate a thread-local capture sequence from another thread")              \
	X(CUDA_ERROR_UNKNOWN, "unknown error")

static CUresult error_text(CUresult error, const char **name, const char **text)
{
	static const struct {
		CUresult error;
		const char *name, *text;
	} errors[] = {
#define X(error, text) {error, #error, text},
		ERRORS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].error == error) {
			*name = errors[i].name;
			*text = errors[i].text;
			return CUDA_SUCCESS;
		}
	}
	*name = *text = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_NOTHING, cuGetErrorString, (CUresult error, const char **text),
		  (error, text))
{
	const char *name;

	return error_text(error, &name, text);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_NOTHING, cuGetErrorName, (CUresult error, const char **name),
		  (error, name))
{
	const char *text;

	return error_text(error, name, &text);
}
