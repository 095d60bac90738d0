/* SPDX-License-Identifier: MIT */
/* Batches of copies. They refuse the legacy stream, and streams that capture. */
#include "tests/sim/driver/array.h"
#include "tests/sim/driver/copy.h"

static struct stream *batch_stream(CUstream handle, CUresult *result)
{
	struct stream *stream = stream_of(handle, result);

	if (!stream)
		return NULL;
	if (stream == stream->context->legacy)
		*result = CUDA_ERROR_INVALID_VALUE;
	else if (stream->capture)
		*result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return *result == CUDA_SUCCESS ? stream : NULL;
}

static CUresult copy_batch(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
			   size_t *failed, CUstream handle)
{
	CUresult result;
	size_t i;

	if (!count || !to || !from || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (!batch_stream(handle, &result))
		return result;
	for (i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = copy_linear(to[i], from[i], bytes[i], 0, handle, true);
	if (result != CUDA_SUCCESS && failed)
		*failed = i - 1;
	return result;
}

SIM_ENTRY_STREAM(cuMemcpyBatchAsync, _ptsz,
		 (CUdeviceptr * to, CUdeviceptr *from, size_t *bytes, size_t count,
		  CUmemcpyAttributes *attributes, size_t *attribute_indices, size_t attribute_count,
		  size_t *failed, CUstream stream),
		 (to, from, bytes, count, attributes, attribute_indices, attribute_count, failed,
		  stream))
{
	(void)attributes;
	(void)attribute_indices;
	(void)attribute_count;
	return copy_batch(to, from, bytes, count, failed, stream);
}

SIM_ENTRY_STREAM(cuMemcpyBatchAsync_v2, _ptsz,
		 (CUdeviceptr * to, CUdeviceptr *from, size_t *bytes, size_t count,
		  CUmemcpyAttributes *attributes, size_t *attribute_indices, size_t attribute_count,
		  CUstream stream),
		 (to, from, bytes, count, attributes, attribute_indices, attribute_count, stream))
{
	(void)attributes;
	(void)attribute_indices;
	(void)attribute_count;
	return copy_batch(to, from, bytes, count, NULL, stream);
}

/* Rows and layers are in elements, which are bytes unless an array says otherwise. */
static CUresult side_of(const CUmemcpy3DOperand *operand, size_t element, const CUextent3D *extent,
			struct copy_side *side)
{
	struct array *array;

	if (operand->type == CU_MEMCPY_OPERAND_TYPE_POINTER) {
		size_t row = operand->op.ptr.rowLength ? operand->op.ptr.rowLength : extent->width;

		*side = copy_side_linear(operand->op.ptr.ptr);
		side->pitch = row * element;
		side->height =
			operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : extent->height;
		return side->address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	}
	array = array_get(operand->op.array.array);
	if (!array)
		return CUDA_ERROR_INVALID_VALUE;
	*side = copy_side_linear((CUdeviceptr)array->allocation->address);
	side->pitch = array->pitch;
	side->height = array->description.Height ? array->description.Height : 1;
	side->address += (operand->op.array.offset.z * side->height + operand->op.array.offset.y) *
				 side->pitch +
			 operand->op.array.offset.x * array->element_bytes;
	return CUDA_SUCCESS;
}

static size_t element_bytes(const CUDA_MEMCPY3D_BATCH_OP *copy)
{
	const struct array *array = NULL;

	if (copy->src.type == CU_MEMCPY_OPERAND_TYPE_ARRAY)
		array = array_get(copy->src.op.array.array);
	else if (copy->dst.type == CU_MEMCPY_OPERAND_TYPE_ARRAY)
		array = array_get(copy->dst.op.array.array);
	return array ? array->element_bytes : 1;
}

static CUresult copy_3d(const CUDA_MEMCPY3D_BATCH_OP *copy, CUstream stream)
{
	size_t element = element_bytes(copy);
	struct operation operation = {
		.kind = OPERATION_COPY,
		.u.copy = {.row_bytes = copy->extent.width * element,
			   .rows = copy->extent.height,
			   .slices = copy->extent.depth},
	};
	CUresult result = side_of(&copy->src, element, &copy->extent, &operation.u.copy.from);

	operation.bytes = operation.u.copy.row_bytes * copy->extent.height * copy->extent.depth;
	if (!operation.bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = side_of(&copy->dst, element, &copy->extent, &operation.u.copy.to);
	return result == CUDA_SUCCESS ? copy_submit(&operation, stream, true) : result;
}

static CUresult copy_3d_batch(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed,
			      unsigned long long flags, CUstream stream)
{
	CUresult result;
	size_t i;

	if (!count || !copies || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!batch_stream(stream, &result))
		return result;
	for (i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = copy_3d(&copies[i], stream);
	if (result != CUDA_SUCCESS && failed)
		*failed = i - 1;
	return result;
}

SIM_ENTRY_STREAM(cuMemcpy3DBatchAsync, _ptsz,
		 (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, size_t *failed,
		  unsigned long long flags, CUstream stream),
		 (count, copies, failed, flags, stream))
{
	return copy_3d_batch(count, copies, failed, flags, stream);
}

SIM_ENTRY_STREAM(cuMemcpy3DBatchAsync_v2, _ptsz,
		 (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies, unsigned long long flags,
		  CUstream stream),
		 (count, copies, flags, stream))
{
	return copy_3d_batch(count, copies, NULL, flags, stream);
}
