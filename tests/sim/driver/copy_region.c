/* SPDX-License-Identifier: MIT */
/* Copies of two and three dimensions, and those to and from arrays. */
#include "tests/sim/driver/array.h"
#include "tests/sim/driver/copy.h"

/* One side as the descriptors have it. */
struct region {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z, pitch, height;
};

static CUresult side_of(const struct region *region, size_t row_bytes, size_t rows, size_t slices,
			struct copy_side *side)
{
	struct array *array;
	CUdeviceptr base = region->device;
	size_t pitch = region->pitch ? region->pitch : row_bytes;
	size_t height = region->height ? region->height : rows;
	size_t end;

	switch (region->type) {
	case CU_MEMORYTYPE_HOST:
		base = (CUdeviceptr)region->host;
		break;
	case CU_MEMORYTYPE_DEVICE:
		if (!memory_find((void *)base))
			return CUDA_ERROR_INVALID_VALUE;
		break;
	case CU_MEMORYTYPE_UNIFIED:
		break;
	case CU_MEMORYTYPE_ARRAY:
		array = array_get(region->array);
		if (!array)
			return CUDA_ERROR_INVALID_HANDLE;
		base = (CUdeviceptr)array->allocation->address;
		pitch = array->pitch;
		height = array->description.Height ? array->description.Height : 1;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (!base || (rows > 1 && pitch < row_bytes))
		return CUDA_ERROR_INVALID_VALUE;
	*side = copy_side_linear(base);
	side->pitch = pitch;
	side->height = height;
	side->address += (region->z * height + region->y) * pitch + region->x;
	end = ((slices - 1) * height + rows - 1) * pitch + row_bytes;
	return copy_in_bounds((CUdeviceptr)side->address, end) ? CUDA_SUCCESS
							       : CUDA_ERROR_INVALID_VALUE;
}

static CUresult operation_of(const struct region *from, const struct region *to, size_t row_bytes,
			     size_t rows, size_t slices, struct operation *operation)
{
	CUresult result = CUDA_SUCCESS;

	*operation = (struct operation){
		.kind = OPERATION_COPY,
		.bytes = row_bytes * rows * slices,
		.u.copy = {.row_bytes = row_bytes, .rows = rows, .slices = slices}};
	if (operation->bytes)
		result = side_of(from, row_bytes, rows, slices, &operation->u.copy.from);
	if (operation->bytes && result == CUDA_SUCCESS)
		result = side_of(to, row_bytes, rows, slices, &operation->u.copy.to);
	return result;
}

#define REGION_2D(copy, side)                                                                      \
	(&(struct region){.type = (copy)->side##MemoryType,                                        \
			  .host = (copy)->side##Host,                                              \
			  .device = (copy)->side##Device,                                          \
			  .array = (copy)->side##Array,                                            \
			  .x = (copy)->side##XInBytes,                                             \
			  .y = (copy)->side##Y,                                                    \
			  .pitch = (copy)->side##Pitch})

#define REGION_3D(copy, side)                                                                      \
	(&(struct region){.type = (copy)->side##MemoryType,                                        \
			  .host = (copy)->side##Host,                                              \
			  .device = (copy)->side##Device,                                          \
			  .array = (copy)->side##Array,                                            \
			  .x = (copy)->side##XInBytes,                                             \
			  .y = (copy)->side##Y,                                                    \
			  .z = (copy)->side##Z,                                                    \
			  .pitch = (copy)->side##Pitch,                                            \
			  .height = (copy)->side##Height})

CUresult copy_of_3d(const CUDA_MEMCPY3D *copy, struct operation *operation)
{
	return operation_of(REGION_3D(copy, src), REGION_3D(copy, dst), copy->WidthInBytes,
			    copy->Height, copy->Depth, operation);
}

/* The bodies that all forms share: checks, then the copy. */
#define COPY_2D(copy, stream, asynchronous)                                                        \
	do {                                                                                       \
		struct operation operation;                                                        \
		CUresult result;                                                                   \
                                                                                                   \
		if (!(copy))                                                                       \
			return CUDA_ERROR_INVALID_VALUE;                                           \
		result = operation_of(REGION_2D(copy, src), REGION_2D(copy, dst),                  \
				      (copy)->WidthInBytes, (copy)->Height, 1, &operation);        \
		return result == CUDA_SUCCESS ? copy_submit(&operation, stream, asynchronous)      \
					      : result;                                            \
	} while (0)

#define COPY_3D(copy, stream, asynchronous)                                                        \
	do {                                                                                       \
		struct operation operation;                                                        \
		CUresult result;                                                                   \
                                                                                                   \
		if (!(copy))                                                                       \
			return CUDA_ERROR_INVALID_VALUE;                                           \
		result = operation_of(REGION_3D(copy, src), REGION_3D(copy, dst),                  \
				      (copy)->WidthInBytes, (copy)->Height, (copy)->Depth,         \
				      &operation);                                                 \
		return result == CUDA_SUCCESS ? copy_submit(&operation, stream, asynchronous)      \
					      : result;                                            \
	} while (0)

SIM_ENTRY(cuMemcpy2D, (const CUDA_MEMCPY2D_v1 *copy), (copy))
{
	COPY_2D(copy, NULL, false);
}

SIM_ENTRY_STREAM(cuMemcpy2D_v2, _ptds, (const CUDA_MEMCPY2D *copy), (copy))
{
	COPY_2D(copy, NULL, false);
}

SIM_ENTRY(cuMemcpy2DUnaligned, (const CUDA_MEMCPY2D_v1 *copy), (copy))
{
	COPY_2D(copy, NULL, false);
}

SIM_ENTRY_STREAM(cuMemcpy2DUnaligned_v2, _ptds, (const CUDA_MEMCPY2D *copy), (copy))
{
	COPY_2D(copy, NULL, false);
}

SIM_ENTRY(cuMemcpy2DAsync, (const CUDA_MEMCPY2D_v1 *copy, CUstream stream), (copy, stream))
{
	COPY_2D(copy, stream, true);
}

SIM_ENTRY_STREAM(cuMemcpy2DAsync_v2, _ptsz, (const CUDA_MEMCPY2D *copy, CUstream stream),
		 (copy, stream))
{
	COPY_2D(copy, stream, true);
}

SIM_ENTRY(cuMemcpy3D, (const CUDA_MEMCPY3D_v1 *copy), (copy))
{
	COPY_3D(copy, NULL, false);
}

SIM_ENTRY_STREAM(cuMemcpy3D_v2, _ptds, (const CUDA_MEMCPY3D *copy), (copy))
{
	COPY_3D(copy, NULL, false);
}

SIM_ENTRY(cuMemcpy3DAsync, (const CUDA_MEMCPY3D_v1 *copy, CUstream stream), (copy, stream))
{
	COPY_3D(copy, stream, true);
}

SIM_ENTRY_STREAM(cuMemcpy3DAsync_v2, _ptsz, (const CUDA_MEMCPY3D *copy, CUstream stream),
		 (copy, stream))
{
	COPY_3D(copy, stream, true);
}

SIM_ENTRY_STREAM(cuMemcpy3DPeer, _ptds, (const CUDA_MEMCPY3D_PEER *copy), (copy))
{
	COPY_3D(copy, NULL, false);
}

SIM_ENTRY_STREAM(cuMemcpy3DPeerAsync, _ptsz, (const CUDA_MEMCPY3D_PEER *copy, CUstream stream),
		 (copy, stream))
{
	COPY_3D(copy, stream, true);
}

/* A row of an array from an offset in bytes on, or plain memory. */
static struct region array_row(CUarray array, size_t offset)
{
	return (struct region){.type = CU_MEMORYTYPE_ARRAY, .array = array, .x = offset};
}

static struct region linear(CUmemorytype type, const void *address)
{
	return (struct region){.type = type, .host = address, .device = (CUdeviceptr)address};
}

static CUresult copy_row(struct region to, struct region from, size_t bytes, CUstream stream,
			 bool asynchronous)
{
	struct operation operation;
	CUresult result = operation_of(&from, &to, bytes, 1, 1, &operation);

	return result == CUDA_SUCCESS ? copy_submit(&operation, stream, asynchronous) : result;
}

/*
 * All forms of an entry between an array and something else: the oldest, whose sizes have 32
 * bits, then _v2 with the per-thread stream's. more is the stream's parameter, if it has one.
 */
#define UNPACK(...) __VA_ARGS__
#define ROW(name, suffix, to, from, parameters_v1, parameters, arguments, stream, asynchronous)    \
	SIM_ENTRY(name, (UNPACK parameters_v1), (UNPACK arguments))                                \
	{                                                                                          \
		return copy_row(to, from, bytes, stream, asynchronous);                            \
	}                                                                                          \
	SIM_ENTRY_STREAM(name##_v2, suffix, (UNPACK parameters), (UNPACK arguments))               \
	{                                                                                          \
		return copy_row(to, from, bytes, stream, asynchronous);                            \
	}

ROW(cuMemcpyDtoA, _ptds, array_row(array, offset),
    linear(CU_MEMORYTYPE_DEVICE, (void *)(uintptr_t)device),
    (CUarray array, unsigned int offset, CUdeviceptr_v1 device, unsigned int bytes),
    (CUarray array, size_t offset, CUdeviceptr device, size_t bytes),
    (array, offset, device, bytes), NULL, false)
ROW(cuMemcpyAtoD, _ptds, linear(CU_MEMORYTYPE_DEVICE, (void *)(uintptr_t)device),
    array_row(array, offset),
    (CUdeviceptr_v1 device, CUarray array, unsigned int offset, unsigned int bytes),
    (CUdeviceptr device, CUarray array, size_t offset, size_t bytes),
    (device, array, offset, bytes), NULL, false)
ROW(cuMemcpyHtoA, _ptds, array_row(array, offset), linear(CU_MEMORYTYPE_HOST, host),
    (CUarray array, unsigned int offset, const void *host, unsigned int bytes),
    (CUarray array, size_t offset, const void *host, size_t bytes), (array, offset, host, bytes),
    NULL, false)
ROW(cuMemcpyAtoH, _ptds, linear(CU_MEMORYTYPE_HOST, host), array_row(array, offset),
    (void *host, CUarray array, unsigned int offset, unsigned int bytes),
    (void *host, CUarray array, size_t offset, size_t bytes), (host, array, offset, bytes), NULL,
    false)
ROW(cuMemcpyAtoA, _ptds, array_row(to, to_offset), array_row(from, from_offset),
    (CUarray to, unsigned int to_offset, CUarray from, unsigned int from_offset,
     unsigned int bytes),
    (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),
    (to, to_offset, from, from_offset, bytes), NULL, false)
ROW(cuMemcpyHtoAAsync, _ptsz, array_row(array, offset), linear(CU_MEMORYTYPE_HOST, host),
    (CUarray array, unsigned int offset, const void *host, unsigned int bytes, CUstream stream),
    (CUarray array, size_t offset, const void *host, size_t bytes, CUstream stream),
    (array, offset, host, bytes, stream), stream, true)
ROW(cuMemcpyAtoHAsync, _ptsz, linear(CU_MEMORYTYPE_HOST, host), array_row(array, offset),
    (void *host, CUarray array, unsigned int offset, unsigned int bytes, CUstream stream),
    (void *host, CUarray array, size_t offset, size_t bytes, CUstream stream),
    (host, array, offset, bytes, stream), stream, true)
