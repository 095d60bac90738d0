/* SPDX-License-Identifier: MIT */
/*
 * Copies of an n x n matrix that is stored row by row. Threads with consecutive threadIdx.x are in
 * one warp: the hardware combines their accesses if these lie side by side. Each thread copies
 * MATCOPY_EACH elements, all loads before the stores, so that enough loads are in flight.
 */
enum {
	MATCOPY_EACH = 4,
	MATCOPY_BLOCK_X = 32,
	MATCOPY_BLOCK_Y = 8,
	MATCOPY_TILE = MATCOPY_EACH * MATCOPY_BLOCK_Y, /* a block's elements along y */
};

/*
 * Copies a block's part of the matrix. The steps from one x to the next and from one y to the next,
 * in elements, say where it reads and where it writes.
 */
template <class T>
__device__ void copy_tile(size_t n, const T *from, size_t from_x, size_t from_y, T *to, size_t to_x,
			  size_t to_y)
{
	size_t x = (size_t)blockIdx.x * MATCOPY_BLOCK_X + threadIdx.x;
	size_t y = (size_t)blockIdx.y * MATCOPY_TILE + threadIdx.y;
	T element[MATCOPY_EACH];

	if (x >= n)
		return;
	for (size_t i = 0; i < MATCOPY_EACH; i++) {
		if (y + i * MATCOPY_BLOCK_Y < n)
			element[i] = from[x * from_x + (y + i * MATCOPY_BLOCK_Y) * from_y];
	}
	for (size_t i = 0; i < MATCOPY_EACH; i++) {
		if (y + i * MATCOPY_BLOCK_Y < n)
			to[x * to_x + (y + i * MATCOPY_BLOCK_Y) * to_y] = element[i];
	}
}

/* A warp reads a piece of a row and writes a piece of a row. */
template <class T> __global__ void copy_coalesced(int n, const T *from, T *to)
{
	copy_tile<T>(n, from, 1, n, to, 1, n);
}

/* A warp reads a piece of a column and writes a piece of a column: n elements apart. */
template <class T> __global__ void copy_strided(int n, const T *from, T *to)
{
	copy_tile<T>(n, from, n, 1, to, n, 1);
}

/* A warp reads a piece of a row and writes a piece of a column. */
template <class T> __global__ void copy_transposed(int n, const T *from, T *to)
{
	copy_tile<T>(n, from, 1, n, to, n, 1);
}
