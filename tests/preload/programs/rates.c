/* SPDX-License-Identifier: MIT */
/* Copies, memsets and kernels of sizes that give round rates on the simulated device. */
#include "tests/sim/programs/check.h"

enum {
	HTOD_SHORT = 1000000, /* 21 us */
	HTOD_LONG = 4900000,  /* 99 us */
	ON_DEVICE = 49000000, /* 50 us */
	SET = 98000000,	      /* 50 us */
	THREADS = 256,
	BLOCKS = 2640,
	SHARED = 64 * 1024,
};

int main(void)
{
	CUdeviceptr from, to;
	CUfunction kernel;
	void *host;

	check_context();
	CHECK(cuMemAlloc_v2(&from, SET));
	CHECK(cuMemAlloc_v2(&to, SET));
	CHECK(cuMemAllocHost_v2(&host, HTOD_LONG));
	CHECK(cuMemcpyHtoD_v2(from, host, HTOD_SHORT));
	CHECK(cuMemcpyHtoD_v2(from, host, HTOD_LONG));
	CHECK(cuMemcpyDtoD_v2(to, from, ON_DEVICE));
	CHECK(cuMemsetD8_v2(from, 1, SET));
	kernel = check_kernel("first");
	for (int i = 0; i < 2; i++)
		CHECK(cuLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, SHARED * i, NULL, NULL,
				     NULL));
	CHECK(cuCtxSynchronize());
	return 0;
}
