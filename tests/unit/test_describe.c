/* SPDX-License-Identifier: MIT */
/* What a call's arguments say of it: the operation, its bytes, its stream and what it waits for. */
#include <errno.h>

#include "preload/launch/describe.h"
#include "tests/unit/test.h"

/* Addresses: below 0x1000 pageable memory, then pinned, managed and that of devices 0 and 1. */
enum { PAGEABLE = 0x100, PINNED = 0x1000, MANAGED = 0x2000, DEVICE_0 = 0x3000, DEVICE_1 = 0x4000 };

struct driver driver;

static struct context contexts[3];
_Atomic bool context_several_devices;
static const CUstream a_stream = (CUstream)0x77, default_stream = (CUstream)0x1;
static struct call call;

struct context *context_known(CUcontext handle)
{
	for (unsigned i = 0; i < 3; i++)
		if (contexts[i].handle == handle)
			return &contexts[i];
	return NULL;
}

static CUresult get_attributes(unsigned count, CUpointer_attribute *attributes, void **data,
			       CUdeviceptr pointer)
{
	errno = 99;
	for (unsigned i = 0; i < count; i++)
		switch (attributes[i]) {
		case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
			*(CUmemorytype *)data[i] = pointer < PINNED    ? 0
						   : pointer < MANAGED ? CU_MEMORYTYPE_HOST
								       : CU_MEMORYTYPE_DEVICE;
			break;
		case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
			*(int *)data[i] = pointer < PINNED ? -2 : pointer < DEVICE_1 ? 0 : 1;
			break;
		case CU_POINTER_ATTRIBUTE_IS_MANAGED:
			*(unsigned *)data[i] = pointer >= MANAGED && pointer < DEVICE_0;
			break;
		default:
			return CUDA_ERROR_INVALID_VALUE;
		}
	return CUDA_SUCCESS;
}

static CUresult refuse(unsigned count, CUpointer_attribute *attributes, void **data,
		       CUdeviceptr pointer)
{
	get_attributes(count, attributes, data, pointer);
	return CUDA_ERROR_NOT_INITIALIZED;
}

BEFORE_EACH
{
	driver.cuPointerGetAttributes = get_attributes;
	context_several_devices = true;
	errno = 0;
	for (unsigned i = 0; i < 3; i++) {
		contexts[i].handle = (CUcontext)(uintptr_t)(i + 1);
		contexts[i].device = i == 2;
	}
}

static void begin(void)
{
	call = (struct call){.default_stream = default_stream};
}

/* Of a stream of its own, and as asynchronous as it says. */
static void is(enum fixed_operation operation, uint64_t bytes, unsigned flags)
{
	assert_ptr_equal(call.record.operation, operation_fixed(operation));
	assert_int_equal(call.record.bytes, bytes);
	assert_int_equal(call.record.flags, flags);
	assert_ptr_equal(call.stream, a_stream);
	assert_int_equal(errno, 0);
	begin();
}

static void is_call_only(void)
{
	assert_null(call.record.operation);
	assert_int_equal(call.record.flags & CALL_API_ONLY, CALL_API_ONLY);
	begin();
}

static enum fixed_operation between(unsigned source, unsigned destination)
{
	return copy_direction(&(struct copy_end){.type = source},
			      &(struct copy_end){.type = destination});
}

TEST(each_two_memory_types_have_a_direction)
{
	static const enum fixed_operation expected[3][3] = {
		{OPERATION_COPY_HTOH, OPERATION_COPY_HTOD, OPERATION_COPY_HTOA},
		{OPERATION_COPY_DTOH, OPERATION_COPY_DTOD, OPERATION_COPY_DTOA},
		{OPERATION_COPY_ATOH, OPERATION_COPY_ATOD, OPERATION_COPY_ATOA},
	};

	for (unsigned from = 0; from < 3; from++)
		for (unsigned to = 0; to < 3; to++)
			assert_int_equal(between(from + 1, to + 1), expected[from][to]);
	for (unsigned known = 1; known <= 3; known++) {
		assert_int_equal(between(0, known), OPERATION_COPY_HTOH);
		assert_int_equal(between(known, 0), OPERATION_COPY_HTOH);
		assert_int_equal(between(5, known), OPERATION_COPY_HTOH);
		assert_int_equal(between(known, 5), OPERATION_COPY_HTOH);
	}
}

