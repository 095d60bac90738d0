/* SPDX-License-Identifier: MIT */
/* Memsets of both APIs: 1D, 2D, 3D, all widths. */
#include "check.cuh"

#define SIDE  64
#define BYTES (SIDE * SIDE * 4)

int main()
{
	cudaPitchedPtr pitched;
	unsigned char *host;
	unsigned long sum = 0;
	cudaStream_t stream;
	CUdeviceptr address;
	char *device;

	host = (unsigned char *)malloc(BYTES);
	CHECK(cudaMalloc(&device, BYTES));
	CHECK(cudaStreamCreate(&stream));
	address = (CUdeviceptr)device;
	pitched = make_cudaPitchedPtr(device, SIDE, SIDE, SIDE);

	CHECK(cudaMemset(device, 1, BYTES));
	CHECK(cudaMemsetAsync(device, 2, BYTES / 2, stream));
	CHECK(cudaMemset2D(device, SIDE, 3, SIDE / 2, SIDE));
	CHECK(cudaMemset2DAsync(device, SIDE, 4, SIDE / 4, SIDE, stream));
	CHECK(cudaMemset3D(pitched, 5, make_cudaExtent(SIDE / 8, SIDE, 2)));
	CHECK(cudaMemset3DAsync(pitched, 6, make_cudaExtent(SIDE / 8, SIDE / 2, 2), stream));
	CHECK(cudaStreamSynchronize(stream));

	CHECK_DRIVER(cuMemsetD8(address, 7, 100));
	CHECK_DRIVER(cuMemsetD16(address, 0x0807, 100));
	CHECK_DRIVER(cuMemsetD32(address, 0x0a090807, 20));
	CHECK_DRIVER(cuMemsetD8Async(address, 8, 50, stream));
	CHECK_DRIVER(cuMemsetD16Async(address, 0x0908, 25, stream));
	CHECK_DRIVER(cuMemsetD32Async(address, 0x0b0a0908, 10, stream));
	CHECK_DRIVER(cuMemsetD2D8(address, SIDE, 9, 16, 16));
	CHECK_DRIVER(cuMemsetD2D16(address, SIDE, 0x0a09, 8, 16));
	CHECK_DRIVER(cuMemsetD2D32(address, SIDE, 0x0c0b0a09, 4, 16));
	CHECK_DRIVER(cuMemsetD2D8Async(address, SIDE, 10, 8, 8, stream));
	CHECK_DRIVER(cuMemsetD2D16Async(address, SIDE, 0x0b0a, 4, 8, stream));
	CHECK_DRIVER(cuMemsetD2D32Async(address, SIDE, 0x0d0c0b0a, 2, 8, stream));
	CHECK(cudaStreamSynchronize(stream));

	CHECK(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
	for (int i = 0; i < BYTES; i++)
		sum += (i + 1) * host[i];
	printf("checksum %lu\n", sum);
	return 0;
}
