/* SPDX-License-Identifier: MIT */
/* The wrappers of states.def: calls that change what ktime may do and what it holds. */
#include <errno.h>
#include <string.h>

#include "preload/launch/call.h"
#include "preload/launch/window.h"
#include "preload/lifecycle/context_end.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/handles/capture.h"
#include "preload/driver/driver.h"
#include "preload/base/export.h"
#include "preload/base/instantiation.h"
#include "preload/base/own_part.h"
#include "preload/handles/graph.h"
#include "preload/hooks/lookup.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/hooks/wrappers.h"
#include "preload/memory/allocations.h"

#define NOTHING (void)0

static void initialised(CUresult result)
{
	lookup_initialised();
	if (result == CUDA_SUCCESS)
		lifecycle_initialised();
}

/* A stream that was seen being made is one that may be asked about before a call succeeded in it.
 */
static void stream_seen(const CUstream *stream, unsigned flags, CUresult result)
{
	if (result == CUDA_SUCCESS && lifecycle_running())
		stream_made(*stream, flags);
}

static void context_made(CUdevice device, CUresult result)
{
	if (result == CUDA_SUCCESS)
		context_on_device(device);
}

static void module_ends(void)
{
	operation_modules_unload();
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

static void graph_made(const CUgraphExec *exec, CUgraph graph, CUresult result)
{
	instantiation_end();
	graph_instantiated(exec, graph, result);
}

static void graph_remade(CUgraphExec exec, CUgraph graph, CUresult result)
{
	instantiation_end();
	graph_updated(exec, graph, result);
}

/* CUDA_KERNEL_NODE_PARAMS_v1 ends before the member that names a CUkernel, and is the same up to
 * it. */
static void graph_old_kernel_changed(CUgraphExec exec, CUgraphNode node, const void *parameters,
				     CUresult result)
{
	CUDA_KERNEL_NODE_PARAMS_v2 newer = {0};

	if (result != CUDA_SUCCESS || !parameters)
		return;
	memcpy(&newer, parameters, sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
	graph_kernel_changed(exec, node, &newer, result);
}

/* CUgraphNodeParams, which toolkits before 12.2 do not declare: the type, and the parameters behind
 * 16 bytes. */
static void graph_node_changed(CUgraphExec exec, CUgraphNode node, const void *parameters,
			       CUresult result)
{
	const CUgraphNodeType *type = parameters;
	const void *rest = (const char *)parameters + 16;

	if (result != CUDA_SUCCESS || !parameters)
		return;
	if (*type == CU_GRAPH_NODE_TYPE_KERNEL)
		graph_kernel_changed(exec, node, rest, result);
	else if (*type == CU_GRAPH_NODE_TYPE_GRAPH)
		graph_child_changed(exec, node, *(const CUgraph *)rest, result);
}

/* errno is what the real call left, whatever ktime did around it. */
#define STATE(symbol, name, parameters, arguments, before, after)                                  \
	CUresult wrapped_##symbol parameters                                                       \
	{                                                                                          \
		CUresult(*real) parameters = (CUresult(*) parameters)driver_entry(ENTRY_##symbol); \
		int saved_errno = errno;                                                           \
		uintptr_t around;                                                                  \
		CUresult result;                                                                   \
                                                                                                   \
		if (!real)                                                                         \
			real = (CUresult(*) parameters)lookup_late(ENTRY_##symbol,                 \
								   __builtin_return_address(0));   \
		around = own_part_begin();                                                         \
		before;                                                                            \
		own_part_end(around);                                                              \
		errno = saved_errno;                                                               \
		result = real arguments;                                                           \
		saved_errno = errno;                                                               \
		around = own_part_begin();                                                         \
		after;                                                                             \
		own_part_end(around);                                                              \
		errno = saved_errno;                                                               \
		return result;                                                                     \
	}                                                                                          \
	EXPORT_AS(wrapped_##symbol, symbol)
#include "preload/driver/states.def"
#undef STATE
