/* SPDX-License-Identifier: MIT */
/*
 * Stream memory operations. Work is done in the order of the calls, so a wait finds all that was
 * written before it, and does not hold the stream for what is not.
 */
#include <string.h>

#include "tests/sim/driver/memory.h"
#include "tests/sim/driver/stream.h"

static CUresult submit(CUstream handle)
{
	struct operation operation = {.kind = OPERATION_STREAM_MEMORY};
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	return stream ? stream_submit(stream, &operation, false) : result;
}

static CUresult access_value(CUdeviceptr address, size_t size)
{
	return address % size || !memory_find((void *)address) ? CUDA_ERROR_INVALID_VALUE
							       : CUDA_SUCCESS;
}

/* value NULL: a wait. */
static CUresult value_operation(CUstream stream, CUdeviceptr address, const void *value,
				size_t size)
{
	CUresult result = access_value(address, size);

	if (result == CUDA_SUCCESS)
		result = submit(stream);
	if (result == CUDA_SUCCESS && value)
		memcpy((void *)address, value, size);
	return result;
}

#define VALUE_ENTRIES(name, value_t, written)                                                      \
	SIM_ENTRY_STREAM(                                                                          \
		name, _ptsz,                                                                       \
		(CUstream stream, CUdeviceptr address, value_t value, unsigned int flags),         \
		(stream, address, value, flags))                                                   \
	{                                                                                          \
		(void)flags;                                                                       \
		return value_operation(stream, address, written ? &value : NULL, sizeof(value));   \
	}                                                                                          \
	SIM_ENTRY_STREAM(                                                                          \
		name##_v2, _ptsz,                                                                  \
		(CUstream stream, CUdeviceptr address, value_t value, unsigned int flags),         \
		(stream, address, value, flags))                                                   \
	{                                                                                          \
		(void)flags;                                                                       \
		return value_operation(stream, address, written ? &value : NULL, sizeof(value));   \
	}

VALUE_ENTRIES(cuStreamWriteValue32, cuuint32_t, true)
VALUE_ENTRIES(cuStreamWriteValue64, cuuint64_t, true)
VALUE_ENTRIES(cuStreamWaitValue32, cuuint32_t, false)
VALUE_ENTRIES(cuStreamWaitValue64, cuuint64_t, false)

static CUresult check(const CUstreamBatchMemOpParams *one)
{
	switch (one->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		return access_value(one->writeValue.address, sizeof(cuuint32_t));
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return access_value(one->writeValue.address, sizeof(cuuint64_t));
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
	case CU_STREAM_MEM_OP_BARRIER:
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult batch(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
		      unsigned int flags)
{
	CUresult result =
		!count || count > 256 || !list || flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;

	for (unsigned int i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = check(&list[i]);
	if (result == CUDA_SUCCESS)
		result = submit(stream);
	for (unsigned int i = 0; i < count && result == CUDA_SUCCESS; i++) {
		if (list[i].operation == CU_STREAM_MEM_OP_WRITE_VALUE_32)
			*(cuuint32_t *)list[i].writeValue.address = list[i].writeValue.value;
		else if (list[i].operation == CU_STREAM_MEM_OP_WRITE_VALUE_64)
			*(cuuint64_t *)list[i].writeValue.address = list[i].writeValue.value64;
	}
	return result;
}

SIM_ENTRY_STREAM(cuStreamBatchMemOp, _ptsz,
		 (CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
		  unsigned int flags),
		 (stream, count, list, flags))
{
	return batch(stream, count, list, flags);
}

SIM_ENTRY_STREAM(cuStreamBatchMemOp_v2, _ptsz,
		 (CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
		  unsigned int flags),
		 (stream, count, list, flags))
{
	return batch(stream, count, list, flags);
}
