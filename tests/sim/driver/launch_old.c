/* SPDX-License-Identifier: MIT */
/* Launches as they were before cuLaunchKernel: the function holds its block and parameters. */
#include <string.h>

#include "tests/sim/driver/kernel.h"
#include "tests/sim/driver/launch.h"

enum {
	SETTINGS_MAX = 64,
	BUFFER_BYTES = 4096,
};

struct settings {
	const struct kernel *kernel;
	unsigned int block[3];
	unsigned int shared_bytes;
	char buffer[BUFFER_BYTES];
};

static struct settings all[SETTINGS_MAX];

/* NULL for a handle that is none, or without room. */
static struct settings *settings_of(CUfunction function)
{
	const struct kernel *kernel = kernel_of(function);

	for (size_t i = 0; kernel && i < SETTINGS_MAX; i++) {
		if (!all[i].kernel)
			all[i] = (struct settings){.kernel = kernel, .block = {1, 1, 1}};
		if (all[i].kernel == kernel)
			return &all[i];
	}
	return NULL;
}

SIM_ENTRY(cuFuncSetBlockShape, (CUfunction function, int x, int y, int z), (function, x, y, z))
{
	struct settings *settings = settings_of(function);

	if (!settings)
		return CUDA_ERROR_INVALID_HANDLE;
	settings->block[0] = x;
	settings->block[1] = y;
	settings->block[2] = z;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuFuncSetSharedSize, (CUfunction function, unsigned int bytes), (function, bytes))
{
	struct settings *settings = settings_of(function);

	if (!settings)
		return CUDA_ERROR_INVALID_HANDLE;
	settings->shared_bytes = bytes;
	return CUDA_SUCCESS;
}

static CUresult set_parameter(CUfunction function, int offset, const void *value, size_t bytes)
{
	struct settings *settings = settings_of(function);

	if (!settings)
		return CUDA_ERROR_INVALID_HANDLE;
	if (offset < 0 || offset + bytes > BUFFER_BYTES)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(settings->buffer + offset, value, bytes);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuParamSetSize, (CUfunction function, unsigned int bytes), (function, bytes))
{
	if (!settings_of(function))
		return CUDA_ERROR_INVALID_HANDLE;
	return bytes > BUFFER_BYTES ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SIM_ENTRY(cuParamSeti, (CUfunction function, int offset, unsigned int value),
	  (function, offset, value))
{
	return set_parameter(function, offset, &value, sizeof(value));
}

SIM_ENTRY(cuParamSetf, (CUfunction function, int offset, float value), (function, offset, value))
{
	return set_parameter(function, offset, &value, sizeof(value));
}

SIM_ENTRY(cuParamSetv, (CUfunction function, int offset, void *value, unsigned int bytes),
	  (function, offset, value, bytes))
{
	return set_parameter(function, offset, value, bytes);
}

static CUresult launch_grid(CUfunction function, int width, int height, CUstream stream)
{
	struct settings *settings = settings_of(function);
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_END};
	CUlaunchConfig config = {.gridDimX = width, .gridDimY = height, .gridDimZ = 1};

	if (!settings)
		return CUDA_ERROR_INVALID_HANDLE;
	extra[1] = settings->buffer;
	config.blockDimX = settings->block[0];
	config.blockDimY = settings->block[1];
	config.blockDimZ = settings->block[2];
	config.sharedMemBytes = settings->shared_bytes;
	config.hStream = stream;
	return launch_kernel(&config, function, NULL, extra, false);
}

SIM_ENTRY(cuLaunch, (CUfunction function), (function))
{
	return launch_grid(function, 1, 1, NULL);
}

SIM_ENTRY(cuLaunchGrid, (CUfunction function, int width, int height), (function, width, height))
{
	return launch_grid(function, width, height, NULL);
}

SIM_ENTRY(cuLaunchGridAsync, (CUfunction function, int width, int height, CUstream stream),
	  (function, width, height, stream))
{
	return launch_grid(function, width, height, stream);
}

/* One launch on each device, each in a stream of that device's context. */
SIM_ENTRY(cuLaunchCooperativeKernelMultiDevice,
	  (CUDA_LAUNCH_PARAMS * list, unsigned int count, unsigned int flags), (list, count, flags))
{
	CUresult result = !list || !count || flags > 3 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;

	for (unsigned int i = 0; i < count && result == CUDA_SUCCESS; i++) {
		CUlaunchConfig config = {
			.gridDimX = list[i].gridDimX,
			.gridDimY = list[i].gridDimY,
			.gridDimZ = list[i].gridDimZ,
			.blockDimX = list[i].blockDimX,
			.blockDimY = list[i].blockDimY,
			.blockDimZ = list[i].blockDimZ,
			.sharedMemBytes = list[i].sharedMemBytes,
			.hStream = list[i].hStream,
		};

		if (!config.hStream || config.hStream == CU_STREAM_LEGACY)
			return CUDA_ERROR_INVALID_VALUE;
		result = launch_kernel(&config, list[i].function, list[i].kernelParams, NULL, true);
	}
	return result;
}
