/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/copy.h"

static CUresult fill(CUdeviceptr to, size_t pitch, unsigned int element, unsigned int value,
		     size_t width, size_t rows, CUstream handle, bool asynchronous)
{
	struct operation operation = {
		.kind = OPERATION_MEMSET,
		.bytes = width * rows * element,
		.asynchronous = asynchronous,
		.u.memset = {(char *)to, pitch, width, rows, element, value,
			     memory_kind_at((void *)to)},
	};
	/* As on an H200: the host waits for it if it may touch the memory itself. */
	bool waits = !asynchronous && (operation.u.memset.memory == MEMORY_PINNED ||
				       operation.u.memset.memory == MEMORY_MANAGED);
	size_t extent = rows ? (rows - 1) * pitch + width * element : 0;
	CUresult result;
	struct stream *stream;

	if (to % element || (rows > 1 && pitch < width * element))
		return CUDA_ERROR_INVALID_VALUE;
	if (operation.bytes && (!memory_find((void *)to) || !copy_in_bounds(to, extent)))
		return CUDA_ERROR_INVALID_VALUE;
	stream = stream_of(handle, &result);
	if (!stream || !operation.bytes)
		return result;
	return stream_submit(stream, &operation, waits);
}

/* One line per width of an element: all forms of its memset. */
#define MEMSET(bits, value_t)                                                                      \
	SIM_ENTRY(cuMemsetD##bits, (CUdeviceptr_v1 to, value_t value, unsigned int count),         \
		  (to, value, count))                                                              \
	{                                                                                          \
		return fill(to, 0, bits / 8, value, count, 1, NULL, false);                        \
	}                                                                                          \
	SIM_ENTRY_STREAM(cuMemsetD##bits##_v2, _ptds,                                              \
			 (CUdeviceptr to, value_t value, size_t count), (to, value, count))        \
	{                                                                                          \
		return fill(to, 0, bits / 8, value, count, 1, NULL, false);                        \
	}                                                                                          \
	SIM_ENTRY_STREAM(cuMemsetD##bits##Async, _ptsz,                                            \
			 (CUdeviceptr to, value_t value, size_t count, CUstream stream),           \
			 (to, value, count, stream))                                               \
	{                                                                                          \
		return fill(to, 0, bits / 8, value, count, 1, stream, true);                       \
	}                                                                                          \
	SIM_ENTRY(cuMemsetD2D##bits,                                                               \
		  (CUdeviceptr_v1 to, unsigned int pitch, value_t value, unsigned int width,       \
		   unsigned int rows),                                                             \
		  (to, pitch, value, width, rows))                                                 \
	{                                                                                          \
		return fill(to, pitch, bits / 8, value, width, rows, NULL, false);                 \
	}                                                                                          \
	SIM_ENTRY_STREAM(cuMemsetD2D##bits##_v2, _ptds,                                            \
			 (CUdeviceptr to, size_t pitch, value_t value, size_t width, size_t rows), \
			 (to, pitch, value, width, rows))                                          \
	{                                                                                          \
		return fill(to, pitch, bits / 8, value, width, rows, NULL, false);                 \
	}                                                                                          \
	SIM_ENTRY_STREAM(cuMemsetD2D##bits##Async, _ptsz,                                          \
			 (CUdeviceptr to, size_t pitch, value_t value, size_t width, size_t rows,  \
			  CUstream stream),                                                        \
			 (to, pitch, value, width, rows, stream))                                  \
	{                                                                                          \
		return fill(to, pitch, bits / 8, value, width, rows, stream, true);                \
	}

MEMSET(8, unsigned char)
MEMSET(16, unsigned short)
MEMSET(32, unsigned int)
