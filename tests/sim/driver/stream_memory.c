/* SPDX-License-Identifier: MIT */
/*
 * Stream memory operations. Work is done in the order of the calls, so a wait finds all that was
 * written before it, and holds its stream for what is not. What a batch writes before such a wait
 * is written when the device comes there, as hold.h says.
 */
#include <string.h>

#include "tests/sim/driver/capture.h"
#include "tests/sim/driver/memory.h"
#include "tests/sim/driver/stream.h"

enum {
	BATCH_MOST = 256,
};

static CUresult submit(CUstream handle, bool waits)
{
	struct operation operation = {.kind = OPERATION_STREAM_MEMORY, .u.stream_memory = {waits}};
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
		result = submit(stream, false);
	if (result == CUDA_SUCCESS)
		hold_do_write(&(struct hold_write){(void *)address, value, size});
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
		return submit(handle, true);
	if (sim_setting("SIM_NO_HOLD", 0))
		return CUDA_SUCCESS;
	result = capture_allows(stream);
	return result == CUDA_SUCCESS ? stream_hold(stream, &wait, NULL, 0) : result;
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

/* A batch on its way through its operations: `writes` are those since the last wait that holds the
 * stream. */
struct batch {
	struct stream *stream;
	struct hold_write writes[BATCH_MOST];
	size_t write_count;
	bool waits; /* it has a wait; and one for something that is not there yet */
	bool holds;
};

static void add_write(struct batch *batch, CUdeviceptr address, uint64_t value, size_t size)
{
	batch->writes[batch->write_count++] = (struct hold_write){(void *)address, value, size};
}

static CUresult add_wait(struct batch *batch, CUdeviceptr address, uint64_t value,
			 unsigned int flags, size_t size)
{
	struct hold_wait wait = {(const void *)address, value, flags, size}, now = wait;
	CUresult result;

	for (size_t i = 0; i < batch->write_count; i++)
		if (batch->writes[i].address == wait.address)
			now.address = &batch->writes[i].value;
	batch->waits = true;
	if (batch->stream->capture || hold_satisfied(&now))
		return CUDA_SUCCESS;
	batch->holds = true;
	if (sim_setting("SIM_NO_HOLD", 0))
		return CUDA_SUCCESS;
	result = stream_hold(batch->stream, &wait, batch->writes, batch->write_count);
	batch->write_count = 0;
	return result;
}

static CUresult add(struct batch *batch, const CUstreamBatchMemOpParams *one)
{
	switch (one->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		return add_wait(batch, one->waitValue.address, one->waitValue.value,
				one->waitValue.flags, sizeof(cuuint32_t));
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		return add_wait(batch, one->waitValue.address, one->waitValue.value64,
				one->waitValue.flags, sizeof(cuuint64_t));
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		add_write(batch, one->writeValue.address, one->writeValue.value,
			  sizeof(cuuint32_t));
		return CUDA_SUCCESS;
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		add_write(batch, one->writeValue.address, one->writeValue.value64,
			  sizeof(cuuint64_t));
		return CUDA_SUCCESS;
	default:
		return CUDA_SUCCESS;
	}
}

/* As a single wait, one that holds its stream costs no time but that. */
static CUresult batch(CUstream handle, unsigned int count, CUstreamBatchMemOpParams *list,
		      unsigned int flags)
{
	CUresult result = !count || count > BATCH_MOST || !list || flags ? CUDA_ERROR_INVALID_VALUE
									 : CUDA_SUCCESS;
	struct batch batch = {.write_count = 0};

	for (unsigned int i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = check(&list[i]);
	if (result != CUDA_SUCCESS)
		return result;
	batch.stream = stream_of(handle, &result);
	if (batch.stream)
		result = capture_allows(batch.stream);
	for (unsigned int i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = add(&batch, &list[i]);
	if (result == CUDA_SUCCESS && !batch.holds)
		result = submit(handle, batch.waits);
	for (size_t i = 0; i < batch.write_count && result == CUDA_SUCCESS; i++)
		hold_do_write(&batch.writes[i]);
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
