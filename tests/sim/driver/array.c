/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/array.h"

static struct handle_pool arrays = HANDLE_POOL(struct array);

struct array *array_get(CUarray handle)
{
	return handle_get(&arrays, handle);
}

static size_t format_bytes(CUarray_format format)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	default:
		return 4;
	}
}

static CUresult create(CUarray *handle, const CUDA_ARRAY3D_DESCRIPTOR *description)
{
	size_t rows = description->Height ? description->Height : 1;
	size_t slices = description->Depth ? description->Depth : 1;
	struct array *array;

	if (!handle || !description->Width)
		return CUDA_ERROR_INVALID_VALUE;
	array = handle_create(&arrays);
	if (!array)
		return CUDA_ERROR_OUT_OF_MEMORY;
	array->description = *description;
	array->element_bytes = format_bytes(description->Format) * description->NumChannels;
	array->pitch = array->element_bytes * description->Width;
	array->allocation = memory_allocate(MEMORY_ARRAY, array->pitch * rows * slices);
	if (!array->allocation) {
		handle_destroy(array);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	truth_hold(array->allocation, TRUTH_ARRAY);
	*handle = (CUarray)array;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuArray3DCreate_v2, (CUarray * handle, const CUDA_ARRAY3D_DESCRIPTOR *description),
	  (handle, description))
{
	return create(handle, description);
}

SIM_ENTRY(cuArrayCreate_v2, (CUarray * handle, const CUDA_ARRAY_DESCRIPTOR *description),
	  (handle, description))
{
	return create(handle, &(CUDA_ARRAY3D_DESCRIPTOR){
				      .Width = description->Width,
				      .Height = description->Height,
				      .Format = description->Format,
				      .NumChannels = description->NumChannels,
			      });
}

SIM_ENTRY(cuArrayDestroy, (CUarray handle), (handle))
{
	struct array *array = array_get(handle);

	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	memory_free(array->allocation);
	handle_destroy(array);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR * description, CUarray handle),
	  (description, handle))
{
	struct array *array = array_get(handle);

	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	*description = array->description;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR * description, CUarray handle),
	  (description, handle))
{
	struct array *array = array_get(handle);

	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	*description = (CUDA_ARRAY_DESCRIPTOR){
		.Width = array->description.Width,
		.Height = array->description.Height,
		.Format = array->description.Format,
		.NumChannels = array->description.NumChannels,
	};
	return CUDA_SUCCESS;
}

static size_t at_least_one(size_t extent)
{
	return extent ? extent : 1;
}

/* Without levels to work with: they are only held. */
SIM_ENTRY(cuMipmappedArrayCreate,
	  (CUmipmappedArray * handle, const CUDA_ARRAY3D_DESCRIPTOR *description,
	   unsigned int levels),
	  (handle, description, levels))
{
	struct array *array = description->Width && levels ? handle_create(&arrays) : NULL;
	size_t elements = 0;

	if (!array)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int level = 0; level < levels; level++)
		elements += at_least_one(description->Width >> level) *
			    at_least_one(description->Height >> level) *
			    at_least_one(description->Depth >> level);
	array->allocation =
		memory_allocate(MEMORY_ARRAY, elements * description->NumChannels *
						      format_bytes(description->Format));
	if (!array->allocation) {
		handle_destroy(array);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	truth_hold(array->allocation, TRUTH_ARRAY);
	*handle = (CUmipmappedArray)array;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMipmappedArrayDestroy, (CUmipmappedArray handle), (handle))
{
	struct array *array = array_get((CUarray)handle);

	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	memory_free(array->allocation);
	handle_destroy(array);
	return CUDA_SUCCESS;
}
