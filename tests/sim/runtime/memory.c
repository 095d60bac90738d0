/* SPDX-License-Identifier: MIT */
/* Memory, copies and memsets; which of the driver's entries each is was seen under a real one. */
#include <string.h>

#include "tests/sim/runtime/runtime.h"

RUNTIME(cudaMalloc, (void **pointer, size_t bytes), (pointer, bytes))
{
	return runtime_driver->cuMemAlloc_v2((CUdeviceptr *)pointer, bytes);
}

RUNTIME(cudaMallocManaged, (void **pointer, size_t bytes, unsigned int flags),
	(pointer, bytes, flags))
{
	return runtime_driver->cuMemAllocManaged((CUdeviceptr *)pointer, bytes, flags);
}

RUNTIME(cudaMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height),
	(pointer, pitch, width, height))
{
	return runtime_driver->cuMemAllocPitch_v2((CUdeviceptr *)pointer, pitch, width, height, 4);
}

RUNTIME_STREAM(cudaMallocAsync, _ptsz, (void **pointer, size_t bytes, cudaStream_t stream),
	       (pointer, bytes, stream))
{
	return runtime_driver->cuMemAllocAsync((CUdeviceptr *)pointer, bytes, stream);
}

RUNTIME_STREAM(cudaFreeAsync, _ptsz, (void *pointer, cudaStream_t stream), (pointer, stream))
{
	return runtime_driver->cuMemFreeAsync((CUdeviceptr)pointer, stream);
}

RUNTIME(cudaFree, (void *pointer), (pointer))
{
	return pointer ? runtime_driver->cuMemFree_v2((CUdeviceptr)pointer) : CUDA_SUCCESS;
}

RUNTIME(cudaMallocHost, (void **pointer, size_t bytes), (pointer, bytes))
{
	return runtime_driver->cuMemHostAlloc(pointer, bytes, 0);
}

RUNTIME(cudaHostAlloc, (void **pointer, size_t bytes, unsigned int flags), (pointer, bytes, flags))
{
	return runtime_driver->cuMemHostAlloc(pointer, bytes, flags);
}

RUNTIME(cudaFreeHost, (void *pointer), (pointer))
{
	return runtime_driver->cuMemFreeHost(pointer);
}

RUNTIME(cudaHostRegister, (void *pointer, size_t bytes, unsigned int flags),
	(pointer, bytes, flags))
{
	return runtime_driver->cuMemHostRegister_v2(pointer, bytes, flags);
}

RUNTIME(cudaHostUnregister, (void *pointer), (pointer))
{
	return runtime_driver->cuMemHostUnregister(pointer);
}

RUNTIME(cudaHostGetDevicePointer, (void **pointer, void *host, unsigned int flags),
	(pointer, host, flags))
{
	return runtime_driver->cuMemHostGetDevicePointer_v2((CUdeviceptr *)pointer, host, flags);
}

RUNTIME(cudaMemGetInfo, (size_t * free_bytes, size_t *total_bytes), (free_bytes, total_bytes))
{
	return runtime_driver->cuMemGetInfo_v2(free_bytes, total_bytes);
}

