/* SPDX-License-Identifier: MIT */
/* Physical memory and its addresses. Nothing can be stored at these: programs only map them. */
#include <stdlib.h>

#include "tests/sim/driver/handle.h"
#include "tests/sim/driver/memory.h"

enum {
	GRANULE = 2 << 20,
};

struct physical {
	struct handle handle;
	struct allocation *allocation;
	unsigned int references, mappings;
};

struct mapping {
	CUdeviceptr address;
	size_t bytes;
	struct physical *physical;
	struct mapping *next;
};

static struct handle_pool physicals = HANDLE_POOL(struct physical);
static struct mapping *mappings;

static void end_if_unused(struct physical *physical)
{
	if (physical->references || physical->mappings)
		return;
	memory_free(physical->allocation);
	handle_destroy(physical);
}

static struct physical *physical_of(CUmemGenericAllocationHandle handle)
{
	struct physical *physical = handle_get(&physicals, (void *)(uintptr_t)handle);

	return physical && physical->references ? physical : NULL;
}

SIM_ENTRY(cuMemGetAllocationGranularity,
	  (size_t * granularity, const CUmemAllocationProp *properties,
	   CUmemAllocationGranularity_flags option),
	  (granularity, properties, option))
{
	(void)option;
	*granularity = GRANULE;
	return properties ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY(cuMemCreate,
	  (CUmemGenericAllocationHandle * handle, size_t bytes,
	   const CUmemAllocationProp *properties, unsigned long long flags),
	  (handle, bytes, properties, flags))
{
	struct physical *physical;
	bool host;

	(void)flags;
	if (!handle || !properties || !bytes || bytes % GRANULE)
		return CUDA_ERROR_INVALID_VALUE;
	host = properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE;
	physical = handle_create(&physicals);
	if (!physical)
		return CUDA_ERROR_OUT_OF_MEMORY;
	physical->allocation = memory_allocate(host ? MEMORY_PINNED : MEMORY_DEVICE, bytes);
	if (!physical->allocation) {
		handle_destroy(physical);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	physical->allocation->context = NULL;
	physical->references = 1;
	truth_hold(physical->allocation, host ? TRUTH_PINNED : TRUTH_VIRTUAL);
	*handle = (CUmemGenericAllocationHandle)(uintptr_t)physical;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemRelease, (CUmemGenericAllocationHandle handle), (handle))
{
	struct physical *physical = physical_of(handle);

	if (!physical)
		return CUDA_ERROR_INVALID_VALUE;
	physical->references--;
	end_if_unused(physical);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle * handle, void *address),
	  (handle, address))
{
	for (struct mapping *mapping = mappings; mapping; mapping = mapping->next)
		if ((CUdeviceptr)address - mapping->address < mapping->bytes) {
			mapping->physical->references++;
			*handle = (CUmemGenericAllocationHandle)(uintptr_t)mapping->physical;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_VALUE;
}

SIM_ENTRY(cuMemAddressReserve,
	  (CUdeviceptr * address, size_t bytes, size_t alignment, CUdeviceptr wanted,
	   unsigned long long flags),
	  (address, bytes, alignment, wanted, flags))
{
	static CUdeviceptr next = 0x500000000000;

	(void)alignment, (void)wanted, (void)flags;
	*address = next;
	next += bytes;
	return bytes % GRANULE ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SIM_ENTRY(cuMemAddressFree, (CUdeviceptr address, size_t bytes), (address, bytes))
{
	(void)address, (void)bytes;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemMap,
	  (CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
	   unsigned long long flags),
	  (address, bytes, offset, handle, flags))
{
	struct physical *physical = physical_of(handle);
	struct mapping *mapping = calloc(1, sizeof(*mapping));

	(void)offset, (void)flags;
	if (!physical || !mapping) {
		free(mapping);
		return CUDA_ERROR_INVALID_VALUE;
	}
	*mapping = (struct mapping){address, bytes, physical, mappings};
	mappings = mapping;
	physical->mappings++;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemUnmap, (CUdeviceptr address, size_t bytes), (address, bytes))
{
	CUresult result = CUDA_ERROR_INVALID_VALUE;
	struct mapping **link = &mappings, *mapping;

	while ((mapping = *link)) {
		if (mapping->address - address >= bytes) {
			link = &mapping->next;
			continue;
		}
		*link = mapping->next;
		mapping->physical->mappings--;
		end_if_unused(mapping->physical);
		free(mapping);
		result = CUDA_SUCCESS;
	}
	return result;
}

SIM_ENTRY(cuMemSetAccess,
	  (CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count),
	  (address, bytes, access, count))
{
	(void)address, (void)bytes, (void)count;
	return access ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
