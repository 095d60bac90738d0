/* SPDX-License-Identifier: MIT */
/*
 * One step of heat on an n x n grid that is stored row by row and closes on itself: a point becomes
 * the mean of its four neighbours. Threads with consecutive threadIdx.x are in one warp: along a
 * row they read side by side, down a column n floats apart.
 */
enum {
	HEAT_BLOCK_X = 32,
	HEAT_BLOCK_Y = 8,
};

__global__ void heat(int n, int along_rows, const float *from, float *to)
{
	int x = blockIdx.x * HEAT_BLOCK_X + threadIdx.x;
	int y = blockIdx.y * HEAT_BLOCK_Y + threadIdx.y;
	int row = along_rows ? y : x, column = along_rows ? x : y;

	if (x >= n || y >= n)
		return;

	size_t up = (size_t)(row ? row - 1 : n - 1) * n;
	size_t here = (size_t)row * n;
	size_t down = (size_t)(row < n - 1 ? row + 1 : 0) * n;
	int left = column ? column - 1 : n - 1;
	int right = column < n - 1 ? column + 1 : 0;

	to[here + column] = ((from[here + left] + from[here + right]) +
			     (from[up + column] + from[down + column])) *
			    0.25f;
}
