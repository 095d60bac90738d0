/* SPDX-License-Identifier: MIT */
/* A chain of kernels by programmatic dependent launch, each let go before its forerunner ends. */
#include "check.cuh"

__global__ void link_kernel(int *data, long long cycles)
{
	long long start = clock64();

#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
	while (clock64() - start < cycles)
		;
#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
	data[0] = data[0] * 3 + 1;
}

int main()
{
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t configuration = {};
	int host = 0, *data;
	cudaStream_t stream;

	CHECK(cudaMalloc(&data, sizeof(int)));
	CHECK(cudaMemset(data, 0, sizeof(int)));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	configuration.gridDim = dim3(1);
	configuration.blockDim = dim3(1);
	configuration.stream = stream;
	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	configuration.attrs = &attribute;
	for (int chain = 0; chain < 10; chain++) {
		configuration.numAttrs = 0;
		for (int i = 0; i < 6; i++) {
			CHECK(cudaLaunchKernelEx(&configuration, link_kernel, data, 20000LL));
			configuration.numAttrs = 1;
		}
	}
	CHECK(cudaMemcpyAsync(&host, data, sizeof(int), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("result %d\n", host);
	return 0;
}
