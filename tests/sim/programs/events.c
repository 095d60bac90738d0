/* SPDX-License-Identifier: MIT */
/* What a pair of events measures around each kind of work, in nanoseconds. */
#include <cuda.h>
#include <string.h>

#include "tests/sim/programs/check.h"

static CUevent start, stop;
static CUstream stream;

static long measured(void)
{
	float milliseconds;

	CHECK(cuEventRecord(stop, stream));
	CHECK(cuEventSynchronize(stop));
	CHECK(cuEventElapsedTime(&milliseconds, start, stop));
	return (long)(milliseconds * 1e6 + 0.5);
}

#define MEASURE(name, call)                                                                        \
	do {                                                                                       \
		CHECK(cuEventRecord(start, stream));                                               \
		CHECK(call);                                                                       \
		printf("%s %ld\n", name, measured());                                              \
	} while (0)

int main(void)
{
	static char pageable[100000];
	CUdeviceptr device, second;
	CUfunction kernel;
	void *pinned;
	float milliseconds;

	check_context();
	kernel = check_kernel("first");
	CHECK(cuMemAlloc(&device, sizeof(pageable)));
	CHECK(cuMemAlloc(&second, sizeof(pageable)));
	CHECK(cuMemAllocHost(&pinned, sizeof(pageable)));
	CHECK(cuEventCreate(&start, 0));
	CHECK(cuEventCreate(&stop, 0));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	MEASURE("nothing", CUDA_SUCCESS);
	MEASURE("kernel", cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	MEASURE("memset", cuMemsetD8Async(device, 0, 100000, stream));
	MEASURE("pinned", cuMemcpyHtoDAsync(device, pinned, 100000, stream));
	MEASURE("pageable", cuMemcpyHtoDAsync(device, pageable, 100000, stream));
	MEASURE("device", cuMemcpyDtoDAsync(device, second, 100000, stream));

	/* Unfinished, unless polled often enough; not recorded. */
	CHECK(cuEventRecord(start, stream));
	CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	CHECK(cuEventRecord(stop, stream));
	EXPECT(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&milliseconds, start, stop));
	EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(stop));
	while (cuEventQuery(stop) == CUDA_ERROR_NOT_READY)
		;
	CHECK(cuEventElapsedTime(&milliseconds, start, stop));
	CHECK(cuEventCreate(&stop, 0));
	CHECK(cuEventQuery(stop));
	EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, start, stop));
	CHECK(cuEventCreate(&stop, CU_EVENT_DISABLE_TIMING));
	CHECK(cuEventRecord(stop, stream));
	EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, start, stop));
	return 0;
}
