/* SPDX-License-Identifier: MIT */
/* Kernels and copies on every device of the machine, by turns and with peer access. */
#include <vector>

#include "check.cuh"

#define N 1024

__global__ void number_kernel(int *data, int number)
{
	data[threadIdx.x] += number;
}

int main()
{
	int devices, host[N], sum = 0;
	std::vector<int *> data;

	CHECK(cudaGetDeviceCount(&devices));
	if (devices < 2)
		return skip("one GPU only");
	for (int i = 0; i < devices; i++) {
		int *memory;

		CHECK(cudaSetDevice(i));
		CHECK(cudaMalloc(&memory, sizeof(host)));
		CHECK(cudaMemset(memory, 0, sizeof(host)));
		data.push_back(memory);
	}
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < devices; i++) {
			CHECK(cudaSetDevice(i));
			number_kernel<<<1, N>>>(data[i], i + 1);
		}
	}
	for (int i = 1; i < devices; i++) {
		int possible;

		CHECK(cudaSetDevice(i));
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaDeviceCanAccessPeer(&possible, 0, i));
		CHECK(cudaSetDevice(0));
		if (possible)
			CHECK(cudaDeviceEnablePeerAccess(i, 0));
		CHECK(cudaMemcpyPeer(data[0], 0, data[i], i, sizeof(host)));
		CHECK(cudaMemcpy(data[i], data[0], sizeof(host), cudaMemcpyDefault));
		CHECK(cudaMemcpyAsync(data[0], data[i], sizeof(host), cudaMemcpyDeviceToDevice));
		CHECK(cudaMemcpy(host, data[0], sizeof(host), cudaMemcpyDeviceToHost));
		sum += host[N - 1];
	}
	printf("sum %d\n", sum);
	return 0;
}
