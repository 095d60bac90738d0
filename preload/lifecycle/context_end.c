/* SPDX-License-Identifier: MIT */
#include "preload/lifecycle/context_end.h"

#include "preload/base/atomics.h"
#include "preload/base/lifecycle_state.h"
#include "preload/collector/collector.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/memory/holdings.h"
#include "report/session/session.h"

/* Notes that a context ends. Its modules end with it, and the driver may reuse their kernels'
 * handles. */
static void end_context(struct context *context)
{
	collector_end_context(context);
	operation_forget_kernels();
}

void context_ends(CUcontext handle)
{
	/* Also while the report is made: the collector asks about the context's events. */
	struct context *context = lifecycle_forked() ? NULL : context_known(handle);

	allocations_context_ends(handle);
	if (context)
		end_context(context);
}

/*
 * The primary context of each device. Its last release destroys it, and no call tells how many are
 * left; cudart and libraries retain once each through these entries, so the count here is the
 * driver's.
 */
static struct primary {
	_Atomic int retains;
	CUcontext _Atomic handle; /* NULL: no retain has told it since it last ended */
} primaries[SESSION_DEVICES];

static struct primary *primary_of(CUdevice device)
{
	return device >= 0 && device < SESSION_DEVICES ? &primaries[device] : NULL;
}

/* Finds out a device's primary context (NULL if it has none); false if that is not possible. The
 * driver tells the handle only at a retain, which would create the context if there is none. */
static bool ask_primary(CUdevice device, CUcontext *handle)
{
	unsigned int flags;
	int active;

	if (driver.cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS)
		return false;
	if (!active)
		return true;
	if (driver.cuDevicePrimaryCtxRetain(handle, device) != CUDA_SUCCESS)
		return false;
	driver.cuDevicePrimaryCtxRelease_v2(device);
	return true;
}

/* Ends all contexts of a device, as one of them is destroyed and it is not known which, and the
 * driver crashes on events of a destroyed one. Contexts that the program goes on to use are looked
 * up anew.
 */
static void end_contexts_of(CUdevice device)
{
	for (struct context *context = context_first(); context; context = context->next)
		if (context->device == device)
			end_context(context);
}

void primary_ends(CUdevice device)
{
	struct primary *primary = primary_of(device);
	CUcontext handle = NULL;

	/* Forgotten, as another context may be given it. */
	if (primary)
		handle = atomic_exchange_explicit(&primary->handle, NULL, memory_order_relaxed);
	if (!handle && lifecycle_running() && !ask_primary(device, &handle))
		end_contexts_of(device);
	if (handle)
		context_ends(handle);
}

void primary_retained(CUdevice device, const CUcontext *handle, CUresult result)
{
	struct primary *primary = primary_of(device);

	if (result != CUDA_SUCCESS || !primary)
		return;
	add_relaxed(&primary->retains, 1);
	if (handle)
		store_relaxed(&primary->handle, *handle);
	context_on_device(device);
}

void primary_released(CUdevice device)
{
	struct primary *primary = primary_of(device);

	if (primary && atomic_fetch_sub_explicit(&primary->retains, 1, memory_order_relaxed) <= 1) {
		store_relaxed(&primary->retains, 0);
		primary_ends(device);
	}
}

/* A green context retains the primary one for its life, and ends the context derived from it. */
void green_ends(void *green)
{
	struct context *context = NULL;
	CUcontext handle;

	if (!lifecycle_forked() && driver.cuCtxFromGreenCtx &&
	    driver.cuCtxFromGreenCtx(&handle, green) == CUDA_SUCCESS)
		context = lifecycle_running() ? context_lookup(handle) : context_known(handle);
	if (context) {
		end_context(context);
		primary_released(context->device);
	}
}