TEST(copies_between_two_devices_are_peer_copies)
{
	begin();
	describe_copy_device(&call, DEVICE_1, DEVICE_0, 10, a_stream);
	is(OPERATION_COPY_PTOP, 10, 0);
	describe_copy_device(&call, DEVICE_0, DEVICE_1, 10, a_stream);
	is(OPERATION_COPY_PTOP, 10, 0);
	describe_copy_device(&call, DEVICE_0, DEVICE_0, 10, a_stream);
	is(OPERATION_COPY_DTOD, 10, 0);
	describe_copy_device(&call, DEVICE_1, MANAGED, 10, a_stream);
	is(OPERATION_COPY_DTOD, 10, 0);
	describe_copy_device(&call, MANAGED, DEVICE_1, 10, a_stream);
	is(OPERATION_COPY_DTOD, 10, 0);
	context_several_devices = false;
	describe_copy_device(&call, DEVICE_1, DEVICE_0, 10, a_stream);
	is(OPERATION_COPY_DTOD, 10, 0);
	context_several_devices = true;
	driver.cuPointerGetAttributes = refuse;
	describe_copy_device(&call, DEVICE_1, DEVICE_0, 10, a_stream);
	is(OPERATION_COPY_DTOD, 10, 0);
}

TEST(contexts_of_one_device_are_no_peers)
{
	CUDA_MEMCPY3D_PEER copy = {.WidthInBytes = 2, .Height = 3, .Depth = 5};
	const CUcontext one = (CUcontext)1, same = (CUcontext)2, other = (CUcontext)3,
			unknown = (CUcontext)9;

	begin();
	describe_copy_peer(&call, one, other, 10, a_stream);
	is(OPERATION_COPY_PTOP, 10, 0);
	describe_copy_peer(&call, one, same, 10, a_stream);
	is(OPERATION_COPY_DTOD, 10, 0);
	describe_copy_peer(&call, one, one, 10, a_stream);
	is(OPERATION_COPY_DTOD, 10, 0);
	describe_copy_peer(&call, unknown, one, 10, a_stream);
	is(OPERATION_COPY_PTOP, 10, 0);
	describe_copy_peer(&call, one, unknown, 10, a_stream);
	is(OPERATION_COPY_PTOP, 10, 0);
	describe_copy_peer(&call, unknown, unknown, 10, a_stream);
	is(OPERATION_COPY_DTOD, 10, 0);
	copy.dstContext = one;
	copy.srcContext = other;
	describe_copy_3d_peer(&call, &copy, a_stream);
	is(OPERATION_COPY_PTOP, 30, 0);
	describe_copy_3d_peer(&call, NULL, a_stream);
	is_call_only();
}

