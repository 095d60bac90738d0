/* SPDX-License-Identifier: MIT */
/* cudaDeviceReset with work in flight, and work again after it. */
#include "check.cuh"

__global__ void spin_kernel(long long cycles, int *done)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
	atomicAdd(done, 1);
}

int main()
{
	for (int round = 0; round < 3; round++) {
		cudaStream_t stream;
		int *done, host = -1;

		CHECK(cudaStreamCreate(&stream));
		CHECK(cudaMalloc(&done, sizeof(int)));
		CHECK(cudaMemset(done, 0, sizeof(int)));
		for (int i = 0; i < 8; i++)
			spin_kernel<<<1, 1, 0, stream>>>(100000, done);
		CHECK(cudaMemcpy(&host, done, sizeof(int), cudaMemcpyDeviceToHost));
		printf("round %d: %d\n", round, host <= 8);
		for (int i = 0; i < 8; i++)
			spin_kernel<<<1, 1, 0, stream>>>(1000000, done);
		CHECK(cudaDeviceReset());
	}
	printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
	return 0;
}
