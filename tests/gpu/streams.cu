/* SPDX-License-Identifier: MIT */
/* Streams destroyed with work in flight and made again, most at the same address; priorities. */
#include "check.cuh"

__global__ void first_kernel(int *data)
{
	atomicAdd(data, 1);
}

__global__ void second_kernel(int *data)
{
	atomicAdd(data, 1000);
}

int main()
{
	int least, greatest, host = 0, *data;
	cudaStream_t stream;

	CHECK(cudaMalloc(&data, sizeof(int)));
	CHECK(cudaMemset(data, 0, sizeof(int)));
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	for (int i = 0; i < 200; i++) {
		unsigned int flags = i % 2 ? cudaStreamNonBlocking : cudaStreamDefault;

		CHECK(cudaStreamCreateWithPriority(&stream, flags, i % 3 ? least : greatest));
		for (int n = 0; n < 5; n++) {
			if (i % 2)
				first_kernel<<<1, 1, 0, stream>>>(data);
			else
				second_kernel<<<1, 1, 0, stream>>>(data);
		}
		CHECK(cudaStreamDestroy(stream));
	}
	first_kernel<<<1, 1, 0, cudaStreamLegacy>>>(data);
	first_kernel<<<1, 1, 0, cudaStreamPerThread>>>(data);
	first_kernel<<<1, 1>>>(data);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(&host, data, sizeof(int), cudaMemcpyDeviceToHost));
	printf("sum %d\n", host);
	return 0;
}