/* A pair around a synchronous copy of pageable memory holds host work. */
TEST(a_copy_with_a_host_side_may_block)
{
	begin();
	describe_copy_unified(&call, DEVICE_0, PAGEABLE, 10, a_stream, SYNCHRONOUS);
	assert_ptr_equal(call.host, (void *)PAGEABLE);
	assert_true(call.synchronous);
	is(OPERATION_COPY_HTOD, 10, 0);
	describe_copy_unified(&call, PINNED, DEVICE_0, 10, a_stream, SYNCHRONOUS);
	assert_ptr_equal(call.host, (void *)PINNED);
	assert_true(call.synchronous);
	is(OPERATION_COPY_DTOH, 10, 0);
	describe_copy_unified(&call, PINNED, DEVICE_0, 10, a_stream, ASYNCHRONOUS);
	assert_false(call.synchronous);
	is(OPERATION_COPY_DTOH, 10, 0);
	describe_copy_unified(&call, DEVICE_1, DEVICE_0, 10, a_stream, SYNCHRONOUS);
	assert_null(call.host);
	assert_false(call.synchronous);
	is(OPERATION_COPY_PTOP, 10, 0);
	describe_copy_unified(&call, PINNED, PAGEABLE, 10, a_stream, SYNCHRONOUS);
	assert_ptr_equal(call.host, (void *)PAGEABLE);
	is(OPERATION_COPY_HTOH, 10, CALL_NO_ACTIVITY);
	/* Each side has an address of its own kind. */
	describe_copy_ends(&call, (struct copy_end){CU_MEMORYTYPE_HOST, 1, (void *)2},
			   (struct copy_end){CU_MEMORYTYPE_DEVICE, 3, (void *)4}, 10, a_stream,
			   SYNCHRONOUS);
	assert_ptr_equal(call.host, (void *)2);
	is(OPERATION_COPY_HTOD, 10, 0);
	describe_copy_ends(&call, (struct copy_end){CU_MEMORYTYPE_ARRAY, 1, (void *)2},
			   (struct copy_end){CU_MEMORYTYPE_HOST, 3, (void *)4}, 10, a_stream,
			   SYNCHRONOUS);
	assert_ptr_equal(call.host, (void *)4);
	is(OPERATION_COPY_ATOH, 10, 0);
	describe_copy_ends(&call, (struct copy_end){CU_MEMORYTYPE_DEVICE, DEVICE_0, NULL},
			   (struct copy_end){CU_MEMORYTYPE_UNIFIED, DEVICE_1, NULL}, 10, a_stream,
			   SYNCHRONOUS);
	is(OPERATION_COPY_PTOP, 10, 0);
	describe_copy_ends(&call, (struct copy_end){CU_MEMORYTYPE_UNIFIED, DEVICE_0, NULL},
			   (struct copy_end){CU_MEMORYTYPE_ARRAY, DEVICE_1, NULL}, 10, a_stream,
			   SYNCHRONOUS);
	is(OPERATION_COPY_DTOA, 10, 0);
	/* The driver is never asked for what is no address. */
	assert_true(copy_is_pageable((void *)PAGEABLE));
	assert_false(copy_is_pageable((void *)PINNED));
	driver.cuPointerGetAttributes = refuse;
	assert_true(copy_is_pageable((void *)PINNED));
	describe_copy_unified(&call, DEVICE_0, DEVICE_0, 10, a_stream, SYNCHRONOUS);
	is(OPERATION_COPY_HTOH, 10, CALL_NO_ACTIVITY);
	assert_int_equal(errno, 0);
}

TEST(shapes_are_as_many_bytes_as_their_extents_say)
{
	CUDA_MEMCPY2D flat = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = (void *)PINNED,
			      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			      .WidthInBytes = 1 << 20,
			      .Height = 1 << 13};
	CUDA_MEMCPY3D deep = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			      .WidthInBytes = 2,
			      .Height = 3,
			      .Depth = 5};
	const CUDA_MEMCPY2D *a_flat = &flat, *none = NULL;
	const CUDA_MEMCPY3D *a_deep = &deep;

	begin();
	describe_copy_2d(&call, a_flat, a_stream, SYNCHRONOUS);
	assert_ptr_equal(call.host, (void *)PINNED);
	is(OPERATION_COPY_HTOD, UINT64_C(1) << 33, 0);
	describe_copy_3d(&call, a_deep, a_stream, ASYNCHRONOUS);
	is(OPERATION_COPY_DTOA, 30, 0);
	flat.Height = 0;
	describe_copy_2d(&call, a_flat, a_stream, SYNCHRONOUS);
	is(OPERATION_COPY_HTOD, 0, CALL_NO_ACTIVITY);
	describe_copy_2d(&call, none, a_stream, SYNCHRONOUS);
	is_call_only();
	describe_sized(&call, OPERATION_MEMSET, 12, a_stream);
	is(OPERATION_MEMSET, 12, 0);
	describe_sized(&call, OPERATION_MEMSET, 0, a_stream);
	is(OPERATION_MEMSET, 0, CALL_NO_ACTIVITY);
	describe_unrecorded(&call, OPERATION_PREFETCH, 12, a_stream);
	is(OPERATION_PREFETCH, 12, CALL_NO_ACTIVITY);
}

