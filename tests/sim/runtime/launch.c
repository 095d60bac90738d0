/* SPDX-License-Identifier: MIT */
/* What nvcc's objects register, and how they launch it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/runtime/runtime.h"

struct binary {
	void *wrapper;
	CUlibrary library; /* loaded at the first use of what is in it */
};

struct registered {
	const void *host;
	const char *name;
	struct binary *binary;
	CUkernel kernel;
	struct registered *next;
};

struct variable {
	const void *host;
	const char *name;
	struct binary *binary;
	struct variable *next;
};

struct configuration {
	dim3 grid, block;
	size_t shared_bytes;
	void *stream;
	struct configuration *outer;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct registered *functions;
static struct variable *variables;
static __thread struct configuration *configurations;

RUNTIME_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
RUNTIME_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
RUNTIME_EXPORT void __cudaUnregisterFatBinary(void **handle);
RUNTIME_EXPORT char __cudaInitModule(void **handle);
RUNTIME_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device_function,
					   const char *name, int thread_limit, uint3 *thread,
					   uint3 *block, dim3 *block_size, dim3 *grid_size,
					   int *warp_size);
RUNTIME_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device_variable,
				      const char *name, int external, size_t bytes, int constant,
				      int global);
RUNTIME_EXPORT unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
							void *stream);
RUNTIME_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
						      void *stream);

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct binary *binary = calloc(1, sizeof(*binary));

	if (binary)
		binary->wrapper = wrapper;
	return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* Runs in the program's exit handlers, where the driver may be gone. */
void __cudaUnregisterFatBinary(void **handle)
{
	struct binary *binary = (struct binary *)handle;
	struct registered **link = &functions, *function;

	pthread_mutex_lock(&lock);
	while ((function = *link)) {
		if (function->binary != binary) {
			link = &function->next;
			continue;
		}
		*link = function->next;
		free(function);
	}
	pthread_mutex_unlock(&lock);
	free(binary);
}

char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device_function,
			    const char *name, int thread_limit, uint3 *thread, uint3 *block,
			    dim3 *block_size, dim3 *grid_size, int *warp_size)
{
	struct registered *function = calloc(1, sizeof(*function));

	(void)device_function, (void)thread_limit, (void)thread, (void)block;
	(void)block_size, (void)grid_size, (void)warp_size;
	if (!function)
		return;
	pthread_mutex_lock(&lock);
	*function = (struct registered){host, name, (struct binary *)handle, NULL, functions};
	functions = function;
	pthread_mutex_unlock(&lock);
}

void __cudaRegisterVar(void **handle, char *host, char *device_variable, const char *name,
		       int external, size_t bytes, int constant, int global)
{
	struct variable *variable = calloc(1, sizeof(*variable));

	(void)device_variable, (void)external, (void)bytes, (void)constant, (void)global;
	if (!variable)
		return;
	pthread_mutex_lock(&lock);
	*variable = (struct variable){host, name, (struct binary *)handle, variables};
	variables = variable;
	pthread_mutex_unlock(&lock);
}

static CUresult load_binary(struct binary *binary)
{
	if (binary->library)
		return CUDA_SUCCESS;
	return runtime_drivers[0].cuLibraryLoadData(&binary->library, binary->wrapper, NULL, NULL,
						    0, NULL, NULL, 0);
}

CUdeviceptr runtime_symbol(const void *host, CUresult *result)
{
	struct variable *variable;
	CUdeviceptr address = 0;

	pthread_mutex_lock(&lock);
	for (variable = variables; variable && variable->host != host; variable = variable->next)
		;
	*result = variable ? load_binary(variable->binary) : (CUresult)cudaErrorInvalidSymbol;
	if (*result == CUDA_SUCCESS)
		*result = runtime_drivers[0].cuLibraryGetGlobal(
			&address, NULL, variable->binary->library, variable->name);
	pthread_mutex_unlock(&lock);
	return address;
}

static CUresult load(struct registered *function)
{
	const struct driver *driver = &runtime_drivers[0];
	struct binary *binary = function->binary;
	CUresult result = load_binary(binary);

	if (result == CUDA_SUCCESS && !function->kernel)
		result = driver->cuLibraryGetKernel(&function->kernel, binary->library,
						    function->name);
	return result;
}

