/* SPDX-License-Identifier: MIT */
/* The kernel of Mark Harris's "An Easy Introduction to CUDA C and C++". */
__global__ void saxpy(int n, float a, float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

/* As many threads as the device holds at a time, each in turn on elements a grid apart. */
__global__ void saxpy_grid_stride(int n, float a, float *x, float *y)
{
	long stride = (long)gridDim.x * blockDim.x;

	for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		y[i] = a * x[i] + y[i];
}

/* Four elements a thread, by loads and stores of 16 bytes; x and y are so aligned. */
__global__ void saxpy_float4(int n, float a, float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 *x4 = (float4 *)x, *y4 = (float4 *)y;

	if (i < n / 4) {
		float4 from = x4[i], to = y4[i];

		to.x = a * from.x + to.x;
		to.y = a * from.y + to.y;
		to.z = a * from.z + to.z;
		to.w = a * from.w + to.w;
		y4[i] = to;
	} else if (i - n / 4 < n % 4) {
		i += n / 4 * 3;
		y[i] = a * x[i] + y[i];
	}
}
