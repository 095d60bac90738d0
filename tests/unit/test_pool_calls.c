/* SPDX-License-Identifier: MIT */
/* Calls that allocate and free memory in the order of a stream are noted, but for captured ones. */
#include "tests/unit/launch_path.h"

#include "preload/handles/capture.h"
#include "preload/launch/describe.h"

#define ADDRESS 0x7000u

static CUdeviceptr given = ADDRESS;

static void allocate(CUstream stream, CUresult result)
{
	struct call call;

	call_describe(&call, API_DRIVER(ENTRY_cuMemAllocAsync), CU_STREAM_LEGACY);
	describe_pool_call(&call, POOL_CALL_ALLOCATES, &given, 4096, stream);
	call_begin(&call, NULL);
	assert_int_equal(noted.ended, 0);
	call_end(&call, result);
}

static void release(CUstream stream, CUresult result, unsigned before)
{
	struct call call;

	call_describe(&call, API_DRIVER(ENTRY_cuMemFreeAsync), CU_STREAM_LEGACY);
	describe_pool_call(&call, POOL_CALL_FREES, (const void *)ADDRESS, 0, stream);
	call_begin(&call, NULL);
	assert_int_equal(noted.freeing, before);
	assert_int_equal(noted.freed, 0);
	call_end(&call, result);
}

static void an_allocation_is_noted_with_what_was_launched_before(void **state)
{
	(void)state;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	allocate(STREAM, CUDA_SUCCESS);
	assert_int_equal(noted.ended, 1);
	assert_int_equal(noted.result, CUDA_SUCCESS);
	assert_int_equal(noted.allocated.kind, ALLOCATION_POOL);
	assert_int_equal(noted.allocated.space, SPACE_POINTER);
	assert_int_equal(noted.allocated.key, ADDRESS);
	assert_int_equal(noted.allocated.bytes, 4096);
	assert_false(noted.allocated.placed);
	assert_ptr_equal(noted.allocated.before, &kernels[0]);
	assert_int_equal(noted.captured, 0);
	assert_int_equal(last_record()->flags, CALL_API_ONLY);
}

static void an_allocation_that_fails_has_no_address(void **state)
{
	(void)state;
	allocate(STREAM, CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(noted.ended, 1);
	assert_int_equal(noted.result, CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(noted.allocated.key, 0);
	assert_int_equal(last_record()->flags, CALL_API_ONLY | CALL_FAILED);
}

static void what_is_freed_is_noted_before_the_call(void **state)
{
	(void)state;
	release(STREAM, CUDA_ERROR_INVALID_VALUE, 1);
	assert_int_equal(noted.freeing, 1);
	assert_int_equal(noted.freed, 1);
	assert_int_equal(noted.key, ADDRESS);
	assert_int_equal(noted.result, CUDA_ERROR_INVALID_VALUE);
}

static void captured_calls_are_the_graphs(void **state)
{
	(void)state;
	atomic_store(&live_captures, 1);
	asked.stream_is_capturing = true;
	allocate(STREAM, CUDA_SUCCESS);
	assert_int_equal(noted.ended, 1);
	assert_int_not_equal(noted.result, CUDA_SUCCESS);
	assert_int_equal(noted.captured, 1);
	release(STREAM, CUDA_SUCCESS, 0);
	assert_int_equal(noted.freeing, 0);
	/* One that fails is nobody's. */
	noted = (struct noted){0};
	allocate(STREAM, CUDA_ERROR_OUT_OF_MEMORY);
	assert_int_equal(noted.ended, 1);
	assert_int_equal(noted.captured, 0);
}

static void beside_a_capture_a_free_is_noted_once_it_is_known_to_be_none_of_it(void **state)
{
	(void)state;
	atomic_store(&live_captures, 1);
	release(STREAM, CUDA_SUCCESS, 0);
	assert_int_equal(noted.freeing, 1);
	assert_int_equal(noted.freed, 1);
	assert_int_equal(noted.result, CUDA_SUCCESS);
	noted = (struct noted){0};
	release(STREAM, CUDA_ERROR_INVALID_VALUE, 0);
	assert_int_equal(noted.freeing, 0);
	noted = (struct noted){0};
	allocate(STREAM, CUDA_SUCCESS);
	assert_int_equal(noted.result, CUDA_SUCCESS);
	assert_int_equal(noted.captured, 0);
}

static void other_calls_note_nothing(void **state)
{
	(void)state;
	launch_kernel(KERNEL, STREAM, CUDA_SUCCESS);
	launch_kernel(KERNEL, STREAM, CUDA_ERROR_INVALID_VALUE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, launch_path_start, launch_path_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_allocation_is_noted_with_what_was_launched_before),
		TEST(an_allocation_that_fails_has_no_address),
		TEST(what_is_freed_is_noted_before_the_call),
		TEST(captured_calls_are_the_graphs),
		TEST(beside_a_capture_a_free_is_noted_once_it_is_known_to_be_none_of_it),
		TEST(other_calls_note_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
