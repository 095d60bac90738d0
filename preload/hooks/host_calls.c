/* SPDX-License-Identifier: MIT */
/* The wrappers of host_calls.def: calls that are timed to say why a device was idle. Each function
 * has two, as those of entries.def have (wrappers.c). */
#include "preload/base/export.h"
#include "preload/driver/driver.h"
#include "preload/driver/entries.h"
#include "preload/hooks/lookup.h"
#include "preload/hooks/wrappers.h"
#include "preload/launch/call.h"
#include "preload/launch/thread.h"
#include "preload/memory/allocations.h"

#define NOTHING (void)0

static const struct operation *launched_before(void)
{
	return thread_self ? thread_self->last_operation : NULL;
}

static void allocated(CUresult result, enum allocation_kind kind, const CUdeviceptr *pointer,
		      uint64_t bytes)
{
	allocation_ends(result, &(struct allocated){
					.kind = kind,
					.space = SPACE_POINTER,
					.key = result == CUDA_SUCCESS ? (uint64_t)*pointer : 0,
					.bytes = bytes,
					.before = launched_before(),
				});
}

static void allocated_pitch(CUresult result, const CUdeviceptr *pointer, const size_t *pitch,
			    size_t height)
{
	allocated(result, ALLOCATION_DEVICE, pointer,
		  result == CUDA_SUCCESS ? (uint64_t)*pitch * height : 0);
}

static void allocated_host(CUresult result, void *const *pointer, uint64_t bytes)
{
	allocation_ends(result, &(struct allocated){
					.kind = ALLOCATION_PINNED,
					.space = SPACE_HOST,
					.key = result == CUDA_SUCCESS ? (uintptr_t)*pointer : 0,
					.bytes = bytes,
					.before = launched_before(),
				});
}

static void registered(CUresult result, const void *pointer, uint64_t bytes)
{
	allocation_ends(result, &(struct allocated){
					.kind = ALLOCATION_REGISTERED,
					.space = SPACE_REGISTERED,
					.key = (uintptr_t)pointer,
					.bytes = bytes,
					.before = launched_before(),
				});
}

/* Physical memory belongs to a device, or to the host, and to no context. */
static void created(CUresult result, const unsigned long long *handle, uint64_t bytes,
		    const CUmemAllocationProp *properties)
{
	bool of_device =
		result != CUDA_SUCCESS || properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;

	allocation_ends(result, &(struct allocated){
					.kind = of_device ? ALLOCATION_VIRTUAL : ALLOCATION_PINNED,
					.space = SPACE_HANDLE,
					.key = result == CUDA_SUCCESS ? *handle : 0,
					.bytes = bytes,
					.placed = true,
					.device = of_device && result == CUDA_SUCCESS
							  ? properties->location.id
							  : -1,
					.before = launched_before(),
				});
}

static void array_made(CUresult result, enum holding_space space, const void *array, uint64_t bytes)
{
	allocation_ends(result, &(struct allocated){
					.kind = ALLOCATION_ARRAY,
					.space = space,
					.key = (uintptr_t)array,
					.bytes = bytes,
					.before = launched_before(),
				});
}

static void array_3d_created(CUresult result, const CUarray *array,
			     const CUDA_ARRAY3D_DESCRIPTOR_v2 *description)
{
	bool made = result == CUDA_SUCCESS;

	array_made(result, SPACE_ARRAY, made ? *array : NULL,
		   made ? array_bytes(description, 1) : 0);
}

static void array_created(CUresult result, const CUarray *array,
			  const CUDA_ARRAY_DESCRIPTOR_v2 *description)
{
	CUDA_ARRAY3D_DESCRIPTOR_v2 whole = {0};

	if (result == CUDA_SUCCESS) {
		whole.Width = description->Width;
		whole.Height = description->Height;
		whole.Format = description->Format;
		whole.NumChannels = description->NumChannels;
	}
	array_3d_created(result, array, &whole);
}

static void mipmapped_created(CUresult result, const CUmipmappedArray *array,
			      const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, unsigned levels)
{
	bool made = result == CUDA_SUCCESS;

	array_made(result, SPACE_MIPMAPPED, made ? *array : NULL,
		   made ? array_bytes(description, levels) : 0);
}

#define BODY(symbol, parameters, arguments, api, before, after)                                    \
	{                                                                                          \
		CUresult(*real) parameters = (CUresult(*) parameters)driver_entry(ENTRY_##symbol); \
		struct timed_call call;                                                            \
		CUresult result;                                                                   \
                                                                                                   \
		if (!real)                                                                         \
			real = (CUresult(*) parameters)lookup_late(ENTRY_##symbol,                 \
								   __builtin_return_address(0));   \
		host_call_begin(&call);                                                            \
		before;                                                                            \
		result = real arguments;                                                           \
		after;                                                                             \
		host_call_end(&call, api, result);                                                 \
		return result;                                                                     \
	}

#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments, before, after)               \
	CUresult wrapped_##symbol parameters BODY(symbol, parameters, arguments,                   \
						  API_DRIVER(ENTRY_##symbol), before, after)       \
	CUresult from_runtime_##symbol parameters BODY(symbol, parameters, arguments,              \
						       API_FROM_RUNTIME(ENTRY_##symbol), before,   \
						       after) EXPORT_AS(wrapped_##symbol, symbol)
#include "preload/driver/host_calls.def"
#undef HOST_CALL
