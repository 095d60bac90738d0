/* SPDX-License-Identifier: MIT */
/*
 * Green contexts: each holds the primary context of its device, and its streams are in a context
 * derived from it.
 */
#include <string.h>

#include "tests/sim/driver/context.h"
#include "tests/sim/driver/stream.h"

enum {
	MULTIPROCESSORS = 132,
};

struct green {
	struct handle handle;
	uint64_t id;
	CUdevice device;
	struct context *context; /* the derived one */
};

static struct handle_pool greens = HANDLE_POOL(struct green);
static uint64_t greens_made;

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDeviceGetDevResource,
		  (CUdevice device, CUdevResource *resource, CUdevResourceType type),
		  (device, resource, type))
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!resource || type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	memset(resource, 0, sizeof(*resource));
	resource->type = type;
	resource->sm.smCount = MULTIPROCESSORS;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevSmResourceSplitByCount,
		  (CUdevResource * groups, unsigned int *count, const CUdevResource *from,
		   CUdevResource *rest, unsigned int flags, unsigned int minimum),
		  (groups, count, from, rest, flags, minimum))
{
	unsigned int possible;

	(void)flags;
	if (!count || !from || !minimum)
		return CUDA_ERROR_INVALID_VALUE;
	possible = from->sm.smCount / minimum;
	if (!groups || *count > possible)
		*count = possible;
	for (unsigned int i = 0; groups && i < *count; i++) {
		groups[i] = *from;
		groups[i].sm.smCount = minimum;
	}
	if (rest) {
		*rest = *from;
		rest->sm.smCount -= groups ? *count * minimum : 0;
	}
	return CUDA_SUCCESS;
}

/* The description is the first resource itself. */
SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevResourceGenerateDesc,
		  (CUdevResourceDesc * description, CUdevResource *resources, unsigned int count),
		  (description, resources, count))
{
	if (!description || !resources || !count)
		return CUDA_ERROR_INVALID_VALUE;
	*description = (CUdevResourceDesc)resources;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGreenCtxCreate,
		  (CUgreenCtx * handle, CUdevResourceDesc description, CUdevice device,
		   unsigned int flags),
		  (handle, description, device, flags))
{
	struct green *green;

	if (!handle || !description || !(flags & CU_GREEN_CTX_DEFAULT_STREAM))
		return CUDA_ERROR_INVALID_VALUE;
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	green = handle_create(&greens);
	if (!green || !context_primary_retain(device))
		return CUDA_ERROR_OUT_OF_MEMORY;
	green->id = ++greens_made;
	green->device = device;
	green->context = context_create(device, false, 0);
	*handle = (CUgreenCtx)green;
	return green->context ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGreenCtxDestroy, (CUgreenCtx handle), (handle))
{
	struct green *green = handle_get(&greens, handle);

	if (!green)
		return CUDA_ERROR_INVALID_HANDLE;
	context_destroy(green->context);
	handle_destroy(green);
	return context_primary_release(green->device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxFromGreenCtx, (CUcontext * context, CUgreenCtx handle),
		  (context, handle))
{
	struct green *green = handle_get(&greens, handle);

	if (!green || !context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = (CUcontext)green->context;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGreenCtxStreamCreate,
		  (CUstream * stream, CUgreenCtx handle, unsigned int flags, int priority),
		  (stream, handle, flags, priority))
{
	struct green *green = handle_get(&greens, handle);

	if (!green || !stream || flags != CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	*stream = (CUstream)stream_create(green->context, flags, priority);
	return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuGreenCtxGetId, (CUgreenCtx handle, unsigned long long *id),
		  (handle, id))
{
	struct green *green = handle_get(&greens, handle);

	if (!green || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*id = green->id;
	return CUDA_SUCCESS;
}
