/* SPDX-License-Identifier: MIT */
/* The kernel of Mark Harris's "An Easy Introduction to CUDA C and C++". */
__global__ void saxpy(int n, float a, float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}
