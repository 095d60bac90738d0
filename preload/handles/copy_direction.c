/* SPDX-License-Identifier: MIT */
#include "preload/handles/copy_direction.h"

#include <errno.h>

#include "preload/handles/stream.h"

/* The type of memory at an address; 0 for pageable memory, which CUDA does not know. */
static CUmemorytype memory_type(CUdeviceptr pointer)
{
	CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
	CUmemorytype type = 0;
	void *data = &type;
	int saved_errno = errno;

	/* cuPointerGetAttribute would fail for pageable memory. */
	if (driver.cuPointerGetAttributes(1, &attribute, &data, pointer) != CUDA_SUCCESS)
		type = 0;
	errno = saved_errno;
	return type;
}

CUmemorytype copy_side(CUdeviceptr pointer)
{
	return memory_type(pointer) == CU_MEMORYTYPE_DEVICE ? CU_MEMORYTYPE_DEVICE
							    : CU_MEMORYTYPE_HOST;
}

bool copy_is_pageable(const void *host)
{
	return memory_type((CUdeviceptr)(uintptr_t)host) == 0;
}

/* The device of the memory at an address; -1 for host memory and for managed memory, which
 * migrates. */
static int device_of(CUdeviceptr pointer)
{
	CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
					    CU_POINTER_ATTRIBUTE_IS_MANAGED};
	unsigned managed = 0;
	int device = -1;
	void *data[] = {&device, &managed};
	int saved_errno = errno;

	if (driver.cuPointerGetAttributes(2, attributes, data, pointer) != CUDA_SUCCESS || managed)
		device = -1;
	errno = saved_errno;
	return device;
}

/* All devices share one address space, so any copy between two device addresses may be one between
 * two devices; CUPTI reports that as a peer copy. */
enum fixed_operation copy_between_devices(CUdeviceptr destination, CUdeviceptr source)
{
	int to, from;

	if (!context_several_devices())
		return OPERATION_COPY_DTOD;
	to = device_of(destination);
	from = device_of(source);
	return to >= 0 && from >= 0 && to != from ? OPERATION_COPY_PTOP : OPERATION_COPY_DTOD;
}

enum fixed_operation copy_between_types(CUmemorytype source, CUmemorytype destination)
{
	static const enum fixed_operation directions[3][3] = {
		/* to: host, device, array; from: a row each */
		{OPERATION_COPY_HTOH, OPERATION_COPY_HTOD, OPERATION_COPY_HTOA},
		{OPERATION_COPY_DTOH, OPERATION_COPY_DTOD, OPERATION_COPY_DTOA},
		{OPERATION_COPY_ATOH, OPERATION_COPY_ATOD, OPERATION_COPY_ATOA},
	};
	unsigned from = source - CU_MEMORYTYPE_HOST;
	unsigned to = destination - CU_MEMORYTYPE_HOST;

	/* A type unknown to cuda.h: the driver will refuse the call. */
	return from < 3 && to < 3 ? directions[from][to] : OPERATION_COPY_HTOH;
}

enum fixed_operation copy_direction(CUmemorytype source, CUdeviceptr source_pointer,
				    CUmemorytype destination, CUdeviceptr destination_pointer)
{
	enum fixed_operation direction;

	if (source == CU_MEMORYTYPE_UNIFIED)
		source = copy_side(source_pointer);
	if (destination == CU_MEMORYTYPE_UNIFIED)
		destination = copy_side(destination_pointer);
	direction = copy_between_types(source, destination);
	return direction == OPERATION_COPY_DTOD
		       ? copy_between_devices(destination_pointer, source_pointer)
		       : direction;
}
