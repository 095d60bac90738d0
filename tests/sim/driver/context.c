/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/capture.h"
#include "tests/sim/driver/context.h"
#include "tests/sim/driver/event.h"
#include "tests/sim/driver/memory.h"
#include "tests/sim/driver/module.h"
#include "tests/sim/driver/stream.h"

enum {
	STACK_MAX = 32,
};

struct primary {
	struct context *context;
	unsigned int retained;
	unsigned int flags;
};

static struct handle_pool contexts = HANDLE_POOL(struct context);
static struct primary primaries[DEVICES_MAX];
static bool peer_access[DEVICES_MAX][DEVICES_MAX];
static uint64_t contexts_made;
static __thread CUcontext stack[STACK_MAX];
static __thread unsigned int stack_depth;

struct context *context_get(CUcontext handle)
{
	return handle_get(&contexts, handle);
}

CUcontext context_current_handle(void)
{
	return stack_depth ? stack[stack_depth - 1] : NULL;
}

struct context *context_current(void)
{
	return context_get(context_current_handle());
}

CUresult context_usable(void)
{
	if (context_current())
		return CUDA_SUCCESS;
	return context_current_handle() ? CUDA_ERROR_CONTEXT_IS_DESTROYED
					: CUDA_ERROR_INVALID_CONTEXT;
}

struct context *context_create(CUdevice device, bool primary, unsigned int flags)
{
	struct context *context = handle_create(&contexts);

	if (!context)
		return NULL;
	event_bury_all(device);
	context->id = ++contexts_made;
	context->device = device;
	context->primary = primary;
	context->flags = flags;
	context->legacy = stream_create(context, CU_STREAM_DEFAULT, 0);
	if (!context->legacy) {
		handle_destroy(context);
		return NULL;
	}
	return context;
}

void context_destroy(struct context *context)
{
	stream_wait_all(context);
	event_orphan_all(context);
	module_unload_all(context);
	stream_destroy_all(context);
	memory_context_ends(context);
	handle_destroy(context);
}

static CUresult set_current(CUcontext handle)
{
	if (handle && !context_get(handle))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (stack_depth)
		stack_depth--;
	if (handle)
		stack[stack_depth++] = handle;
	return CUDA_SUCCESS;
}

static CUresult push(CUcontext handle)
{
	if (!context_get(handle))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (stack_depth == STACK_MAX)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack[stack_depth++] = handle;
	return CUDA_SUCCESS;
}