CUkernel runtime_kernel(const void *host, CUresult *result)
{
	struct registered *function;

	pthread_mutex_lock(&lock);
	for (function = functions; function && function->host != host; function = function->next)
		;
	*result = function ? load(function) : CUDA_ERROR_INVALID_HANDLE;
	pthread_mutex_unlock(&lock);
	return *result == CUDA_SUCCESS ? function->kernel : NULL;
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void *stream)
{
	struct configuration *configuration = malloc(sizeof(*configuration));

	if (!configuration)
		return 1;
	*configuration = (struct configuration){grid, block, shared_bytes, stream, configurations};
	configurations = configuration;
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
	struct configuration *configuration = configurations;

	if (!configuration)
		return cudaErrorMissingConfiguration;
	configurations = configuration->outer;
	*grid = configuration->grid;
	*block = configuration->block;
	*shared_bytes = configuration->shared_bytes;
	*(void **)stream = configuration->stream;
	free(configuration);
	return cudaSuccess;
}

/* The kernel is handed to the driver's function parameter by a cast, as the real runtime does. */
static CUresult launch(CUkernel kernel, dim3 grid, dim3 block, void **parameters,
		       size_t shared_bytes, cudaStream_t stream)
{
	return runtime_driver->cuLaunchKernel((CUfunction)kernel, grid.x, grid.y, grid.z, block.x,
					      block.y, block.z, shared_bytes, stream, parameters,
					      NULL);
}

RUNTIME(__cudaGetKernel, (cudaKernel_t * kernel, const void *host), (kernel, host))
{
	CUresult result;

	*kernel = (cudaKernel_t)runtime_kernel(host, &result);
	return result;
}

RUNTIME(cudaGetKernel, (cudaKernel_t * kernel, const void *host), (kernel, host))
{
	CUresult result;

	*kernel = (cudaKernel_t)runtime_kernel(host, &result);
	return result;
}

RUNTIME_STREAM(__cudaLaunchKernel, _ptsz,
	       (cudaKernel_t kernel, dim3 grid, dim3 block, void **parameters, size_t shared_bytes,
		cudaStream_t stream),
	       (kernel, grid, block, parameters, shared_bytes, stream))
{
	return launch((CUkernel)kernel, grid, block, parameters, shared_bytes, stream);
}

RUNTIME_STREAM(cudaLaunchKernel, _ptsz,
	       (const void *function, dim3 grid, dim3 block, void **parameters, size_t shared_bytes,
		cudaStream_t stream),
	       (function, grid, block, parameters, shared_bytes, stream))
{
	CUresult result;
	CUkernel kernel = runtime_kernel(function, &result);

	return kernel ? launch(kernel, grid, block, parameters, shared_bytes, stream) : result;
}

RUNTIME_STREAM(cudaLaunchCooperativeKernel, _ptsz,
	       (const void *function, dim3 grid, dim3 block, void **parameters, size_t shared_bytes,
		cudaStream_t stream),
	       (function, grid, block, parameters, shared_bytes, stream))
{
	CUresult result;
	CUkernel kernel = runtime_kernel(function, &result);

	if (!kernel)
		return result;
	return runtime_driver->cuLaunchCooperativeKernel((CUfunction)kernel, grid.x, grid.y, grid.z,
							 block.x, block.y, block.z, shared_bytes,
							 stream, parameters);
}

/* The attributes have the driver's layout and numbers. */
RUNTIME_STREAM(cudaLaunchKernelExC, _ptsz,
	       (const cudaLaunchConfig_t *config, const void *function, void **parameters),
	       (config, function, parameters))
{
	CUresult result;
	CUkernel kernel = runtime_kernel(function, &result);

	if (!kernel)
		return result;
	return runtime_driver->cuLaunchKernelEx(
		&(CUlaunchConfig){
			.gridDimX = config->gridDim.x,
			.gridDimY = config->gridDim.y,
			.gridDimZ = config->gridDim.z,
			.blockDimX = config->blockDim.x,
			.blockDimY = config->blockDim.y,
			.blockDimZ = config->blockDim.z,
			.sharedMemBytes = config->dynamicSmemBytes,
			.hStream = config->stream,
			.attrs = (CUlaunchAttribute *)config->attrs,
			.numAttrs = config->numAttrs,
		},
		(CUfunction)kernel, parameters, NULL);
}

RUNTIME_STREAM(cudaLaunchHostFunc, _ptsz,
	       (cudaStream_t stream, cudaHostFn_t function, void *argument),
	       (stream, function, argument))
{
	return runtime_driver->cuLaunchHostFunc(stream, function, argument);
}

RUNTIME(cudaFuncGetAttributes, (struct cudaFuncAttributes * attributes, const void *function),
	(attributes, function))
{
	CUresult result;
	CUkernel kernel = runtime_kernel(function, &result);

	if (!kernel)
		return result;
	memset(attributes, 0, sizeof(*attributes));
	return runtime_driver->cuKernelGetAttribute(&attributes->maxThreadsPerBlock,
						    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel,
						    0);
}
