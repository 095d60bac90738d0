/* SPDX-License-Identifier: MIT */
/* A graph that a kernel of another graph launches on the device. */
#include "check.cuh"

__device__ int counter;

__global__ void child_kernel()
{
	counter += 10;
}

__global__ void parent_kernel(cudaGraphExec_t child)
{
	counter += 1;
	cudaGraphLaunch(child, cudaStreamGraphTailLaunch);
}

int main()
{
	cudaGraph_t child, parent;
	cudaGraphExec_t child_executable, parent_executable;
	cudaStream_t stream;
	int result = 0;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	child_kernel<<<1, 1, 0, stream>>>();
	CHECK(cudaStreamEndCapture(stream, &child));
	CHECK(cudaGraphInstantiate(&child_executable, child, cudaGraphInstantiateFlagDeviceLaunch));
	CHECK(cudaGraphUpload(child_executable, stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	parent_kernel<<<1, 1, 0, stream>>>(child_executable);
	CHECK(cudaStreamEndCapture(stream, &parent));
	CHECK(cudaGraphInstantiate(&parent_executable, parent, 0));
	for (int i = 0; i < 3; i++) {
		CHECK(cudaGraphLaunch(parent_executable, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaMemcpyFromSymbol(&result, counter, sizeof(result)));
	printf("counter %d\n", result);
	return 0;
}
