/* SPDX-License-Identifier: MIT */
/*
 * small_copies ROUNDS [captured]: in each round seven copies and a memset of a few bytes, by the
 * driver and by the runtime, a copy of nothing, for which no driver call is made, and a launch.
 * With `captured` a copy and a memset are captured into a graph half-way, which is launched once.
 */
#include <cuda_runtime_api.h>
#include <string.h>

#include "tests/sim/programs/check.h"

static CUstream stream;
static CUdeviceptr here, there;
static void *host;

static void capture(void)
{
	CUgraphExec executable;
	CUgraph graph;

	CHECK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CHECK(cuMemcpyHtoDAsync_v2(here, host, 4096, stream));
	CHECK(cuMemsetD8Async(here, 1, 4096, stream));
	CHECK(cuStreamEndCapture(stream, &graph));
	CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
	CHECK(cuGraphLaunch(executable, stream));
	CHECK(cuStreamSynchronize(stream));
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	int captured = argc > 2 && !strcmp(argv[2], "captured");
	char pageable[64], other[64] = "";
	CUfunction kernel;

	check_context();
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuMemAlloc_v2(&here, 4096));
	CHECK(cuMemAlloc_v2(&there, 4096));
	CHECK(cuMemAllocHost_v2(&host, 4096));
	kernel = check_kernel("first");
	for (long i = 0; i < rounds; i++) {
		CHECK(cuMemcpyHtoDAsync_v2(here, host, 4096, stream));
		CHECK(cuMemcpyHtoDAsync_v2(here, host, 100, stream));
		CHECK(cuMemcpyDtoH_v2(pageable, here, sizeof(pageable)));
		CHECK(cuMemcpyDtoDAsync_v2(there, here, 4096, stream));
		CHECK(cuMemsetD8Async(here, 1, 1000, stream));
		CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
		EXPECT(cudaSuccess, cudaMemcpyAsync((void *)here, host, 32, cudaMemcpyHostToDevice,
						    (cudaStream_t)stream));
		EXPECT(cudaSuccess, cudaMemcpy(pageable, (void *)here, 16, cudaMemcpyDeviceToHost));
		EXPECT(cudaSuccess, cudaMemcpy(pageable, other, 8, cudaMemcpyHostToHost));
		EXPECT(cudaSuccess, cudaMemcpy((void *)here, host, 0, cudaMemcpyHostToDevice));
		if (captured && i == rounds / 2)
			capture();
	}
	CHECK(cuStreamSynchronize(stream));
	return 0;
}
