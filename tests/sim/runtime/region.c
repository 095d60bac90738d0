/* SPDX-License-Identifier: MIT */
/* Copies of three dimensions, between devices, to symbols and arrays; and managed memory's moves.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tests/sim/runtime/runtime.h"

/* Extents count an array's elements, so their size is kept beside its handle. */
struct array {
	CUarray handle;
	size_t element_bytes;
	struct array *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct array *arrays;

static size_t element_bytes(const void *handle)
{
	size_t bytes = 1;

	pthread_mutex_lock(&lock);
	for (const struct array *array = arrays; array; array = array->next) {
		if (array->handle == handle)
			bytes = array->element_bytes;
	}
	pthread_mutex_unlock(&lock);
	return bytes;
}

RUNTIME(cudaMallocArray,
	(cudaArray_t * handle, const struct cudaChannelFormatDesc *format, size_t width,
	 size_t height, unsigned int flags),
	(handle, format, width, height, flags))
{
	unsigned int channels = 1 + (format->y > 0) + (format->z > 0) + (format->w > 0);
	CUDA_ARRAY3D_DESCRIPTOR_v2 description = {
		.Width = width,
		.Height = height,
		.Format = format->x == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
			  : format->x == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
					    : CU_AD_FORMAT_UNSIGNED_INT32,
		.NumChannels = channels,
		.Flags = flags,
	};
	struct array *array = malloc(sizeof(*array));
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

	if (array)
		result = runtime_driver->cuArray3DCreate_v2(&array->handle, &description);
	if (result != CUDA_SUCCESS) {
		free(array);
		return result;
	}
	array->element_bytes = format->x / 8 * channels;
	*handle = (cudaArray_t)array->handle;
	pthread_mutex_lock(&lock);
	array->next = arrays;
	arrays = array;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

RUNTIME(cudaFreeArray, (cudaArray_t handle), (handle))
{
	struct array **link = &arrays, *array;

	pthread_mutex_lock(&lock);
	while ((array = *link) && array->handle != (CUarray)handle)
		link = &array->next;
	if (array)
		*link = array->next;
	pthread_mutex_unlock(&lock);
	free(array);
	return runtime_driver->cuArrayDestroy((CUarray)handle);
}

static CUmemorytype type_of(enum cudaMemcpyKind kind, bool to)
{
	if (kind == cudaMemcpyDefault)
		return CU_MEMORYTYPE_UNIFIED;
	if (to)
		return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice
			       ? CU_MEMORYTYPE_DEVICE
			       : CU_MEMORYTYPE_HOST;
	return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice
		       ? CU_MEMORYTYPE_DEVICE
		       : CU_MEMORYTYPE_HOST;
}

static CUDA_MEMCPY3D_v2 copy_3d(const struct cudaMemcpy3DParms *parameters)
{
	const void *array = parameters->srcArray ? parameters->srcArray : parameters->dstArray;
	size_t element = array ? element_bytes(array) : 1;

	return (CUDA_MEMCPY3D_v2){
		.srcXInBytes = parameters->srcPos.x * element,
		.srcY = parameters->srcPos.y,
		.srcZ = parameters->srcPos.z,
		.srcMemoryType = parameters->srcArray ? CU_MEMORYTYPE_ARRAY
						      : type_of(parameters->kind, false),
		.srcHost = parameters->srcPtr.ptr,
		.srcDevice = (CUdeviceptr)parameters->srcPtr.ptr,
		.srcArray = (CUarray)parameters->srcArray,
		.srcPitch = parameters->srcPtr.pitch,
		.srcHeight = parameters->srcPtr.ysize,
		.dstXInBytes = parameters->dstPos.x * element,
		.dstY = parameters->dstPos.y,
		.dstZ = parameters->dstPos.z,
		.dstMemoryType = parameters->dstArray ? CU_MEMORYTYPE_ARRAY
						      : type_of(parameters->kind, true),
		.dstHost = parameters->dstPtr.ptr,
		.dstDevice = (CUdeviceptr)parameters->dstPtr.ptr,
		.dstArray = (CUarray)parameters->dstArray,
		.dstPitch = parameters->dstPtr.pitch,
		.dstHeight = parameters->dstPtr.ysize,
		.WidthInBytes = parameters->extent.width * element,
		.Height = parameters->extent.height,
		.Depth = parameters->extent.depth,
	};
}

RUNTIME_STREAM(cudaMemcpy3D, _ptds, (const struct cudaMemcpy3DParms *parameters), (parameters))
{
	CUDA_MEMCPY3D_v2 copy = copy_3d(parameters);

	return runtime_driver->cuMemcpy3D_v2(&copy);
}

RUNTIME_STREAM(cudaMemcpy3DAsync, _ptsz,
	       (const struct cudaMemcpy3DParms *parameters, cudaStream_t stream),
	       (parameters, stream))
{
	CUDA_MEMCPY3D_v2 copy = copy_3d(parameters);

	return runtime_driver->cuMemcpy3DAsync_v2(&copy, stream);
}

RUNTIME_STREAM(cudaMemcpy2DToArray, _ptds,
	       (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
		size_t height, enum cudaMemcpyKind kind),
	       (to, x, y, from, pitch, width, height, kind))
{
	CUDA_MEMCPY3D_v2 copy = {
		.srcMemoryType = type_of(kind, false),
		.srcHost = from,
		.srcDevice = (CUdeviceptr)from,
		.srcPitch = pitch,
		.dstXInBytes = x,
		.dstY = y,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY,
		.dstArray = (CUarray)to,
		.WidthInBytes = width,
		.Height = height,
		.Depth = 1,
	};

	return runtime_driver->cuMemcpy3D_v2(&copy);
}

RUNTIME(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t bytes),
	(to, to_device, from, from_device, bytes))
{
	CUcontext to_context, from_context;
	CUresult result = runtime_primary(to_device, &to_context);

	if (result == CUDA_SUCCESS)
		result = runtime_primary(from_device, &from_context);
	if (result != CUDA_SUCCESS)
		return result;
	return runtime_driver->cuMemcpyPeer((CUdeviceptr)to, to_context, (CUdeviceptr)from,
					    from_context, bytes);
}

RUNTIME(cudaMemcpyPeerAsync,
	(void *to, int to_device, const void *from, int from_device, size_t bytes,
	 cudaStream_t stream),
	(to, to_device, from, from_device, bytes, stream))
{
	CUcontext to_context, from_context;
	CUresult result = runtime_primary(to_device, &to_context);

	if (result == CUDA_SUCCESS)
		result = runtime_primary(from_device, &from_context);
	if (result != CUDA_SUCCESS)
		return result;
	return runtime_driver->cuMemcpyPeerAsync((CUdeviceptr)to, to_context, (CUdeviceptr)from,
						 from_context, bytes, stream);
}

RUNTIME_STREAM(cudaMemset3D, _ptds, (struct cudaPitchedPtr to, int value, struct cudaExtent extent),
	       (to, value, extent))
{
	return runtime_driver->cuMemsetD2D8_v2((CUdeviceptr)to.ptr, to.pitch, value, extent.width,
					       extent.height * extent.depth);
}

/* A copy to or from a variable is a plain one, once its address is known. */
RUNTIME_STREAM(cudaMemcpyToSymbol, _ptds,
	       (const void *symbol, const void *from, size_t bytes, size_t offset,
		enum cudaMemcpyKind kind),
	       (symbol, from, bytes, offset, kind))
{
	CUresult result;
	CUdeviceptr to = runtime_symbol(symbol, &result) + offset;

	if (result != CUDA_SUCCESS)
		return result;
	return kind == cudaMemcpyHostToDevice
		       ? runtime_driver->cuMemcpyHtoD_v2(to, from, bytes)
		       : runtime_driver->cuMemcpyDtoD_v2(to, (CUdeviceptr)from, bytes);
}

RUNTIME_STREAM(cudaMemcpyFromSymbol, _ptds,
	       (void *to, const void *symbol, size_t bytes, size_t offset,
		enum cudaMemcpyKind kind),
	       (to, symbol, bytes, offset, kind))
{
	CUresult result;
	CUdeviceptr from = runtime_symbol(symbol, &result) + offset;

	if (result != CUDA_SUCCESS)
		return result;
	return kind == cudaMemcpyDeviceToHost
		       ? runtime_driver->cuMemcpyDtoH_v2(to, from, bytes)
		       : runtime_driver->cuMemcpyDtoD_v2((CUdeviceptr)to, from, bytes);
}

RUNTIME(cudaGetSymbolAddress, (void **address, const void *symbol), (address, symbol))
{
	CUresult result;

	*address = (void *)runtime_symbol(symbol, &result);
	return result;
}

RUNTIME_STREAM(cudaMemPrefetchAsync, _ptsz,
	       (const void *address, size_t bytes, struct cudaMemLocation location,
		unsigned int flags, cudaStream_t stream),
	       (address, bytes, location, flags, stream))
{
	CUmemLocation driver_location = {.type = (CUmemLocationType)location.type,
					 .id = location.id};

	return runtime_driver->cuMemPrefetchAsync_v2((CUdeviceptr)address, bytes, driver_location,
						     flags, stream);
}

RUNTIME_STREAM(cudaMemcpyBatchAsync, _ptsz,
	       (void *const *to, const void *const *from, const size_t *bytes, size_t count,
		struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
		cudaStream_t stream),
	       (to, from, bytes, count, attributes, indices, attribute_count, stream))
{
	return runtime_driver->cuMemcpyBatchAsync_v2(
		(CUdeviceptr *)to, (CUdeviceptr *)from, (size_t *)bytes, count,
		(CUmemcpyAttributes *)attributes, indices, attribute_count, stream);
}

RUNTIME_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
								  enum cudaChannelFormatKind kind)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}
