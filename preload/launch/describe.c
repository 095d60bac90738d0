/* SPDX-License-Identifier: MIT */
#include "preload/launch/describe.h"

#include "preload/handles/operation.h"

void describe_copy_device(struct call *call, CUdeviceptr destination, CUdeviceptr source,
			  uint64_t bytes, CUstream stream)
{
	describe_copy(call, copy_between_devices(destination, source), bytes, NULL, stream,
		      ASYNCHRONOUS);
}

void describe_copy_ends(struct call *call, struct copy_end source, struct copy_end destination,
			uint64_t bytes, CUstream stream, bool synchronous)
{
	enum fixed_operation direction = copy_direction(&source, &destination);
	const void *host = source.type == CU_MEMORYTYPE_HOST	    ? source.host
			   : destination.type == CU_MEMORYTYPE_HOST ? destination.host
								    : NULL;

	/* A copy within the device does not block the host, even if it is synchronous. */
	describe_copy(call, direction, bytes, host, stream, synchronous && host);
}

void describe_copy_unified(struct call *call, CUdeviceptr destination, CUdeviceptr source,
			   uint64_t bytes, CUstream stream, bool synchronous)
{
	describe_copy_ends(call, (struct copy_end){CU_MEMORYTYPE_UNIFIED, source, NULL},
			   (struct copy_end){CU_MEMORYTYPE_UNIFIED, destination, NULL}, bytes,
			   stream, synchronous);
}

void describe_copy_peer(struct call *call, CUcontext destination, CUcontext source, uint64_t bytes,
			CUstream stream)
{
	/* Without asking the driver, which may crash on an invalid handle. */
	struct context *to = context_known(destination), *from = context_known(source);
	bool peers = destination != source && (!to || !from || to->device != from->device);

	describe_copy(call, peers ? OPERATION_COPY_PTOP : OPERATION_COPY_DTOD, bytes, NULL, stream,
		      ASYNCHRONOUS);
}

/* A batch is one operation, named after the direction of its first copy, while CUPTI makes a record
 * of each copy in it: so a batch of several is not matched with records. */
void describe_copy_batch(struct call *call, const CUdeviceptr *destinations,
			 const CUdeviceptr *sources, const size_t *sizes, size_t count,
			 CUstream stream)
{
	if (count > 0 && destinations && sources)
		describe_copy_unified(call, destinations[0], sources[0], sum_of_sizes(sizes, count),
				      stream, ASYNCHRONOUS);
	else
		call->record.flags |= CALL_API_ONLY;
	if (count > 1)
		call->record.flags |= CALL_NO_ACTIVITY;
}

/* CUDA_MEMCPY3D_BATCH_OP as in CUDA 12.8; older toolkits do not declare it. */
struct batch_copy {
	struct batch_operand {
		uint32_t type;
		uint64_t pointer; /* or array handle */
		uint64_t rest[3];
	} source, destination;
	size_t width, height, depth;
	uint32_t order, flags;
};

#if CUDA_VERSION >= 12080
_Static_assert(sizeof(struct batch_copy) == sizeof(CUDA_MEMCPY3D_BATCH_OP), "layout");
_Static_assert(offsetof(struct batch_copy, width) == offsetof(CUDA_MEMCPY3D_BATCH_OP, extent),
	       "layout");
#endif

/* CU_MEMCPY_OPERAND_TYPE_ARRAY is 2; 1 is a pointer, to any memory. Older toolkits declare
 * neither. */
static struct copy_end operand(const struct batch_operand *of)
{
	return (struct copy_end){of->type == 2 ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
				 of->pointer, NULL};
}

void describe_copy_3d_batch(struct call *call, const void *list, size_t count, CUstream stream)
{
	const struct batch_copy *copies = list;
	uint64_t bytes = 0;

	if (!copies || count == 0) {
		call->record.flags |= CALL_API_ONLY;
		return;
	}
	for (size_t i = 0; i < count; i++)
		bytes += (uint64_t)copies[i].width * copies[i].height * copies[i].depth;
	describe_copy_ends(call, operand(&copies[0].source), operand(&copies[0].destination), bytes,
			   stream, ASYNCHRONOUS);
	if (count > 1)
		call->record.flags |= CALL_NO_ACTIVITY;
}

/* CUmemDecompressParams as in CUDA 12.8; older toolkits do not declare it. */
struct decompression {
	size_t source_bytes, destination_bytes;
	uint64_t rest[6];
};

#if CUDA_VERSION >= 12080
_Static_assert(sizeof(struct decompression) == sizeof(CUmemDecompressParams), "layout");
_Static_assert(offsetof(struct decompression, destination_bytes) ==
		       offsetof(CUmemDecompressParams, dstNumBytes),
	       "layout");
#endif

/* Counts the decompressed bytes. */
void describe_decompress(struct call *call, const void *list, size_t count, CUstream stream)
{
	const struct decompression *parts = list;
	uint64_t bytes = 0;

	for (size_t i = 0; parts && i < count; i++)
		bytes += parts[i].destination_bytes;
	describe_unrecorded(call, OPERATION_DECOMPRESS, bytes, stream);
}