/* As cuda.h of CUDA 12.8 has it. */
struct batch_copy {
	struct {
		uint32_t type;
		uint64_t pointer, rest[3];
	} source, destination;
	size_t width, height, depth;
	uint32_t order, flags;
};

TEST(a_batch_is_one_operation_after_its_first_copy)
{
	const CUdeviceptr destinations[] = {DEVICE_0, PINNED}, sources[] = {PINNED, DEVICE_0};
	const size_t sizes[] = {100, 23};
	const struct batch_copy copies[] = {
		{{1, PINNED, {0}}, {2, 0x55, {0}}, 2, 3, 5, 0, 0},
		{{1, DEVICE_0, {0}}, {1, PINNED, {0}}, 7, 11, 13, 0, 0},
	};
	const uint64_t parts[2][8] = {{1, 20}, {2, 30}};

	begin();
	describe_copy_batch(&call, destinations, sources, sizes, 1, a_stream);
	is(OPERATION_COPY_HTOD, 100, 0);
	describe_copy_batch(&call, destinations, sources, sizes, 2, a_stream);
	is(OPERATION_COPY_HTOD, 123, CALL_NO_ACTIVITY);
	describe_copy_batch(&call, destinations, sources, NULL, 2, a_stream);
	is(OPERATION_COPY_HTOD, 0, CALL_NO_ACTIVITY);
	describe_copy_batch(&call, destinations, sources, sizes, 0, a_stream);
	is_call_only();
	describe_copy_batch(&call, NULL, sources, sizes, 1, a_stream);
	is_call_only();
	describe_copy_batch(&call, destinations, NULL, sizes, 1, a_stream);
	is_call_only();
	describe_copy_3d_batch(&call, copies, 1, a_stream);
	is(OPERATION_COPY_HTOA, 30, 0);
	describe_copy_3d_batch(&call, copies, 2, a_stream);
	is(OPERATION_COPY_HTOA, 1031, CALL_NO_ACTIVITY);
	describe_copy_3d_batch(&call, copies + 1, 1, a_stream);
	is(OPERATION_COPY_DTOH, 1001, 0);
	describe_copy_3d_batch(&call, copies, 0, a_stream);
	is_call_only();
	describe_copy_3d_batch(&call, NULL, 1, a_stream);
	is_call_only();
	describe_decompress(&call, parts, 1, a_stream);
	is(OPERATION_DECOMPRESS, 20, CALL_NO_ACTIVITY);
	describe_decompress(&call, parts, 2, a_stream);
	is(OPERATION_DECOMPRESS, 50, CALL_NO_ACTIVITY);
	describe_decompress(&call, NULL, 2, a_stream);
	is(OPERATION_DECOMPRESS, 0, CALL_NO_ACTIVITY);
}

TEST(a_null_stream_is_the_calls_default_stream)
{
	begin();
	describe_kernel(&call, (CUfunction)5, NULL);
	assert_ptr_equal(call.stream, default_stream);
	assert_ptr_equal(call.function, (CUfunction)5);
	assert_true(call.countable && call.asynchronous);
	begin();
	describe_graph(&call, (CUgraphExec)6, a_stream);
	assert_ptr_equal(call.stream, a_stream);
	assert_ptr_equal(call.graph, (CUgraphExec)6);
	assert_true(call.countable && call.asynchronous);
	begin();
	describe_call_only(&call, NULL);
	assert_ptr_equal(call.stream, default_stream);
	is_call_only();
}
