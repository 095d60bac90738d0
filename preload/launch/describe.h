/* SPDX-License-Identifier: MIT */
/*
 * Reads from a call's arguments which operation it starts, in which stream, and of how many bytes.
 * Runs before the real call, so arguments may be invalid: nothing here dereferences a pointer that
 * the driver would not dereference too. For the calling thread.
 */
#ifndef KTIME_PRELOAD_LAUNCH_DESCRIBE_H
#define KTIME_PRELOAD_LAUNCH_DESCRIBE_H

#include "preload/handles/operation.h"
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
	call->countable = call->asynchronous = true;
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

		/* The kernel may start before the one ahead of it ends, which an event between the
		 * two would prevent. */
		if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
			call->dependent |=
				attribute->value.programmaticStreamSerializationAllowed != 0;
		else if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
			call->dependent = true;
	}
	call->countable = !call->dependent;
}

/* Describes the launch on the first device; only CUPTI records those on the others. */
static inline void describe_multi_device(struct call *call, const CUDA_LAUNCH_PARAMS *list,
					 unsigned devices)
{
	if (list && devices > 0)
		describe_kernel(call, list[0].function, list[0].hStream);
	else
		call->record.flags |= CALL_API_ONLY;
	/* It may wait for the streams of the other devices. */
	call->asynchronous = call->countable = false;
}

static inline void describe_graph(struct call *call, CUgraphExec exec, CUstream stream)
{
	call->graph = exec;
	call->countable = call->asynchronous = true;
	describe_stream(call, stream);
}

/* An API row, but no operation. */
static inline void describe_call_only(struct call *call, CUstream stream)
{
	call->record.flags |= CALL_API_ONLY;
	describe_stream(call, stream);
}

/* The same for a call that allocates or frees memory in the order of the stream: see enum
 * pool_call. */
static inline void describe_pool_call(struct call *call, enum pool_call pool, const void *host,
				      uint64_t bytes, CUstream stream)
{
	describe_call_only(call, stream);
	call->pool = (uint8_t)pool;
	call->host = host;
	call->record.bytes = bytes;
}

static inline void describe_fixed(struct call *call, enum fixed_operation operation, uint64_t bytes,
				  CUstream stream)
{
	call->record.operation = operation_fixed(operation);
	call->record.bytes = bytes;
	describe_stream(call, stream);
}

/* A copy or memset; an empty one does nothing on the device. */
static inline void describe_sized(struct call *call, enum fixed_operation operation, uint64_t bytes,
				  CUstream stream)
{
	describe_fixed(call, operation, bytes, stream);
	call->countable = bytes != 0;
	if (bytes == 0)
		call->record.flags |= CALL_NO_ACTIVITY;
}

/* An operation that CUPTI makes no activity record of. */
static inline void describe_unrecorded(struct call *call, enum fixed_operation operation,
				       uint64_t bytes, CUstream stream)
{
	describe_fixed(call, operation, bytes, stream);
	call->record.flags |= CALL_NO_ACTIVITY;
}

static inline void describe_copy(struct call *call, enum fixed_operation operation, uint64_t bytes,
				 const void *host, CUstream stream, bool synchronous)
{
	describe_sized(call, operation, bytes, stream);
	call->host = host;
	call->synchronous = synchronous;
	if (operation == OPERATION_COPY_HTOH)
		call->record.flags |= CALL_NO_ACTIVITY;
}

/* A copy between two device addresses. Asks the driver for their devices if several are in use. */
void describe_copy_device(struct call *call, CUdeviceptr destination, CUdeviceptr source,
			  uint64_t bytes, CUstream stream);
/* A copy between addresses of any memory, which the driver is asked for. */
void describe_copy_unified(struct call *call, CUdeviceptr destination, CUdeviceptr source,
			   uint64_t bytes, CUstream stream, bool synchronous);
/* A copy between two memory types; the addresses that belong to other types are ignored. */
void describe_copy_ends(struct call *call, struct copy_end source, struct copy_end destination,
			uint64_t bytes, CUstream stream, bool synchronous);
void describe_copy_batch(struct call *call, const CUdeviceptr *destinations,
			 const CUdeviceptr *sources, const size_t *sizes, size_t count,
			 CUstream stream);
void describe_copy_3d_batch(struct call *call, const void *list, size_t count, CUstream stream);
void describe_decompress(struct call *call, const void *list, size_t count, CUstream stream);

/* Macros, because the versions of CUDA_MEMCPY2D and CUDA_MEMCPY3D differ in their members'
 * types. */
#define describe_copy_shape(call, copy, bytes, stream, synchronous)                                \
	((copy) ? describe_copy_ends(call,                                                         \
				     (struct copy_end){(copy)->srcMemoryType, (copy)->srcDevice,   \
						       (copy)->srcHost},                           \
				     (struct copy_end){(copy)->dstMemoryType, (copy)->dstDevice,   \
						       (copy)->dstHost},                           \
				     bytes, stream, synchronous)                                   \
		: (void)((call)->record.flags |= CALL_API_ONLY))
#define describe_copy_2d(call, copy, stream, synchronous)                                          \
	describe_copy_shape(call, copy, (uint64_t)(copy)->WidthInBytes *(copy)->Height, stream,    \
			    synchronous)

#define describe_copy_3d(call, copy, stream, synchronous)                                          \
	describe_copy_shape(call, copy,                                                            \
			    (uint64_t)(copy)->WidthInBytes *(copy)->Height *(copy)->Depth, stream, \
			    synchronous)

/* A copy between two contexts; if they are of one device, it is a copy within that device, as in
 * CUPTI's records. */
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
