/* SPDX-License-Identifier: MIT */
/* The entries that launch kernels and host functions. */
#include <stdlib.h>

#include "tests/sim/driver/capture.h"
#include "tests/sim/driver/kernel.h"
#include "tests/sim/driver/launch.h"
#include "tests/sim/driver/stream.h"

enum {
	BLOCK_THREADS_MAX = 1024,
	PARAMETERS_MAX = 64,
};

/* The parameters in one buffer, each aligned to its size, as the "extra" argument packs them. */
static void unpack(const struct host_kernel *host, char *buffer, void **parameters)
{
	size_t offset = 0, size;

	for (size_t i = 0; i < host->parameter_count; i++) {
		size = host->parameter_sizes[i];
		offset = (offset + size - 1) / size * size;
		parameters[i] = buffer + offset;
		offset += size;
	}
}

void kernel_execute(const struct operation *operation)
{
	const struct host_kernel *host = operation->u.launch.kernel->host;

	if (host && operation->u.launch.parameters)
		host->run(operation->u.launch.grid, operation->u.launch.block,
			  operation->u.launch.parameters);
}

CUresult launch_kernel(const CUlaunchConfig *config, CUfunction function, void **parameters,
		       void **extra, bool cooperative)
{
	const struct kernel *kernel = kernel_of(function);
	void *unpacked[PARAMETERS_MAX];
	CUresult result;
	struct stream *stream;
	struct operation operation = {
		.kind = OPERATION_KERNEL,
		.u.launch =
			{
				.kernel = kernel,
				.function = function,
				.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
				.block = {config->blockDimX, config->blockDimY, config->blockDimZ},
				.shared_bytes = config->sharedMemBytes,
				.cooperative = cooperative,
				.parameters = parameters,
			},
	};
	uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;

	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!threads || threads > BLOCK_THREADS_MAX || !config->gridDimX || !config->gridDimY ||
	    !config->gridDimZ)
		return CUDA_ERROR_INVALID_VALUE;
	for (void **item = extra; item && *item != CU_LAUNCH_PARAM_END; item += 2) {
		if (*item == CU_LAUNCH_PARAM_BUFFER_POINTER && kernel->host) {
			unpack(kernel->host, item[1], unpacked);
			operation.u.launch.parameters = unpacked;
		}
	}
	stream = stream_of(config->hStream, &result);
	return stream ? stream_submit(stream, &operation, false) : result;
}

#define CONFIG                                                                                     \
	(&(CUlaunchConfig){.gridDimX = grid_x,                                                     \
			   .gridDimY = grid_y,                                                     \
			   .gridDimZ = grid_z,                                                     \
			   .blockDimX = block_x,                                                   \
			   .blockDimY = block_y,                                                   \
			   .blockDimZ = block_z,                                                   \
			   .sharedMemBytes = shared_bytes,                                         \
			   .hStream = stream})

SIM_ENTRY_STREAM(cuLaunchKernel, _ptsz,
		 (CUfunction function, unsigned int grid_x, unsigned int grid_y,
		  unsigned int grid_z, unsigned int block_x, unsigned int block_y,
		  unsigned int block_z, unsigned int shared_bytes, CUstream stream,
		  void **parameters, void **extra),
		 (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
		  parameters, extra))
{
	return launch_kernel(CONFIG, function, parameters, extra, false);
}

SIM_ENTRY_STREAM(cuLaunchCooperativeKernel, _ptsz,
		 (CUfunction function, unsigned int grid_x, unsigned int grid_y,
		  unsigned int grid_z, unsigned int block_x, unsigned int block_y,
		  unsigned int block_z, unsigned int shared_bytes, CUstream stream,
		  void **parameters),
		 (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
		  parameters))
{
	return launch_kernel(CONFIG, function, parameters, NULL, true);
}

SIM_ENTRY_STREAM(cuLaunchKernelEx, _ptsz,
		 (const CUlaunchConfig *config, CUfunction function, void **parameters,
		  void **extra),
		 (config, function, parameters, extra))
{
	bool cooperative = false;

	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < config->numAttrs; i++) {
		if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			cooperative = config->attrs[i].value.cooperative;
	}
	return launch_kernel(config, function, parameters, extra, cooperative);
}

SIM_ENTRY_STREAM(cuLaunchHostFunc, _ptsz, (CUstream handle, CUhostFn function, void *argument),
		 (handle, function, argument))
{
	struct operation operation = {.kind = OPERATION_HOST, .u.host = {function, argument}};
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	return stream ? stream_submit(stream, &operation, false) : result;
}

struct callback {
	CUstreamCallback function;
	CUstream stream;
	void *argument;
};

static void call_back(void *argument)
{
	struct callback *callback = argument;

	callback->function(callback->stream, CUDA_SUCCESS, callback->argument);
	free(callback);
}

/* Unlike a host function, not for a stream that captures. */
SIM_ENTRY_STREAM(cuStreamAddCallback, _ptsz,
		 (CUstream handle, CUstreamCallback function, void *argument, unsigned int flags),
		 (handle, function, argument, flags))
{
	struct operation operation = {.kind = OPERATION_HOST};
	struct callback *callback;
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (!function || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!stream)
		return result;
	if (stream->capture)
		return capture_break(stream);
	callback = malloc(sizeof(*callback));
	if (!callback)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*callback = (struct callback){function, handle, argument};
	operation.u.host.function = call_back;
	operation.u.host.argument = callback;
	result = stream_submit(stream, &operation, false);
	if (result != CUDA_SUCCESS)
		free(callback);
	return result;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuProfilerStart, (void), ())
{
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuProfilerStop, (void), ())
{
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor,
	  (int *blocks, CUfunction function, int block_size, size_t shared_bytes),
	  (blocks, function, block_size, shared_bytes))
{
	(void)shared_bytes;
	if (!kernel_of(function) || block_size < 1)
		return CUDA_ERROR_INVALID_VALUE;
	*blocks = 2048 / block_size;
	return CUDA_SUCCESS;
}
