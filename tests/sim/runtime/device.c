/* SPDX-License-Identifier: MIT */
/* The runtime's start and end, its devices, and the thread's last error. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/runtime/runtime.h"
#include "tests/sim/driver/activity.h"

enum {
	DEVICES_MAX = 8,
};

__thread const struct driver *runtime_driver;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool started;
static cudaError_t start_error;
static CUcontext primaries[DEVICES_MAX];
static unsigned int generation = 1; /* counts device resets */
static const struct sim_runtime_table *tools;
static __thread struct sim_api_call running;
static __thread cudaError_t last_error;
static __thread int device;
static __thread unsigned int bound; /* the generation that this thread has a context of */

static void end(void)
{
	driver_unload();
}

/* As in the real runtime, the end is registered after the driver's own. */
static cudaError_t start(void)
{
	CUresult result = driver_load();

	if (result == CUDA_SUCCESS)
		result = runtime_drivers[0].cuGetExportTable((const void **)&tools,
							     (const CUuuid *)SIM_RUNTIME_TABLE);
	if (result == CUDA_SUCCESS)
		result = runtime_drivers[0].cuInit(0);
	if (result == CUDA_ERROR_NOT_FOUND)
		return cudaErrorInsufficientDriver;
	atexit(end);
	return runtime_error(result);
}

static CUresult bind_context(void)
{
	const struct driver *driver = &runtime_drivers[0];
	CUresult result = CUDA_SUCCESS;
	CUcontext current = NULL;

	if (!bound)
		driver->cuCtxGetCurrent(&current);
	if (!current) {
		if (!primaries[device])
			result = driver->cuDevicePrimaryCtxRetain(&primaries[device], device);
		if (result == CUDA_SUCCESS)
			result = driver->cuCtxSetCurrent(primaries[device]);
	}
	if (result == CUDA_SUCCESS)
		bound = generation;
	return result;
}

cudaError_t runtime_enter(const char *name, bool per_thread)
{
	cudaError_t error;

	running = (struct sim_api_call){.name = name};
	runtime_driver = &runtime_drivers[per_thread];
	if (__atomic_load_n(&generation, __ATOMIC_ACQUIRE) == bound) {
		tools->begin(&running);
		return cudaSuccess;
	}
	pthread_mutex_lock(&lock);
	if (!started)
		start_error = start();
	started = true;
	error = start_error;
	if (error == cudaSuccess)
		error = runtime_error(bind_context());
	pthread_mutex_unlock(&lock);
	if (tools)
		tools->begin(&running);
	return error;
}

cudaError_t runtime_leave(cudaError_t error)
{
	running.result = error;
	if (tools)
		tools->end(&running);
	if (error != cudaSuccess && error != cudaErrorNotReady)
		last_error = error;
	return error;
}

RUNTIME_EXPORT cudaError_t cudaGetLastError(void)
{
	cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

RUNTIME_EXPORT cudaError_t cudaPeekAtLastError(void)
{
	return last_error;
}

static const char *no_driver_text(cudaError_t error)
{
	return error == cudaErrorInsufficientDriver
		       ? "CUDA driver version is insufficient for CUDA runtime version"
		       : "unrecognized error code";
}

RUNTIME_EXPORT const char *cudaGetErrorString(cudaError_t error)
{
	const char *text = NULL;

	if (runtime_drivers[0].cuGetErrorString)
		runtime_drivers[0].cuGetErrorString((CUresult)error, &text);
	return text ? text : no_driver_text(error);
}

/* The driver's names are written otherwise: CUDA_ERROR_INVALID_VALUE, cudaErrorInvalidValue. */
RUNTIME_EXPORT const char *cudaGetErrorName(cudaError_t error)
{
	const char *name = NULL;

	if (runtime_drivers[0].cuGetErrorName)
		runtime_drivers[0].cuGetErrorName((CUresult)error, &name);
	return name ? name : "cudaErrorUnknown";
}

RUNTIME(cudaSetDevice, (int ordinal), (ordinal))
{
	CUcontext context;
	int count;
	CUresult result = runtime_driver->cuDeviceGetCount(&count);

	if (result != CUDA_SUCCESS)
		return result;
	if (ordinal < 0 || ordinal >= count)
		return CUDA_ERROR_INVALID_DEVICE;
	result = runtime_primary(ordinal, &context);
	if (result == CUDA_SUCCESS)
		result = runtime_driver->cuCtxSetCurrent(context);
	if (result == CUDA_SUCCESS)
		device = ordinal;
	return result;
}

RUNTIME(cudaGetDevice, (int *ordinal), (ordinal))
{
	*ordinal = device;
	return CUDA_SUCCESS;
}

RUNTIME(cudaGetDeviceCount, (int *count), (count))
{
	return runtime_driver->cuDeviceGetCount(count);
}

RUNTIME(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int ordinal),
	(value, attribute, ordinal))
{
	return runtime_driver->cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, ordinal);
}

