/* SPDX-License-Identifier: MIT */
/* Calls that fail, or have nothing to do: their results are the driver's own, whoever looks on. */
#include "check.cuh"

__global__ void good_kernel(int *data)
{
	data[threadIdx.x] = threadIdx.x;
}

#define SHOW(call) printf("%s: %d\n", #call, (int)(call))

int main()
{
	int host[32], *data;
	CUcontext context;
	cudaStream_t stream;
	CUdeviceptr address;

	CHECK(cudaMalloc(&data, sizeof(host)));
	CHECK(cudaStreamCreate(&stream));
	CHECK_DRIVER(cuCtxGetCurrent(&context));
	address = (CUdeviceptr)data;

	good_kernel<<<1, 4096>>>(data);
	SHOW(cudaPeekAtLastError());
	good_kernel<<<0, 1>>>(data);
	SHOW(cudaPeekAtLastError());
	good_kernel<<<1, 1, 1 << 30>>>(data);
	SHOW(cudaPeekAtLastError());
	SHOW(cudaGetLastError());
	SHOW(cudaGetLastError());
	SHOW(cudaLaunchKernel((void *)nullptr, dim3(1), dim3(1), nullptr, 0, stream));
	SHOW(cudaMemcpy(data, nullptr, 4, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpy(data, host, 4, (cudaMemcpyKind)77));
	SHOW(cudaMemcpy(data, host, 0, cudaMemcpyHostToDevice));
	SHOW(cudaMemcpyAsync(data, data, 0, cudaMemcpyDeviceToDevice, stream));
	SHOW(cudaMemcpy2D(data, 1, host, 4, 4, 2, cudaMemcpyHostToDevice));
	SHOW(cudaMemset(nullptr, 0, 4));
	SHOW(cudaMemset(data, 0, 0));
	SHOW(cudaMemset2D(data, 1, 0, 4, 4));
	SHOW(cudaGraphLaunch(nullptr, stream));
	SHOW(cudaGetLastError());

	SHOW(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
	SHOW(cuMemcpyHtoD(address, nullptr, 4));
	SHOW(cuMemcpyHtoD(address, host, 0));
	SHOW(cuMemcpyDtoD(address, 0, 4));
	SHOW(cuMemsetD32(0, 0, 4));
	SHOW(cuMemsetD32(address + 1, 0, 4));
	SHOW(cuMemsetD8(address, 0, 0));
	SHOW(cuGraphLaunch(nullptr, nullptr));
	SHOW(cuEventRecord(nullptr, nullptr));
	SHOW(cuCtxSetCurrent(nullptr));
	SHOW(cuMemcpyHtoD(address, host, 4));
	SHOW(cuCtxSetCurrent(context));

	good_kernel<<<1, 32, 0, stream>>>(data);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
	printf("result %d\n", host[31]);

	/* Last, since a driver may well die of them: it must do so with ktime as without. */
	fflush(stdout);
	SHOW(cuMemcpy2D(nullptr));
	fflush(stdout);
	SHOW(cuMemcpy3D(nullptr));
	fflush(stdout);
	SHOW(cuLaunchKernelEx(nullptr, nullptr, nullptr, nullptr));
	return 0;
}