static CUresult pop(CUcontext *handle)
{
	if (!stack_depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	stack_depth--;
	if (handle)
		*handle = stack[stack_depth];
	return CUDA_SUCCESS;
}

static CUresult create_and_push(CUcontext *handle, unsigned int flags, CUdevice device)
{
	struct context *context;

	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	context = context_create(device, false, flags);
	if (!context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*handle = (CUcontext)context;
	return push(*handle);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxCreate_v2,
		  (CUcontext * handle, unsigned int flags, CUdevice device),
		  (handle, flags, device))
{
	return create_and_push(handle, flags, device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxCreate_v3,
		  (CUcontext * handle, CUexecAffinityParam *affinity, int count, unsigned int flags,
		   CUdevice device),
		  (handle, affinity, count, flags, device))
{
	(void)affinity;
	(void)count;
	return create_and_push(handle, flags, device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxCreate_v4,
		  (CUcontext * handle, CUctxCreateParams *parameters, unsigned int flags,
		   CUdevice device),
		  (handle, parameters, flags, device))
{
	(void)parameters;
	return create_and_push(handle, flags, device);
}

static CUresult destroy_handle(CUcontext handle)
{
	struct context *context = context_get(handle);

	if (!context || context->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	context_destroy(context);
	if (context_current_handle() == handle)
		stack_depth--;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxDestroy, (CUcontext handle), (handle))
{
	return destroy_handle(handle);
}

/* As if nothing had attached to it. */
SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxDetach, (CUcontext handle), (handle))
{
	return destroy_handle(handle);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxDestroy_v2, (CUcontext handle), (handle))
{
	return destroy_handle(handle);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxSetCurrent, (CUcontext handle), (handle))
{
	return set_current(handle);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxGetCurrent, (CUcontext * handle), (handle))
{
	*handle = context_current_handle();
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxPushCurrent_v2, (CUcontext handle), (handle))
{
	return push(handle);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxPopCurrent_v2, (CUcontext * handle), (handle))
{
	return pop(handle);
}

SIM_ENTRY(cuCtxGetDevice, (CUdevice * device), (device))
{
	*device = context_current()->device;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxGetDevice_v2, (CUdevice * device, CUcontext handle),
		  (device, handle))
{
	struct context *context = handle ? context_get(handle) : context_current();

	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	*device = context->device;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxGetId, (CUcontext handle, unsigned long long *id),
		  (handle, id))
{
	struct context *context = handle ? context_get(handle) : context_current();

	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	*id = context->id;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxGetApiVersion, (CUcontext handle, unsigned int *version),
		  (handle, version))
{
	(void)handle;
	*version = 3020;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuCtxGetFlags, (unsigned int *flags), (flags))
{
	*flags = context_current()->flags;
	return CUDA_SUCCESS;
}

/* Breaks captures in the context, whichever thread waits. */
static CUresult synchronize(struct context *context)
{
	CUresult result = capture_break_context(context);

	if (result == CUDA_SUCCESS)
		stream_wait_all(context);
	return result;
}

SIM_ENTRY(cuCtxSynchronize, (void), ())
{
	return synchronize(context_current());
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuCtxSynchronize_v2, (CUcontext handle), (handle))
{
	struct context *context = handle ? context_get(handle) : context_current();

	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	return synchronize(context);
}

SIM_ENTRY(cuCtxGetStreamPriorityRange, (int *least, int *greatest), (least, greatest))
{
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return CUDA_SUCCESS;
}

bool context_peer_access(CUdevice one, CUdevice other)
{
	return peer_access[one][other] || peer_access[other][one];
}

SIM_ENTRY(cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags), (peer, flags))
{
	if (flags || !context_get(peer))
		return CUDA_ERROR_INVALID_VALUE;
	peer_access[context_current()->device][context_get(peer)->device] = true;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuCtxDisablePeerAccess, (CUcontext peer), (peer))
{
	if (!context_get(peer))
		return CUDA_ERROR_INVALID_CONTEXT;
	peer_access[context_current()->device][context_get(peer)->device] = false;
	return CUDA_SUCCESS;
}

/* Primary contexts. */

struct context *context_primary_retain(CUdevice device)
{
	struct primary *primary = &primaries[device];

	if (!primary->context)
		primary->context = context_create(device, true, primary->flags);
	if (primary->context)
		primary->retained++;
	return primary->context;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevicePrimaryCtxRetain, (CUcontext * handle, CUdevice device),
		  (handle, device))
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*handle = (CUcontext)context_primary_retain(device);
	return *handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A reset releases nothing: whoever retained the context still has to release it. */
static void end_primary(struct primary *primary)
{
	if (primary->context)
		context_destroy(primary->context);
	primary->context = NULL;
}

CUresult context_primary_release(CUdevice device)
{
	struct primary *primary;

	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	primary = &primaries[device];
	if (!primary->retained)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!--primary->retained)
		end_primary(primary);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevicePrimaryCtxRelease, (CUdevice device), (device))
{
	return context_primary_release(device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))
{
	return context_primary_release(device);
}

static CUresult reset(CUdevice device)
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	end_primary(&primaries[device]);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevicePrimaryCtxReset, (CUdevice device), (device))
{
	return reset(device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevicePrimaryCtxReset_v2, (CUdevice device), (device))
{
	return reset(device);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevicePrimaryCtxSetFlags_v2,
		  (CUdevice device, unsigned int flags), (device, flags))
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	primaries[device].flags = flags;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuDevicePrimaryCtxGetState,
		  (CUdevice device, unsigned int *flags, int *active), (device, flags, active))
{
	if (!context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = primaries[device].flags;
	*active = primaries[device].context != NULL;
	return CUDA_SUCCESS;
}
