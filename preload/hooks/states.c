/* SPDX-License-Identifier: MIT */
/* The wrappers of states.def: calls that change what ktime may do and what it holds. */
#include <errno.h>

#include "preload/launch/call.h"
#include "preload/launch/window.h"
#include "preload/collector/collector.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/driver/driver.h"
#include "preload/base/export.h"
#include "preload/handles/graph.h"
#include "preload/hooks/lookup.h"
#include "preload/handles/operation.h"
#include "preload/collector/records.h"
#include "preload/handles/stream.h"
#include "preload/hooks/wrappers.h"

#define NOTHING (void)0

static void initialised(CUresult result)
{
	lookup_initialised();
	if (result == CUDA_SUCCESS)
		control_start();
}

/*
 * Counted from before the call: a launch of another thread's must ask from the moment that the
 * capture can be there.
 */
static void capture_begins(void)
{
	atomic_fetch_add_explicit(&live_captures, 1, memory_order_relaxed);
	call_watch(1);
}

static void capture_began(CUresult result)
{
	if (result != CUDA_SUCCESS) {
		atomic_fetch_sub_explicit(&live_captures, 1, memory_order_relaxed);
		call_watch(-1);
	}
}

/*
 * Whether the call took the capture from its stream. A driver refuses a stream that captures
 * nothing, or that only joined the capture of another (H200: CUDA_ERROR_ILLEGAL_STATE), and the
 * capture goes on: whatever is not known to end one is taken so, for a count that rests too high
 * costs launches a question, and one too low breaks the program's capture.
 */
static bool ends_capture(CUresult result)
{
	return result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

static void capture_ended(CUresult result)
{
	int live = atomic_load_explicit(&live_captures, memory_order_relaxed);

	if (!ends_capture(result))
		return;
	/* A capture that began unseen must not drive the count below zero. */
	while (live > 0 &&
	       !atomic_compare_exchange_weak_explicit(&live_captures, &live, live - 1,
						      memory_order_relaxed, memory_order_relaxed))
		;
	if (live > 0)
		call_watch(-1);
}

/* Its modules end with it, and the handles of their kernels come back. */
static void end_context(struct context *context)
{
	collector_end_context(context);
	operation_forget_kernels();
}

static void context_ends(CUcontext handle)
{
	/* Also while the report is made: the collector asks about the context's events. */
	struct context *context = control_forked() ? NULL : context_known(handle);

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

/* The driver tells the handle at a retain alone, which would make a context where there is none. */
static CUcontext ask_primary(CUdevice device)
{
	CUcontext handle = NULL;
	unsigned int flags;
	int active = 0;

	if (driver.cuDevicePrimaryCtxGetState(device, &flags, &active) == CUDA_SUCCESS && active &&
	    driver.cuDevicePrimaryCtxRetain(&handle, device) == CUDA_SUCCESS)
		driver.cuDevicePrimaryCtxRelease_v2(device);
	return handle;
}

static void primary_ends(CUdevice device)
{
	struct primary *primary = primary_of(device);
	CUcontext handle = NULL;

	/* Forgotten, as another context may be given it. */
	if (primary)
		handle = atomic_exchange_explicit(&primary->handle, NULL, memory_order_relaxed);
	if (!handle && control_running())
		handle = ask_primary(device);
	if (handle)
		context_ends(handle);
}

static void primary_retained(CUdevice device, const CUcontext *handle, CUresult result)
{
	struct primary *primary = primary_of(device);

	if (result != CUDA_SUCCESS || !primary)
		return;
	atomic_fetch_add_explicit(&primary->retains, 1, memory_order_relaxed);
	if (handle)
		atomic_store_explicit(&primary->handle, *handle, memory_order_relaxed);
	context_on_device(device);
}

static void primary_released(CUdevice device)
{
	struct primary *primary = primary_of(device);

	if (primary && atomic_fetch_sub_explicit(&primary->retains, 1, memory_order_relaxed) <= 1) {
		atomic_store_explicit(&primary->retains, 0, memory_order_relaxed);
		primary_ends(device);
	}
}

/* A green context retains the primary one for its life, and ends the context derived from it. */
static void green_ends(void *green)
{
	struct context *context = NULL;
	CUcontext handle;

	if (!control_forked() && driver.cuCtxFromGreenCtx &&
	    driver.cuCtxFromGreenCtx(&handle, green) == CUDA_SUCCESS)
		context = control_running() ? context_lookup(handle) : context_known(handle);
	if (context) {
		end_context(context);
		primary_released(context->device);
	}
}

/* A stream that was seen being made is one that may be asked about before a call succeeded in it.
 */
static void stream_made(const CUstream *stream, CUresult result)
{
	if (result == CUDA_SUCCESS && control_running())
		stream_lookup(*stream, NULL);
}

static void module_ends(void)
{
	operation_forget_kernels();
	records_distrust_names();
}

/* Where the driver cannot say a kernel's name (before 12.3), the look-up that gave the handle can.
 */
static void kernel_found(void *const *kernel, const char *name, CUresult result)
{
	if (result == CUDA_SUCCESS && kernel && name)
		operation_remember_kernel(*kernel, name);
}

/* cudart makes this call at many a launch (ResNet-50: 57 in an inference), so not without need. */
static void kernel_turned(void *const *function, void *kernel, CUresult result)
{
	if (!operation_driver_names() && result == CUDA_SUCCESS && function)
		operation_remember_kernel(*function, operation_of_kernel(kernel)->name);
}

/* errno is what the real call left, whatever ktime did around it. */
#define STATE(symbol, name, parameters, arguments, before, after)                                  \
	CUresult wrapped_##symbol parameters                                                       \
	{                                                                                          \
		CUresult result = CUDA_ERROR_NOT_INITIALIZED;                                      \
		int saved_errno = errno;                                                           \
                                                                                                   \
		if (driver_load() && driver_entry(ENTRY_##symbol)) {                               \
			before;                                                                    \
			errno = saved_errno;                                                       \
			result = ((CUresult(*) parameters)driver_entry(ENTRY_##symbol))arguments;  \
			saved_errno = errno;                                                       \
			after;                                                                     \
		}                                                                                  \
		errno = saved_errno;                                                               \
		return result;                                                                     \
	}
#include "preload/driver/states.def"
#undef STATE
