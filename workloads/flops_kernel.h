/* SPDX-License-Identifier: MIT */
enum {
	/* Multiply-adds of one thread that do not wait for each other. */
	FLOPS_CHAINS = 8,
	FLOPS_UNROLLED = 16,
};

/* n * n additions, each of which waits for the one before. The result keeps them alive. */
template <class T> __global__ void add(int n, T summand, T *result)
{
	T a = 0;

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			a = a + summand;
	}
	result[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

/* FLOPS_CHAINS * FLOPS_UNROLLED multiply-adds in each of n rounds. */
template <class T> __global__ void multiply_add(int n, T factor, T summand, T *result)
{
	T chain[FLOPS_CHAINS], sum = 0;

	for (int c = 0; c < FLOPS_CHAINS; c++)
		chain[c] = c;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < FLOPS_UNROLLED; j++) {
			for (int c = 0; c < FLOPS_CHAINS; c++)
				chain[c] = fma(chain[c], factor, summand);
		}
	}
	for (int c = 0; c < FLOPS_CHAINS; c++)
		sum += chain[c];
	result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
