/* SPDX-License-Identifier: MIT */
/* Copies by the runtime API: every kind of call and direction, the data checked at the end. */
#include <cstring>
#include <vector>

#include "check.cuh"

#define SIDE  64
#define BYTES (SIDE * SIDE)

__device__ char symbol[BYTES];

static char *pageable, *pinned, *device, *other;
static cudaStream_t stream;

static void linear(void)
{
	CHECK(cudaMemcpy(device, pageable, BYTES, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(other, device, BYTES, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy(pageable, other, BYTES, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(device, pinned, BYTES, cudaMemcpyDefault));
	CHECK(cudaMemcpy(pinned, device, BYTES, cudaMemcpyDefault));
	CHECK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(other, device, BYTES, cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaMemcpyAsync(pinned, other, BYTES, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaMemcpyAsync(device, pageable, BYTES, cudaMemcpyDefault, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(device, pinned, 0, cudaMemcpyHostToDevice));
}

static void two_dimensional(void)
{
	CHECK(cudaMemcpy2D(device, SIDE, pinned, SIDE, SIDE / 2, SIDE, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy2D(other, SIDE, device, SIDE, SIDE / 2, SIDE, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy2D(pinned, SIDE, other, SIDE, SIDE / 2, SIDE, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy2DAsync(device, SIDE, pinned, SIDE, SIDE / 2, SIDE, cudaMemcpyHostToDevice,
				stream));
	CHECK(cudaMemcpy2DAsync(pinned, SIDE, device, SIDE, SIDE / 2, SIDE, cudaMemcpyDeviceToHost,
				stream));
	CHECK(cudaStreamSynchronize(stream));
}

static void three_dimensional(void)
{
	cudaMemcpy3DParms parameters = {};

	parameters.srcPtr = make_cudaPitchedPtr(pinned, 16, 16, 16);
	parameters.dstPtr = make_cudaPitchedPtr(device, 16, 16, 16);
	parameters.extent = make_cudaExtent(16, 8, 4);
	parameters.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&parameters));
	CHECK(cudaMemcpy3DAsync(&parameters, stream));
	parameters.srcPtr = make_cudaPitchedPtr(device, 16, 16, 16);
	parameters.dstPtr = make_cudaPitchedPtr(other, 16, 16, 16);
	parameters.kind = cudaMemcpyDeviceToDevice;
	CHECK(cudaMemcpy3D(&parameters));
	parameters.dstPtr = make_cudaPitchedPtr(pinned, 16, 16, 16);
	parameters.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3DAsync(&parameters, stream));
	CHECK(cudaStreamSynchronize(stream));
}

static void symbols(void)
{
	CHECK(cudaMemcpyToSymbol(symbol, pinned, BYTES));
	CHECK(cudaMemcpyFromSymbol(pinned, symbol, BYTES));
	CHECK(cudaMemcpyToSymbol(symbol, device, BYTES, 0, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpyToSymbolAsync(symbol, pinned, BYTES, 0, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyFromSymbolAsync(pinned, symbol, BYTES, 0, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
}

static void arrays(void)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<char>();
	cudaArray_t array, second;

	CHECK(cudaMallocArray(&array, &format, SIDE, SIDE));
	CHECK(cudaMallocArray(&second, &format, SIDE, SIDE));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, pinned, SIDE, SIDE, SIDE, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy2DArrayToArray(second, 0, 0, array, 0, 0, SIDE, SIDE,
				       cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy2DFromArray(device, SIDE, second, 0, 0, SIDE, SIDE,
				    cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, device, SIDE, SIDE, SIDE,
				       cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaMemcpy2DFromArrayAsync(pinned, SIDE, array, 0, 0, SIDE, SIDE,
					 cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFreeArray(second));
}

static void peers(void)
{
	int devices;
	char *remote;

	CHECK(cudaGetDeviceCount(&devices));
	CHECK(cudaMemcpyPeer(other, 0, device, 0, BYTES));
	CHECK(cudaMemcpyPeerAsync(other, 0, device, 0, BYTES, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (devices < 2)
		return;
	CHECK(cudaSetDevice(1));
	CHECK(cudaMalloc(&remote, BYTES));
	CHECK(cudaMemcpyPeer(remote, 1, device, 0, BYTES));
	CHECK(cudaSetDevice(0));
	CHECK(cudaMemcpyPeerAsync(other, 0, remote, 1, BYTES, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaFree(remote));
}

static void batches(void)
{
#if CUDART_VERSION >= 13000
	const void *sources[3] = {pinned, pinned + 1024, pinned + 2048};
	void *destinations[3] = {device, device + 1024, device + 2048};
	size_t sizes[3] = {1024, 1024, 1024};
	cudaMemcpyAttributes attributes = {};
	size_t first = 0;

	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	CHECK(cudaMemcpyBatchAsync(destinations, sources, sizes, 3, &attributes, &first, 1,
				   stream));
	CHECK(cudaStreamSynchronize(stream));
#endif
}

int main()
{
	static void (*const parts[])(void) = {
		linear, two_dimensional, three_dimensional, symbols, arrays, peers, batches};
	unsigned long sum = 0;

	pageable = (char *)malloc(BYTES);
	CHECK(cudaMallocHost(&pinned, BYTES));
	CHECK(cudaMalloc(&device, BYTES));
	CHECK(cudaMalloc(&other, BYTES));
	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < BYTES; i++)
		pageable[i] = pinned[i] = (char)(i * 7);
	for (void (*part)(void) : parts)
		part();
	for (int i = 0; i < BYTES; i++)
		sum += (i + 1) * (unsigned char)pinned[i] + (unsigned char)pageable[i];
	printf("checksum %lu\n", sum);
	/* What fails must fail the same, and is no operation. */
	printf("bad pointer: %s\n",
	       cudaGetErrorName(cudaMemcpy(device, nullptr, BYTES, cudaMemcpyHostToDevice)));
	printf("last error: %s\n", cudaGetErrorName(cudaGetLastError()));
	return 0;
}
