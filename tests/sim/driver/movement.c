/* SPDX-License-Identifier: MIT */
/* What moves managed memory, and what is said about it. */
#include "tests/sim/driver/copy.h"

static CUresult move(size_t bytes, bool transfers, CUstream handle)
{
	struct operation operation = {
		.kind = OPERATION_MOVEMENT,
		.bytes = bytes,
		.asynchronous = true,
		.u.movement = {transfers},
	};
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	return stream ? stream_submit(stream, &operation, false) : result;
}

static CUresult prefetch(CUdeviceptr address, size_t bytes, CUstream stream)
{
	const struct allocation *allocation = memory_find((void *)address);

	if (!bytes || !allocation || allocation->kind != MEMORY_MANAGED ||
	    !copy_in_bounds(address, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	return move(bytes, true, stream);
}

SIM_ENTRY_STREAM(cuMemPrefetchAsync, _ptsz,
		 (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream),
		 (address, bytes, device, stream))
{
	if (device != CU_DEVICE_CPU && !context_device_valid(device))
		return CUDA_ERROR_INVALID_DEVICE;
	return prefetch(address, bytes, stream);
}

SIM_ENTRY_STREAM(cuMemPrefetchAsync_v2, _ptsz,
		 (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
		  CUstream stream),
		 (address, bytes, location, flags, stream))
{
	if (flags ||
	    (location.type == CU_MEM_LOCATION_TYPE_DEVICE && !context_device_valid(location.id)))
		return CUDA_ERROR_INVALID_VALUE;
	return prefetch(address, bytes, stream);
}

/* One piece of work for the whole batch. */
static CUresult move_batch(const CUdeviceptr *addresses, const size_t *bytes, size_t count,
			   unsigned long long flags, bool transfers, CUstream stream)
{
	size_t total = 0;

	if (!count || !addresses || !bytes || flags)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		const struct allocation *allocation = memory_find((void *)addresses[i]);

		if (!bytes[i] || !allocation || allocation->kind != MEMORY_MANAGED)
			return CUDA_ERROR_INVALID_VALUE;
		total += bytes[i];
	}
	return move(total, transfers, stream);
}

SIM_ENTRY_STREAM(cuMemPrefetchBatchAsync, _ptsz,
		 (CUdeviceptr * addresses, size_t *bytes, size_t count, CUmemLocation *locations,
		  size_t *location_indices, size_t location_count, unsigned long long flags,
		  CUstream stream),
		 (addresses, bytes, count, locations, location_indices, location_count, flags,
		  stream))
{
	(void)location_indices;
	if (!locations || !location_count)
		return CUDA_ERROR_INVALID_VALUE;
	return move_batch(addresses, bytes, count, flags, true, stream);
}

SIM_ENTRY_STREAM(cuMemDiscardBatchAsync, _ptsz,
		 (CUdeviceptr * addresses, size_t *bytes, size_t count, unsigned long long flags,
		  CUstream stream),
		 (addresses, bytes, count, flags, stream))
{
	return move_batch(addresses, bytes, count, flags, false, stream);
}

SIM_ENTRY_STREAM(cuMemDiscardAndPrefetchBatchAsync, _ptsz,
		 (CUdeviceptr * addresses, size_t *bytes, size_t count, CUmemLocation *locations,
		  size_t *location_indices, size_t location_count, unsigned long long flags,
		  CUstream stream),
		 (addresses, bytes, count, locations, location_indices, location_count, flags,
		  stream))
{
	(void)location_indices;
	if (!locations || !location_count)
		return CUDA_ERROR_INVALID_VALUE;
	return move_batch(addresses, bytes, count, flags, true, stream);
}

/* Takes its time, and leaves the memory as it is. */
SIM_ENTRY_STREAM(cuMemBatchDecompressAsync, _ptsz,
		 (CUmemDecompressParams * parameters, size_t count, unsigned int flags,
		  size_t *failed, CUstream stream),
		 (parameters, count, flags, failed, stream))
{
	size_t total = 0;

	(void)failed;
	if (!parameters || !count || flags)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++)
		total += parameters[i].dstNumBytes;
	return move(total, false, stream);
}

static CUresult advise(CUdeviceptr address, size_t bytes)
{
	return bytes && memory_find((void *)address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY(cuMemAdvise, (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device),
	  (address, bytes, advice, device))
{
	(void)advice;
	(void)device;
	return advise(address, bytes);
}

SIM_ENTRY(cuMemAdvise_v2,
	  (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location),
	  (address, bytes, advice, location))
{
	(void)advice;
	(void)location;
	return advise(address, bytes);
}

SIM_ENTRY_STREAM(cuStreamAttachMemAsync, _ptsz,
		 (CUstream handle, CUdeviceptr address, size_t bytes, unsigned int flags),
		 (handle, address, bytes, flags))
{
	CUresult result;

	(void)bytes;
	(void)flags;
	if (!stream_of(handle, &result))
		return result;
	return memory_find((void *)address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
