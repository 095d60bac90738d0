/* SPDX-License-Identifier: MIT */
/* What takes a place in a stream beside kernels, copies and memsets: prefetches of managed memory,
   values written and waited for, allocations in stream order, host functions. */
#include "check.cuh"

#define N 4096

__global__ void fill_kernel(int *data, int value)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static void CUDART_CB count_call(void *argument)
{
	++*(int *)argument;
}

static void prefetch(int *managed, int device, cudaStream_t stream)
{
	cudaMemLocation location = {};

	location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
	location.id = device < 0 ? 0 : device;
#if CUDART_VERSION >= 13000
	CHECK(cudaMemPrefetchAsync(managed, N * sizeof(int), location, 0, stream));
#else
	CHECK(cudaMemPrefetchAsync(managed, N * sizeof(int), device, stream));
#endif
}

int main()
{
	int *managed, *ordered, calls = 0, supported = 0;
	CUdeviceptr flag;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrConcurrentManagedAccess, 0));
	CHECK(cudaMallocManaged(&managed, N * sizeof(int)));
	if (supported)
		prefetch(managed, 0, stream);
	fill_kernel<<<N / 256, 256, 0, stream>>>(managed, 3);
	if (supported)
		prefetch(managed, -1, stream);
	CHECK(cudaStreamSynchronize(stream));
	printf("managed %d\n", managed[N - 1]);

	CHECK(cudaMalloc((void **)&flag, sizeof(int)));
	CHECK(cudaMemsetAsync((void *)flag, 0, sizeof(int), stream));
	CHECK_DRIVER(cuStreamWriteValue32(stream, flag, 1, 0));
	CHECK_DRIVER(cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
	CHECK(cudaMallocAsync(&ordered, N * sizeof(int), stream));
	fill_kernel<<<N / 256, 256, 0, stream>>>(ordered, 5);
	CHECK(cudaMemcpyAsync(managed, ordered, N * sizeof(int), cudaMemcpyDefault, stream));
	CHECK(cudaFreeAsync(ordered, stream));
	CHECK(cudaLaunchHostFunc(stream, count_call, &calls));
	CHECK(cudaStreamSynchronize(stream));
	printf("copied %d, host functions %d\n", managed[0], calls);
	return 0;
}
