/* SPDX-License-Identifier: MIT */
/* Cooperative launches, and launches with clusters. */
#include <cooperative_groups.h>

#include "check.cuh"

#define BLOCKS	16
#define THREADS 128

__global__ void grid_kernel(int *data)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	data[grid.thread_rank()] = blockIdx.x;
	grid.sync();
	if (grid.thread_rank() == 0)
		for (int i = 1; i < BLOCKS; i++)
			data[0] += data[i * THREADS];
}

__global__ void cluster_kernel(int *data)
{
	atomicAdd(data, 1);
}

static void launch_clusters(int *data)
{
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t configuration = {};
	int major;

	CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	configuration.gridDim = dim3(BLOCKS);
	configuration.blockDim = dim3(1);
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = 2;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	configuration.attrs = &attribute;
	configuration.numAttrs = major >= 9 ? 1 : 0;
	for (int i = 0; i < 10; i++)
		CHECK(cudaLaunchKernelEx(&configuration, cluster_kernel, data));
}

int main()
{
	int host = 0, *data;
	void *arguments[] = {&data};

	CHECK(cudaMalloc(&data, BLOCKS * THREADS * sizeof(int)));
	for (int i = 0; i < 20; i++)
		CHECK(cudaLaunchCooperativeKernel((void *)grid_kernel, dim3(BLOCKS), dim3(THREADS),
						  arguments, 0, nullptr));
	launch_clusters(data);
	CHECK(cudaMemcpy(&host, data, sizeof(int), cudaMemcpyDeviceToHost));
	printf("sum %d\n", host);
	return 0;
}
