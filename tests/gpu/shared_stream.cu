/* SPDX-License-Identifier: MIT */
/* Many threads that come and go, all launching and copying on one stream. */
#include <thread>
#include <vector>

#include "check.cuh"

#define THREADS	 16
#define LAUNCHES 500

__global__ void even_kernel(int *data)
{
	atomicAdd(data, 1);
}

__global__ void odd_kernel(int *data)
{
	atomicAdd(data, 100);
}

static void launch(int number, int *data, cudaStream_t stream)
{
	for (int i = 0; i < LAUNCHES; i++) {
		if (number % 2)
			odd_kernel<<<1, 1, 0, stream>>>(data);
		else
			even_kernel<<<1, 1, 0, stream>>>(data);
		if (i % 50 == 0)
			CHECK(cudaMemsetAsync(data + 1, i, sizeof(int), stream));
	}
}

int main()
{
	int host[2], *data;
	cudaStream_t stream;

	CHECK(cudaMalloc(&data, sizeof(host)));
	CHECK(cudaMemset(data, 0, sizeof(host)));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaDeviceSynchronize());
	for (int round = 0; round < 3; round++) {
		std::vector<std::thread> threads;

		for (int i = 0; i < THREADS; i++)
			threads.emplace_back(launch, i, data, stream);
		for (std::thread &thread : threads)
			thread.join();
	}
	CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("sum %d\n", host[0]);
	return 0;
}
