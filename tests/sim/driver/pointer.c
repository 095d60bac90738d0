/* SPDX-License-Identifier: MIT */
/* What the driver tells of a pointer. */
#include "tests/sim/driver/memory.h"

/* CUDA_ERROR_NOT_SUPPORTED for attributes that the simulation does not model. */
static CUresult attribute_of(const struct allocation *allocation, CUdeviceptr pointer,
			     CUpointer_attribute attribute, void *data)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)data = (CUcontext)allocation->context;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned int *)data = allocation->kind == MEMORY_PINNED ? CU_MEMORYTYPE_HOST
									  : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)data = pointer;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(void **)data = allocation->kind == MEMORY_DEVICE ? NULL : (void *)pointer;
		return allocation->kind == MEMORY_DEVICE ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(unsigned long long *)data = allocation->id;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned int *)data = allocation->kind == MEMORY_MANAGED;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)data = allocation->device;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)data = (CUdeviceptr)allocation->address;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)data = allocation->bytes;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(unsigned int *)data = 1;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* What cuPointerGetAttributes writes for memory that it does not know. */
static CUresult attribute_of_pageable(CUpointer_attribute attribute, void *data)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(unsigned int *)data = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)data = -2; /* as the driver does */
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(uint64_t *)data = 0;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuPointerGetAttribute,
		  (void *data, CUpointer_attribute attribute, CUdeviceptr pointer),
		  (data, attribute, pointer))
{
	const struct allocation *allocation = memory_find((void *)pointer);

	return allocation ? attribute_of(allocation, pointer, attribute, data)
			  : CUDA_ERROR_INVALID_VALUE;
}

/* Unlike the singular, no error for memory that CUDA does not know. */
SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuPointerGetAttributes,
		  (unsigned int count, CUpointer_attribute *attributes, void **data,
		   CUdeviceptr pointer),
		  (count, attributes, data, pointer))
{
	const struct allocation *allocation = memory_find((void *)pointer);
	CUresult result = CUDA_SUCCESS;

	for (unsigned int i = 0; i < count && result == CUDA_SUCCESS; i++) {
		result = allocation ? attribute_of(allocation, pointer, attributes[i], data[i])
				    : attribute_of_pageable(attributes[i], data[i]);
		if (attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER)
			result = CUDA_SUCCESS;
	}
	return result;
}
