/* SPDX-License-Identifier: MIT */
#include "preload/launch/pool_call.h"

#include "preload/handles/capture.h"
#include "preload/memory/allocations.h"

/* Only a call that has succeeded has a stream that the driver may be asked about. */
static bool was_captured(CUstream stream, CUresult result)
{
	return result == CUDA_SUCCESS && capture_is_live() && capture_is_in(stream);
}

uint8_t pool_call_begin(uint8_t pool, const void *address)
{
	if (pool != POOL_CALL_FREES || capture_is_live())
		return pool;
	allocation_freeing(SPACE_POINTER, (uintptr_t)address);
	return POOL_CALL_FREEING;
}

/* What is recorded into a graph the graph allocates, each time that it is launched. */
static void allocate(const CUdeviceptr *pointer, uint64_t bytes, CUstream stream, CUresult result,
		     const struct operation *before)
{
	bool captured = was_captured(stream, result);

	allocation_ends(captured ? CUDA_ERROR_UNKNOWN : result,
			&(struct allocated){
				.kind = ALLOCATION_POOL,
				.space = SPACE_POINTER,
				.key = result == CUDA_SUCCESS ? (uint64_t)*pointer : 0,
				.bytes = bytes,
				.before = before,
			});
	if (captured)
		allocation_captured();
}

void pool_call_end(uint8_t pool, const void *address, uint64_t bytes, CUstream stream,
		   CUresult result, const struct operation *before)
{
	switch (pool) {
	case POOL_CALL_ALLOCATES:
		allocate(address, bytes, stream, result, before);
		break;
	case POOL_CALL_FREEING:
		allocation_freed(result, (uintptr_t)address);
		break;
	case POOL_CALL_FREES:
		if (result == CUDA_SUCCESS && !was_captured(stream, result)) {
			allocation_freeing(SPACE_POINTER, (uintptr_t)address);
			allocation_freed(result, (uintptr_t)address);
		}
		break;
	}
}
