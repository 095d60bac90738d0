/* SPDX-License-Identifier: MIT */
/* Memory pools, which all give device memory; and external semaphores, which cost nothing. */
#include "tests/sim/driver/handle.h"
#include "tests/sim/driver/memory.h"
#include "tests/sim/driver/stream.h"

struct object {
	struct handle handle;
	CUdevice device;
	bool is_default;
};

static struct handle_pool pools = HANDLE_POOL(struct object);
static struct handle_pool semaphores = HANDLE_POOL(struct object);

static CUresult default_pool(CUmemoryPool *pool, CUdevice device)
{
	static struct object *defaults[DEVICES_MAX];

	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!defaults[device]) {
		defaults[device] = handle_create(&pools);
		if (!defaults[device])
			return CUDA_ERROR_OUT_OF_MEMORY;
		defaults[device]->is_default = true;
	}
	*pool = (CUmemoryPool)defaults[device];
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device),
		  (pool, device))
{
	return default_pool(pool, device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device),
		  (pool, device))
{
	return default_pool(pool, device);
}

static CUresult create(struct handle_pool *pool, void **handle)
{
	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	*handle = handle_create(pool);
	return *handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult destroy(struct handle_pool *pool, void *handle)
{
	struct object *object = handle_get(pool, handle);

	if (!object || object->is_default)
		return CUDA_ERROR_INVALID_VALUE;
	handle_destroy(object);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuMemPoolCreate,
		  (CUmemoryPool * pool, const CUmemPoolProps *properties), (pool, properties))
{
	return properties ? create(&pools, (void **)pool) : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuMemPoolDestroy, (CUmemoryPool pool), (pool))
{
	return destroy(&pools, pool);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuMemPoolSetAttribute,
		  (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
		  (pool, attribute, value))
{
	(void)attribute;
	return handle_get(&pools, pool) && value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_STREAM(cuMemAllocFromPoolAsync, _ptsz,
		 (CUdeviceptr * pointer, size_t bytes, CUmemoryPool pool, CUstream handle),
		 (pointer, bytes, pool, handle))
{
	return handle_get(&pools, pool) ? memory_give_in_stream(pointer, bytes, handle)
					: CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuImportExternalSemaphore,
		  (CUexternalSemaphore * semaphore,
		   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *description),
		  (semaphore, description))
{
	return description ? create(&semaphores, (void **)semaphore) : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDestroyExternalSemaphore, (CUexternalSemaphore semaphore),
		  (semaphore))
{
	return destroy(&semaphores, semaphore);
}

static CUresult synchronize(const CUexternalSemaphore *list, unsigned int count, CUstream handle)
{
	struct operation operation = {.kind = OPERATION_EMPTY};
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (!list || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < count; i++) {
		if (!handle_get(&semaphores, list[i]))
			return CUDA_ERROR_INVALID_HANDLE;
	}
	return stream ? stream_submit(stream, &operation, false) : result;
}

SIM_ENTRY_STREAM(cuSignalExternalSemaphoresAsync, _ptsz,
		 (const CUexternalSemaphore *list,
		  const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *parameters, unsigned int count,
		  CUstream stream),
		 (list, parameters, count, stream))
{
	(void)parameters;
	return synchronize(list, count, stream);
}

SIM_ENTRY_STREAM(cuWaitExternalSemaphoresAsync, _ptsz,
		 (const CUexternalSemaphore *list,
		  const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *parameters, unsigned int count,
		  CUstream stream),
		 (list, parameters, count, stream))
{
	(void)parameters;
	return synchronize(list, count, stream);
}
