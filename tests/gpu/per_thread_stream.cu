/* SPDX-License-Identifier: MIT */
/* Built with --default-stream per-thread: every call goes to its per-thread form. */
#include <thread>
#include <vector>

#include "check.cuh"

#define THREADS 4
#define N	1024

__global__ void scale_kernel(int *data, int factor)
{
	data[threadIdx.x] *= factor;
}

static void work(int number, int *sum)
{
	cudaGraphExec_t executable;
	int host[N], *data, *copy;
	cudaGraph_t graph;

	CHECK(cudaMalloc(&data, sizeof(host)));
	CHECK(cudaMalloc(&copy, sizeof(host)));
	for (int i = 0; i < N; i++)
		host[i] = i + number;
	CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
	for (int i = 0; i < 10; i++)
		scale_kernel<<<1, N>>>(data, 1 + i % 2);
	CHECK(cudaMemcpyAsync(copy, data, sizeof(host), cudaMemcpyDeviceToDevice));
	CHECK(cudaMemset(data, 0, sizeof(host)));
	CHECK(cudaMemsetAsync(data, 0, sizeof(host)));
	CHECK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal));
	scale_kernel<<<1, N>>>(copy, 3);
	CHECK(cudaStreamEndCapture(cudaStreamPerThread, &graph));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	CHECK(cudaGraphLaunch(executable, 0));
	CHECK(cudaMemcpy(host, copy, sizeof(host), cudaMemcpyDeviceToHost));
	*sum = 0;
	for (int i = 0; i < N; i++)
		*sum += host[i];
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(data));
	CHECK(cudaFree(copy));
}

int main()
{
	std::vector<std::thread> threads;
	int sums[THREADS];

	/* Loads the kernel before threads capture. */
	scale_kernel<<<1, 0>>>(nullptr, 1);
	cudaGetLastError();
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(work, i, &sums[i]);
	for (std::thread &thread : threads)
		thread.join();
	for (int i = 0; i < THREADS; i++)
		printf("thread %d: %d\n", i, sums[i]);
	return 0;
}
