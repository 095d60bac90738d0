/* SPDX-License-Identifier: MIT */
/* One-dimensional copies. */
#include "tests/sim/driver/copy.h"

struct copy_side copy_side_linear(CUdeviceptr address)
{
	const struct allocation *allocation = memory_find((void *)address);

	return (struct copy_side){
		.address = (char *)address,
		.kind = allocation ? allocation->kind : MEMORY_PAGEABLE,
		.device = allocation ? allocation->device : 0,
	};
}

/* Whether the bytes from the address on lie in one allocation, or in none. */
bool copy_in_bounds(CUdeviceptr address, size_t bytes)
{
	const struct allocation *allocation = memory_find((void *)address);

	return !allocation ||
	       address + bytes <= (CUdeviceptr)allocation->address + allocation->bytes;
}

static bool on_host(const struct copy_side *side)
{
	return side->kind == MEMORY_PAGEABLE || side->kind == MEMORY_PINNED;
}

CUresult copy_submit(struct operation *operation, CUstream handle, bool asynchronous)
{
	bool host = on_host(&operation->u.copy.from) || on_host(&operation->u.copy.to);
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (!stream || !operation->bytes)
		return result;
	operation->asynchronous = asynchronous;
	operation->u.copy.peers =
		!host && operation->u.copy.from.device != operation->u.copy.to.device;
	operation->u.copy.staged =
		operation->u.copy.peers &&
		!context_peer_access(operation->u.copy.from.device, operation->u.copy.to.device);
	/* Between places on the device even a synchronous copy returns at once. */
	return stream_submit(stream, operation, !asynchronous && host);
}

/* expected says for which sides the entry demands memory that CUDA knows. */
CUresult copy_linear(CUdeviceptr to, CUdeviceptr from, size_t bytes, unsigned int expected,
		     CUstream stream, bool asynchronous)
{
	struct operation operation = {
		.kind = OPERATION_COPY,
		.bytes = bytes,
		.u.copy =
			{
				.from = copy_side_linear(from),
				.to = copy_side_linear(to),
				.row_bytes = bytes,
				.rows = 1,
				.slices = 1,
			},
	};

	if (bytes) {
		if (!to || !from || !copy_in_bounds(to, bytes) || !copy_in_bounds(from, bytes))
			return CUDA_ERROR_INVALID_VALUE;
		if ((expected & COPY_TO_DEVICE && !memory_find((void *)to)) ||
		    (expected & COPY_FROM_DEVICE && !memory_find((void *)from)))
			return CUDA_ERROR_INVALID_VALUE;
	}
	return copy_submit(&operation, stream, asynchronous);
}

/*
 * One line per entry: name, types and names of its two addresses, what they have to be. Each has
 * its oldest form with 32-bit pointers, _v2, and the per-thread stream's, synchronous and not.
 */
#define LINEAR(name, to_t_v1, to_t, from_t_v1, from_t, expected)                                   \
	SIM_ENTRY(name, (to_t_v1 to, from_t_v1 from, unsigned int bytes), (to, from, bytes))       \
	{                                                                                          \
		return copy_linear((CUdeviceptr)to, (CUdeviceptr)from, bytes, expected, NULL,      \
				   false);                                                         \
	}                                                                                          \
	SIM_ENTRY_STREAM(name##_v2, _ptds, (to_t to, from_t from, size_t bytes),                   \
			 (to, from, bytes))                                                        \
	{                                                                                          \
		return copy_linear((CUdeviceptr)to, (CUdeviceptr)from, bytes, expected, NULL,      \
				   false);                                                         \
	}                                                                                          \
	SIM_ENTRY(name##Async, (to_t_v1 to, from_t_v1 from, unsigned int bytes, CUstream stream),  \
		  (to, from, bytes, stream))                                                       \
	{                                                                                          \
		return copy_linear((CUdeviceptr)to, (CUdeviceptr)from, bytes, expected, stream,    \
				   true);                                                          \
	}                                                                                          \
	SIM_ENTRY_STREAM(name##Async_v2, _ptsz,                                                    \
			 (to_t to, from_t from, size_t bytes, CUstream stream),                    \
			 (to, from, bytes, stream))                                                \
	{                                                                                          \
		return copy_linear((CUdeviceptr)to, (CUdeviceptr)from, bytes, expected, stream,    \
				   true);                                                          \
	}

LINEAR(cuMemcpyHtoD, CUdeviceptr_v1, CUdeviceptr, const void *, const void *, COPY_TO_DEVICE)
LINEAR(cuMemcpyDtoH, void *, void *, CUdeviceptr_v1, CUdeviceptr, COPY_FROM_DEVICE)
LINEAR(cuMemcpyDtoD, CUdeviceptr_v1, CUdeviceptr, CUdeviceptr_v1, CUdeviceptr,
       COPY_TO_DEVICE | COPY_FROM_DEVICE)

SIM_ENTRY_STREAM(cuMemcpy, _ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
		 (to, from, bytes))
{
	return copy_linear(to, from, bytes, 0, NULL, false);
}

SIM_ENTRY_STREAM(cuMemcpyAsync, _ptsz,
		 (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
		 (to, from, bytes, stream))
{
	return copy_linear(to, from, bytes, 0, stream, true);
}

static CUresult copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
			  CUcontext from_context, size_t bytes, CUstream stream, bool asynchronous)
{
	if (!context_get(to_context) || !context_get(from_context))
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy_linear(to, from, bytes, COPY_TO_DEVICE | COPY_FROM_DEVICE, stream,
			   asynchronous);
}

SIM_ENTRY_STREAM(cuMemcpyPeer, _ptds,
		 (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
		  size_t bytes),
		 (to, to_context, from, from_context, bytes))
{
	return copy_peer(to, to_context, from, from_context, bytes, NULL, false);
}

SIM_ENTRY_STREAM(cuMemcpyPeerAsync, _ptsz,
		 (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
		  size_t bytes, CUstream stream),
		 (to, to_context, from, from_context, bytes, stream))
{
	return copy_peer(to, to_context, from, from_context, bytes, stream, true);
}
