/* SPDX-License-Identifier: MIT */
/*
 * What the arguments of each signature say: which operation, in which stream, how many bytes. Runs
 * before the real call, on arguments that may be wrong: nothing here follows a pointer that the
 * driver would not follow too.
 */
#ifndef KTIME_PRELOAD_LAUNCH_DESCRIBE_H
#define KTIME_PRELOAD_LAUNCH_DESCRIBE_H

#include "preload/launch/call.h"

#define SYNCHRONOUS  true
#define ASYNCHRONOUS false

static inline void describe_stream(struct call *call, CUstream stream)
{
	call->stream = stream ? stream : call->default_stream;
}

static inline void describe_kernel(struct call *call, CUfunction function, CUstream stream)
{
	call->function = function;
	call->countable = true;
	describe_stream(call, stream);
}

static inline void describe_kernel_ex(struct call *call, const CUlaunchConfig *config,
				      CUfunction function)
{
	if (!config) {
		call->record.flags |= CALL_API_ONLY;
		return;
	}
	describe_kernel(call, function, config->hStream);
	for (unsigned i = 0; config->attrs && i < config->numAttrs; i++) {
		const CUlaunchAttribute *attribute = &config->attrs[i];

		/* The kernel may start before the one in front of it ends; an event between the
		 * two would take that away. */
		if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
			call->dependent |=
				attribute->value.programmaticStreamSerializationAllowed != 0;
		else if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
			call->dependent = true;
	}
	call->countable = !call->dependent;
}

/* The launches on the other devices are seen by CUPTI alone. */
static inline void describe_multi_device(struct call *call, const CUDA_LAUNCH_PARAMS *list,
					 unsigned devices)
{
	if (list && devices > 0)
		describe_kernel(call, list[0].function, list[0].hStream);
	else
		call->record.flags |= CALL_API_ONLY;
}

static inline void describe_graph(struct call *call, CUgraphExec exec, CUstream stream)
{
	call->graph = exec;
	call->countable = true;
	describe_stream(call, stream);
}

static inline void describe_call_only(struct call *call, CUstream stream)
{
	call->record.flags |= CALL_API_ONLY;
	describe_stream(call, stream);
}

static inline void describe_fixed(struct call *call, enum fixed_operation operation, uint64_t bytes,
				  CUstream stream)
{
	call->record.operation = operation_fixed(operation);
	call->record.bytes = bytes;
	describe_stream(call, stream);
}

static inline void describe_memset(struct call *call, uint64_t bytes, CUstream stream)
{
	describe_fixed(call, OPERATION_MEMSET, bytes, stream);
	if (bytes == 0)
		call->record.flags |= CALL_NO_ACTIVITY;
}

static inline void describe_movement(struct call *call, enum fixed_operation operation,
				     uint64_t bytes, CUstream stream)
{
	describe_fixed(call, operation, bytes, stream);
	call->record.flags |= CALL_NO_ACTIVITY;
}

static inline void describe_other(struct call *call, enum fixed_operation operation,
				  CUstream stream)
{
	describe_fixed(call, operation, 0, stream);
	call->record.flags |= CALL_NO_ACTIVITY;
}

static inline void describe_copy(struct call *call, enum fixed_operation operation, uint64_t bytes,
				 const void *host, CUstream stream, bool synchronous)
{
	describe_fixed(call, operation, bytes, stream);
	call->host = host;
	call->synchronous = synchronous;
	if (bytes == 0 || operation == OPERATION_COPY_HTOH)
		call->record.flags |= CALL_NO_ACTIVITY;
}

/* The kinds of memory on the two sides of a copy, as cuda.h numbers them. */
enum fixed_operation describe_direction(CUmemorytype source, CUmemorytype destination);
/* The side that an address is on: CU_MEMORYTYPE_HOST or _DEVICE. Asks the driver. */
CUmemorytype describe_side(CUdeviceptr pointer);
/* Whether a host's address is of memory that CUDA does not know. Asks the driver. */
bool describe_is_pageable(const void *host);

/* Between two addresses of devices, which may be two devices. Asks the driver where there are. */
void describe_copy_device(struct call *call, CUdeviceptr destination, CUdeviceptr source,
			  uint64_t bytes, CUstream stream);
void describe_copy_unified(struct call *call, CUdeviceptr destination, CUdeviceptr source,
			   uint64_t bytes, CUstream stream, bool synchronous);
void describe_copy_sides(struct call *call, CUmemorytype source, CUdeviceptr source_pointer,
			 const void *source_host, CUmemorytype destination,
			 CUdeviceptr destination_pointer, const void *destination_host,
			 uint64_t bytes, CUstream stream, bool synchronous);
void describe_copy_batch(struct call *call, const CUdeviceptr *destinations,
			 const CUdeviceptr *sources, const size_t *sizes, size_t count,
			 CUstream stream);
void describe_copy_3d_batch(struct call *call, const void *list, size_t count, CUstream stream);
void describe_decompress(struct call *call, const void *list, size_t count, CUstream stream);

/* The two- and three-dimensional forms differ in the width of their fields alone. */
#define describe_copy_shape(call, copy, bytes, stream, synchronous)                                \
	((copy) ? describe_copy_sides(call, (copy)->srcMemoryType, (copy)->srcDevice,              \
				      (copy)->srcHost, (copy)->dstMemoryType, (copy)->dstDevice,   \
				      (copy)->dstHost, bytes, stream, synchronous)                 \
		: (void)((call)->record.flags |= CALL_API_ONLY))

#define describe_copy_2d(call, copy, stream, synchronous)                                          \
	describe_copy_shape(call, copy, (uint64_t)(copy)->WidthInBytes *(copy)->Height, stream,    \
			    synchronous)

#define describe_copy_3d(call, copy, stream, synchronous)                                          \
	describe_copy_shape(call, copy,                                                            \
			    (uint64_t)(copy)->WidthInBytes *(copy)->Height *(copy)->Depth, stream, \
			    synchronous)

/* Between two contexts of one device it is a copy within the device, and CUPTI says so too. */
void describe_copy_peer(struct call *call, CUcontext destination, CUcontext source, uint64_t bytes,
			CUstream stream);

static inline void describe_copy_3d_peer(struct call *call, const CUDA_MEMCPY3D_PEER *copy,
					 CUstream stream)
{
	if (copy)
		describe_copy_peer(call, copy->dstContext, copy->srcContext,
				   (uint64_t)copy->WidthInBytes * copy->Height * copy->Depth,
				   stream);
	else
		call->record.flags |= CALL_API_ONLY;
}

static inline uint64_t sum_of_sizes(const size_t *sizes, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; sizes && i < count; i++)
		sum += sizes[i];
	return sum;
}

#endif