/* A whole side of a copy given by rows; an address serves as host's, device's and unified. */
static CUDA_MEMCPY2D copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			     size_t width, size_t height, enum cudaMemcpyKind kind)
{
	static const CUmemorytype types[][2] = {
		[cudaMemcpyHostToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
		[cudaMemcpyHostToDevice] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
		[cudaMemcpyDeviceToHost] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
		[cudaMemcpyDeviceToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
		[cudaMemcpyDefault] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
	};

	return (CUDA_MEMCPY2D){
		.srcMemoryType = types[kind][0],
		.srcHost = from,
		.srcDevice = (CUdeviceptr)from,
		.srcPitch = from_pitch,
		.dstMemoryType = types[kind][1],
		.dstHost = to,
		.dstDevice = (CUdeviceptr)to,
		.dstPitch = to_pitch,
		.WidthInBytes = width,
		.Height = height,
	};
}

RUNTIME_STREAM(cudaMemcpy, _ptds,
	       (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
	       (to, from, bytes, kind))
{
	CUDA_MEMCPY2D copy;

	switch (kind) {
	case cudaMemcpyHostToHost:
		copy = copy_2d(to, bytes, from, bytes, bytes, 1, kind);
		return runtime_driver->cuMemcpy2DUnaligned_v2(&copy);
	case cudaMemcpyHostToDevice:
		return runtime_driver->cuMemcpyHtoD_v2((CUdeviceptr)to, from, bytes);
	case cudaMemcpyDeviceToHost:
		return runtime_driver->cuMemcpyDtoH_v2(to, (CUdeviceptr)from, bytes);
	case cudaMemcpyDeviceToDevice:
		return runtime_driver->cuMemcpyDtoD_v2((CUdeviceptr)to, (CUdeviceptr)from, bytes);
	case cudaMemcpyDefault:
		return runtime_driver->cuMemcpy((CUdeviceptr)to, (CUdeviceptr)from, bytes);
	}
	return (CUresult)cudaErrorInvalidMemcpyDirection;
}

RUNTIME_STREAM(cudaMemcpyAsync, _ptsz,
	       (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
		cudaStream_t stream),
	       (to, from, bytes, kind, stream))
{
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return runtime_driver->cuMemcpyHtoDAsync_v2((CUdeviceptr)to, from, bytes, stream);
	case cudaMemcpyDeviceToHost:
		return runtime_driver->cuMemcpyDtoHAsync_v2(to, (CUdeviceptr)from, bytes, stream);
	case cudaMemcpyDeviceToDevice:
		return runtime_driver->cuMemcpyDtoDAsync_v2((CUdeviceptr)to, (CUdeviceptr)from,
							    bytes, stream);
	case cudaMemcpyHostToHost:
	case cudaMemcpyDefault:
		return runtime_driver->cuMemcpyAsync((CUdeviceptr)to, (CUdeviceptr)from, bytes,
						     stream);
	}
	return (CUresult)cudaErrorInvalidMemcpyDirection;
}

RUNTIME_STREAM(cudaMemcpy2D, _ptds,
	       (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
		size_t height, enum cudaMemcpyKind kind),
	       (to, to_pitch, from, from_pitch, width, height, kind))
{
	CUDA_MEMCPY2D copy;

	if ((unsigned int)kind > cudaMemcpyDefault)
		return (CUresult)cudaErrorInvalidMemcpyDirection;
	copy = copy_2d(to, to_pitch, from, from_pitch, width, height, kind);
	return runtime_driver->cuMemcpy2DUnaligned_v2(&copy);
}

RUNTIME_STREAM(cudaMemcpy2DAsync, _ptsz,
	       (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
		size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
	       (to, to_pitch, from, from_pitch, width, height, kind, stream))
{
	CUDA_MEMCPY2D copy;

	if ((unsigned int)kind > cudaMemcpyDefault)
		return (CUresult)cudaErrorInvalidMemcpyDirection;
	copy = copy_2d(to, to_pitch, from, from_pitch, width, height, kind);
	return runtime_driver->cuMemcpy2DAsync_v2(&copy, stream);
}

RUNTIME_STREAM(cudaMemset, _ptds, (void *to, int value, size_t bytes), (to, value, bytes))
{
	return runtime_driver->cuMemsetD8_v2((CUdeviceptr)to, value, bytes);
}

RUNTIME_STREAM(cudaMemsetAsync, _ptsz, (void *to, int value, size_t bytes, cudaStream_t stream),
	       (to, value, bytes, stream))
{
	return runtime_driver->cuMemsetD8Async((CUdeviceptr)to, value, bytes, stream);
}

RUNTIME_STREAM(cudaMemset2D, _ptds,
	       (void *to, size_t pitch, int value, size_t width, size_t height),
	       (to, pitch, value, width, height))
{
	return runtime_driver->cuMemsetD2D8_v2((CUdeviceptr)to, pitch, value, width, height);
}

RUNTIME_STREAM(cudaMemset2DAsync, _ptsz,
	       (void *to, size_t pitch, int value, size_t width, size_t height,
		cudaStream_t stream),
	       (to, pitch, value, width, height, stream))
{
	return runtime_driver->cuMemsetD2D8Async((CUdeviceptr)to, pitch, value, width, height,
						 stream);
}
