/* SPDX-License-Identifier: MIT */
/*
 * Launches of what is no kernel, between calls that work: the runtime refuses them before it comes
 * to the driver. Prints every result.
 */
#include <stdio.h>

#include <cuda_runtime_api.h>

#define LAUNCHES 100

int main(void)
{
	const dim3 one = {1, 1, 1};
	void *memory;

	printf("%d\n", cudaMalloc(&memory, 64));
	printf("%d\n", cudaMemset(memory, 0, 64));
	for (int i = 0; i < LAUNCHES; i++)
		printf("%d\n", cudaLaunchKernel(&one, one, one, NULL, 0, NULL));
	printf("%d\n", cudaMemset(memory, 1, 64));
	printf("%d\n", cudaDeviceSynchronize());
	return 0;
}
