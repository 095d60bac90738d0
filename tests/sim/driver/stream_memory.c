/* SPDX-License-Identifier: MIT */
/*
 * Stream memory operations. Work is done in the order of the calls, so a wait finds all that was
 * written before it; a single one holds its stream for what is not, one in a batch does not.
 */
#include <string.h>

#include "tests/sim/driver/capture.h"
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

static CUresult write_value(CUstream stream, CUdeviceptr address, uint64_t value,
			    unsigned int flags, size_t size)
{
	CUresult result = access_value(address, size);

	(void)flags;
	if (result == CUDA_SUCCESS)
		result = submit(stream);
	if (result == CUDA_SUCCESS && size == sizeof(cuuint32_t))
		__atomic_store_n((cuuint32_t *)address, (cuuint32_t)value, __ATOMIC_RELEASE);
	else if (result == CUDA_SUCCESS)
		__atomic_store_n((cuuint64_t *)address, value, __ATOMIC_RELEASE);
	return result;
}

/* One that holds its stream costs no time but that: see timeline.h. */
static CUresult wait_value(CUstream handle, CUdeviceptr address, uint64_t value, unsigned int flags,
			   size_t size)
{
	struct hold_wait wait = {(const void *)address, value, flags, size};
	CUresult result = access_value(address, size);
	struct stream *stream;

	if (result != CUDA_SUCCESS)
		return result;
	stream = stream_of(handle, &result);
	if (!stream)
		return result;
	if (stream->capture || hold_satisfied(&wait))
		return submit(handle);
	if (sim_setting("SIM_NO_HOLD", 0))
		return CUDA_SUCCESS;
	result = capture_allows(stream);
	return result == CUDA_SUCCESS ? stream_hold(stream, &wait) : result;
}

#define VALUE_ENTRIES(name, value_t, operation)                                                    \
	SIM_ENTRY_STREAM(                                                                          \
		name, _ptsz,                                                                       \
		(CUstream stream, CUdeviceptr address, value_t value, unsigned int flags),         \
		(stream, address, value, flags))                                                   \
	{                                                                                          \
		return operation(stream, address, value, flags, sizeof(value));                    \
	}                                                                                          \
	SIM_ENTRY_STREAM(                                                                          \
		name##_v2, _ptsz,                                                                  \
		(CUstream stream, CUdeviceptr address, value_t value, unsigned int flags),         \
		(stream, address, value, flags))                                                   \
	{                                                                                          \
		return operation(stream, address, value, flags, sizeof(value));                    \
	}

VALUE_ENTRIES(cuStreamWriteValue32, cuuint32_t, write_value)
VALUE_ENTRIES(cuStreamWriteValue64, cuuint64_t, write_value)
VALUE_ENTRIES(cuStreamWaitValue32, cuuint32_t, wait_value)
VALUE_ENTRIES(cuStreamWaitValue64, cuuint64_t, wait_value)

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
