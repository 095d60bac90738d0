/* SPDX-License-Identifier: MIT */
/*
 * The wrappers, made from entries.def, states.def and host_calls.def. Each entry has two: the one
 * that libktime.so exports under the entry's own symbol and hands to programs, and the one it hands
 * to a cudart, whose calls are known to the user by the runtime's names. Those of states.def have
 * no names in the report, and so one alone.
 *
 * In C they carry names of our own; the exported symbol is set for the assembler, so that neither
 * cuda.h's prototypes nor its renaming macros get in the way.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "preload/base/export.h"
#include "preload/base/own_part.h"
#include "preload/driver/driver.h"
#include "preload/driver/signatures.h"
#include "preload/handles/graph.h"
#include "preload/handles/graph_nodes.h"
#include "preload/handles/instantiation.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/hooks/lookup.h"
#include "preload/launch/call.h"
#include "preload/launch/describe.h"
#include "preload/launch/memsets.h"
#include "preload/launch/thread.h"
#include "preload/launch/window.h"
#include "preload/lifecycle/context_end.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/memory/holdings.h"

#define REAL(symbol, parameters) (CUresult(*) parameters) driver_entry(ENTRY_##symbol)
/* Where the wrapper was called before the driver's tables were filled. */
#define REAL_LATE(symbol, parameters)                                                              \
	(CUresult(*) parameters) lookup_late(ENTRY_##symbol, __builtin_return_address(0))

#define DEFAULT_STREAM_legacy	  CU_STREAM_LEGACY
#define DEFAULT_STREAM_per_thread CU_STREAM_PER_THREAD

#define DESCRIBE(symbol, description, default_stream, from_runtime)                                \
	(call_describe(call,                                                                       \
		       from_runtime ? API_FROM_RUNTIME(ENTRY_##symbol)                             \
				    : API_DRIVER(ENTRY_##symbol),                                  \
		       DEFAULT_STREAM_##default_stream),                                           \
	 description)

/* Whether a driver function is a memset. A constant, so wrappers of other calls have no code of it.
 */
#define SETS_MEMORY(symbol) (__builtin_strncmp(#symbol, "cuMemset", sizeof("cuMemset") - 1) == 0)

/* A call with a description in memory. */
#define DESCRIBED(begin, end, symbol, parameters, arguments, description, default_stream,          \
		  from_runtime)                                                                    \
	do {                                                                                       \
		struct call this_call;                                                             \
		struct call *call = &this_call;                                                    \
                                                                                                   \
		if (__builtin_expect(!real, 0))                                                    \
			real = REAL_LATE(symbol, parameters);                                      \
		DESCRIBE(symbol, description, default_stream, from_runtime);                       \
		begin(call, __builtin_return_address(0));                                          \
		if (SETS_MEMORY(symbol))                                                           \
			memset_begins();                                                           \
		result = real arguments;                                                           \
		if (SETS_MEMORY(symbol))                                                           \
			memset_ended();                                                            \
		end(call, result);                                                                 \
	} while (0)

#define BODY(symbol, runtime, parameters, arguments, description, default_stream, from_runtime)    \
	{                                                                                          \
		CUresult(*real) parameters = REAL(symbol, parameters);                             \
		CUresult result;                                                                   \
                                                                                                   \
		DESCRIBED(call_begin_or_count, call_end_or_count, symbol, parameters, arguments,   \
			  description, default_stream, from_runtime);                              \
		return result;                                                                     \
	}

/* The body for launches: those that are only counted have a path of their own, for which the
 * description stays in registers. */
#define LAUNCH_BODY(symbol, runtime, parameters, arguments, description, default_stream,           \
		    from_runtime)                                                                  \
	{                                                                                          \
		struct call description_alone;                                                     \
		struct call *call = &description_alone;                                            \
		CUresult(*real) parameters = REAL(symbol, parameters);                             \
		CUresult result;                                                                   \
                                                                                                   \
		DESCRIBE(symbol, description, default_stream, from_runtime);                       \
		if (__builtin_expect(real && count_only_begin(call), 1)) {                         \
			result = real arguments;                                                   \
			count_only_end(call, result);                                              \
		} else {                                                                           \
			DESCRIBED(call_begin, call_end, symbol, parameters, arguments,             \
				  description, default_stream, from_runtime);                      \
		}                                                                                  \
		return result;                                                                     \
	}

#define WRAPPERS(BODY, runtime, parameters, arguments, description, symbol, default_stream)        \
	CUresult wrapped_##symbol parameters;                                                      \
	CUresult wrapped_##symbol parameters BODY(                                                 \
		symbol, runtime, parameters, arguments, description, default_stream,               \
		false) static CUresult from_runtime_##symbol parameters                            \
	BODY(symbol, runtime, parameters, arguments, description, default_stream, true)            \
		EXPORT_AS(wrapped_##symbol, symbol)
#define CALL_WRAPPERS(...)   WRAPPERS(BODY, __VA_ARGS__)
#define LAUNCH_WRAPPERS(...) WRAPPERS(LAUNCH_BODY, __VA_ARGS__)

#define ENTRY(symbol, name, signature, version, default_stream)                                    \
	WITH_SIGNATURE(CALL_WRAPPERS, signature, symbol, default_stream)
#define ENTRY_LAUNCH(symbol, name, signature, version, default_stream)                             \
	WITH_SIGNATURE(LAUNCH_WRAPPERS, signature, symbol, default_stream)
#include "preload/driver/entries.def"
#undef ENTRY

/* Calls that change what ktime may do and what it holds: what states.def has done around them. */

#define NOTHING (void)0

static void initialised(CUresult result)
{
	lookup_initialised();
	if (result == CUDA_SUCCESS)
		lifecycle_initialised();
}

/* Notes a stream that the program has made: ktime may ask the driver about a handle that it knows
 * to be valid, even before a call in the stream has succeeded. */
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

/* Where the driver cannot say a kernel's name (before 12.3), the look-up that gave the handle can.
 */
static void kernel_found(void *const *kernel, const char *name, CUresult result)
{
	if (result == CUDA_SUCCESS && kernel && name)
		operation_remember_kernel(*kernel, name);
}

/* After cuKernelGetFunction. Does something only if kernel_found() is needed, as cudart makes this
 * call at many launches (ResNet-50: 57 in one inference). */
static void kernel_turned(void *const *function, void *kernel, CUresult result)
{
	if (!operation_driver_names() && result == CUDA_SUCCESS && function)
		operation_remember_kernel(*function, operation_of_kernel(kernel)->name);
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

/* After a node of any type was added: see graph_node_changed(). */
static void node_added(const CUgraphNode *node, const void *parameters, CUresult result)
{
	const CUgraphNodeType *type = parameters;
	const void *rest = (const char *)parameters + 16;

	if (result == CUDA_SUCCESS && parameters && *type == CU_GRAPH_NODE_TYPE_GRAPH)
		graph_child_added(node, *(const CUgraph *)rest, result);
	else
		graph_node_added(node, result);
}

/* errno is what the real call left, whatever ktime did around it. */
#define STATE(symbol, name, parameters, arguments, before, after)                                  \
	CUresult wrapped_##symbol parameters;                                                      \
	CUresult wrapped_##symbol parameters                                                       \
	{                                                                                          \
		CUresult(*real) parameters = REAL(symbol, parameters);                             \
		int saved_errno = errno;                                                           \
		uintptr_t around;                                                                  \
		CUresult result;                                                                   \
                                                                                                   \
		if (!real)                                                                         \
			real = REAL_LATE(symbol, parameters);                                      \
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

/* Calls that are timed to say why a device was idle, and what host_calls.def notes of memory. */

static const struct operation *launched_before(void)
{
	return thread_self ? thread_self->last_operation : NULL;
}

static void ends(CUresult result, enum allocation_kind kind, enum holding_space space, uint64_t key,
		 uint64_t bytes)
{
	allocation_ends(result, &(struct allocation){
					.kind = kind,
					.space = space,
					.key = key,
					.bytes = bytes,
					.origin.operation = launched_before(),
				});
}

static void allocated(CUresult result, enum allocation_kind kind, const CUdeviceptr *pointer,
		      uint64_t bytes)
{
	ends(result, kind, SPACE_POINTER, result == CUDA_SUCCESS ? *pointer : 0, bytes);
}

static void allocated_pitch(CUresult result, const CUdeviceptr *pointer, const size_t *pitch,
			    size_t height)
{
	allocated(result, ALLOCATION_DEVICE, pointer,
		  result == CUDA_SUCCESS ? (uint64_t)*pitch * height : 0);
}

static void allocated_host(CUresult result, void *const *pointer, uint64_t bytes)
{
	ends(result, ALLOCATION_PINNED, SPACE_HOST,
	     result == CUDA_SUCCESS ? (uintptr_t)*pointer : 0, bytes);
}

static void registered(CUresult result, const void *pointer, uint64_t bytes)
{
	ends(result, ALLOCATION_REGISTERED, SPACE_REGISTERED, (uintptr_t)pointer, bytes);
}

/* Physical memory belongs to a device, or to the host, and to no context. */
static void created(CUresult result, const unsigned long long *handle, uint64_t bytes,
		    const CUmemAllocationProp *properties)
{
	bool of_device =
		result != CUDA_SUCCESS || properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;

	allocation_ends(result, &(struct allocation){
					.kind = of_device ? ALLOCATION_VIRTUAL : ALLOCATION_PINNED,
					.space = SPACE_HANDLE,
					.key = result == CUDA_SUCCESS ? *handle : 0,
					.bytes = bytes,
					.placed = true,
					.device = of_device && result == CUDA_SUCCESS
							  ? properties->location.id
							  : -1,
					.origin.operation = launched_before(),
				});
}

static void array_made(CUresult result, enum holding_space space, void *const *array,
		       const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, unsigned levels)
{
	bool made = result == CUDA_SUCCESS;

	ends(result, ALLOCATION_ARRAY, space, made ? (uintptr_t)*array : 0,
	     made ? array_bytes(description, levels) : 0);
}

static void array_3d_created(CUresult result, const CUarray *array,
			     const CUDA_ARRAY3D_DESCRIPTOR_v2 *description)
{
	array_made(result, SPACE_ARRAY, (void *const *)array, description, 1);
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
	array_made(result, SPACE_MIPMAPPED, (void *const *)array, description, levels);
}

#define HOST_BODY(symbol, parameters, arguments, api, before, after)                               \
	{                                                                                          \
		CUresult(*real) parameters = REAL(symbol, parameters);                             \
		struct timed_call call;                                                            \
		CUresult result;                                                                   \
                                                                                                   \
		if (!real)                                                                         \
			real = REAL_LATE(symbol, parameters);                                      \
		host_call_begin(&call);                                                            \
		before;                                                                            \
		result = real arguments;                                                           \
		after;                                                                             \
		host_call_end(&call, api, result);                                                 \
		return result;                                                                     \
	}

#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments, before, after)               \
	CUresult wrapped_##symbol parameters;                                                      \
	CUresult wrapped_##symbol parameters HOST_BODY(                                            \
		symbol, parameters, arguments, API_DRIVER(ENTRY_##symbol), before,                 \
		after) static CUresult from_runtime_##symbol parameters                            \
	HOST_BODY(symbol, parameters, arguments, API_FROM_RUNTIME(ENTRY_##symbol), before, after)  \
		EXPORT_AS(wrapped_##symbol, symbol)
#include "preload/driver/host_calls.def"
#undef HOST_CALL

static const struct {
	void *wrapped, *from_runtime;
} wrappers[ENTRY_COUNT] = {
#define ENTRY(symbol, name, signature, version, default_stream)                                    \
	[ENTRY_##symbol] = {(void *)wrapped_##symbol, (void *)from_runtime_##symbol},
#include "preload/driver/entries.def"
#undef ENTRY
#define STATE(symbol, name, parameters, arguments, before, after)                                  \
	[ENTRY_##symbol] = {(void *)wrapped_##symbol, (void *)wrapped_##symbol},
#include "preload/driver/states.def"
#undef STATE
#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments, before, after)               \
	[ENTRY_##symbol] = {(void *)wrapped_##symbol, (void *)from_runtime_##symbol},
#include "preload/driver/host_calls.def"
#undef HOST_CALL
};

void *wrapper_of(enum driver_entry entry, bool for_runtime)
{
	return for_runtime ? wrappers[entry].from_runtime : wrappers[entry].wrapped;
}
