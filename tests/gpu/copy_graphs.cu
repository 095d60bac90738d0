/* SPDX-License-Identifier: MIT */
/* A graph of one memset, launched five times, and one of 20 kernels and a memset, launched 3000
 * times while another thread makes graphs, so that CUPTI does not record its kernels all the time.
 */
#include <atomic>
#include <chrono>
#include <thread>

#include "check.cuh"

#define LARGE (64 << 20)
#define SMALL 1024

static char *memory;
static std::atomic<bool> launched;

extern "C" __global__ void empty_kernel()
{
}

static cudaGraphExec_t make(cudaStream_t stream, int kernels, size_t bytes)
{
	cudaGraphExec_t executable;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	for (int i = 0; i < kernels; i++)
		empty_kernel<<<1, 1, 0, stream>>>();
	if (bytes)
		CHECK(cudaMemsetAsync(memory, 0, bytes, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	return executable;
}

static void make_graphs()
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	while (!launched) {
		CHECK(cudaGraphExecDestroy(make(stream, 2, 0)));
		std::this_thread::sleep_for(std::chrono::microseconds(200));
	}
}

int main()
{
	cudaGraphExec_t large, mixed;
	cudaStream_t stream;

	CHECK(cudaMalloc(&memory, LARGE));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	large = make(stream, 0, LARGE);
	mixed = make(stream, 20, SMALL);
	for (int i = 0; i < 5; i++)
		CHECK(cudaGraphLaunch(large, stream));
	CHECK(cudaStreamSynchronize(stream));
	std::thread making(make_graphs);
	for (int i = 0; i < 3000; i++) {
		CHECK(cudaGraphLaunch(mixed, stream));
		if (i % 10 == 0)
			CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaStreamSynchronize(stream));
	launched = true;
	making.join();
	printf("done\n");
	return 0;
}