RUNTIME(cudaGetDeviceProperties, (struct cudaDeviceProp * properties, int ordinal),
	(properties, ordinal))
{
	const struct {
		int *value;
		CUdevice_attribute attribute;
	} fields[] = {
		{&properties->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
		{&properties->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
		{&properties->multiProcessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
		{&properties->maxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
		{&properties->warpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
		{&properties->memoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
		{&properties->l2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
	};
	CUresult result;

	memset(properties, 0, sizeof(*properties));
	result = runtime_driver->cuDeviceGetName(properties->name, sizeof(properties->name),
						 ordinal);
	if (result == CUDA_SUCCESS)
		result = runtime_driver->cuDeviceTotalMem_v2(&properties->totalGlobalMem, ordinal);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && result == CUDA_SUCCESS; i++)
		result = runtime_driver->cuDeviceGetAttribute(fields[i].value, fields[i].attribute,
							      ordinal);
	return result;
}

RUNTIME(cudaDeviceSynchronize, (void), ())
{
	return runtime_driver->cuCtxSynchronize();
}

RUNTIME(cudaDeviceReset, (void), ())
{
	CUresult result = runtime_driver->cuDevicePrimaryCtxReset_v2(device);

	if (result == CUDA_SUCCESS) {
		pthread_mutex_lock(&lock);
		primaries[device] = NULL;
		generation++;
		pthread_mutex_unlock(&lock);
	}
	return result;
}

RUNTIME(cudaDeviceCanAccessPeer, (int *can, int ordinal, int peer), (can, ordinal, peer))
{
	return runtime_driver->cuDeviceCanAccessPeer(can, ordinal, peer);
}

CUresult runtime_primary(int ordinal, CUcontext *context)
{
	CUresult result = CUDA_SUCCESS;

	if (ordinal < 0 || ordinal >= DEVICES_MAX)
		return CUDA_ERROR_INVALID_DEVICE;
	pthread_mutex_lock(&lock);
	if (!primaries[ordinal])
		result = runtime_driver->cuDevicePrimaryCtxRetain(&primaries[ordinal], ordinal);
	*context = primaries[ordinal];
	pthread_mutex_unlock(&lock);
	return result;
}

RUNTIME(cudaDeviceEnablePeerAccess, (int peer, unsigned int flags), (peer, flags))
{
	CUcontext context;
	CUresult result = runtime_primary(peer, &context);

	return result == CUDA_SUCCESS ? runtime_driver->cuCtxEnablePeerAccess(context, flags)
				      : result;
}

RUNTIME(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), (least, greatest))
{
	return runtime_driver->cuCtxGetStreamPriorityRange(least, greatest);
}

RUNTIME(cudaDriverGetVersion, (int *version), (version))
{
	return runtime_driver->cuDriverGetVersion(version);
}

RUNTIME(cudaRuntimeGetVersion, (int *version), (version))
{
	*version = CUDART_VERSION;
	return CUDA_SUCCESS;
}

RUNTIME(cudaProfilerStart, (void), ())
{
	return runtime_driver->cuProfilerStart();
}

RUNTIME(cudaProfilerStop, (void), ())
{
	return runtime_driver->cuProfilerStop();
}

static CUresult entry_point(const char *symbol, void **pointer, unsigned int version,
			    unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
	return runtime_driver->cuGetProcAddress_v2(symbol, pointer, version, flags,
						   (CUdriverProcAddressQueryResult *)status);
}

RUNTIME_STREAM(cudaGetDriverEntryPointByVersion, _ptsz,
	       (const char *symbol, void **pointer, unsigned int version, unsigned long long flags,
		enum cudaDriverEntryPointQueryResult *status),
	       (symbol, pointer, version, flags, status))
{
	return entry_point(symbol, pointer, version, flags, status);
}
