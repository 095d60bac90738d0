/* SPDX-License-Identifier: MIT */
/* Copies and kernels in four streams, a wait, and then the host's own work: for tests/gpu/idle.py. */
#include <time.h>

#include "check.cuh"

#define STREAMS 4
#define BYTES	(8u << 20)
#define ROUNDS	200

__global__ void spin(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

static void work(double seconds)
{
	timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) * 1e-9 < seconds);
}

int main()
{
	cudaStream_t streams[STREAMS];
	char *host, *device, *more;

	CHECK(cudaMallocHost(&host, STREAMS * BYTES));
	CHECK(cudaMalloc(&device, STREAMS * BYTES));
	for (int i = 0; i < STREAMS; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < STREAMS; i++) {
			CHECK(cudaMemcpyAsync(device + i * BYTES, host + i * BYTES, BYTES,
					      cudaMemcpyHostToDevice, streams[i]));
			spin<<<1, 32, 0, streams[i]>>>(800000);
			CHECK(cudaMemcpyAsync(host + i * BYTES, device + i * BYTES, BYTES,
					      cudaMemcpyDeviceToHost, streams[i]));
		}
		CHECK(cudaDeviceSynchronize());
		work(1e-3);
		CHECK(cudaMalloc(&more, 256u << 20));
		CHECK(cudaFree(more));
	}
	printf("rounds %d\n", ROUNDS);
	return 0;
}
