/* SPDX-License-Identifier: MIT */
/* A matrix copy and its effective bandwidth, by three orders of access. */
#include <vector>

#include "workloads/matcopy_kernel.h"
#include "workloads/workload.cuh"

static const char usage[] =
	"[--n N] [--type int|float|double] [--repetitions R]\n"
	"       [--variant all|coalesced|strided|transposed]\n"
	"Copies an N x N matrix (default 2048) of int, float (default) or double R times (1) by "
	"each\n"
	"variant of a kernel: a warp reads and writes along a row (coalesced), reads and writes "
	"down\n"
	"a column (strided), or reads a row and writes a column (transposed). The effective "
	"bandwidth\n"
	"counts each element once read and once written. A matrix and its copy that fit the L2 "
	"cache\n"
	"together need not reach DRAM: 16384 is beyond it on today's GPUs.\n";

static const char *const variants[] = {"all", "coalesced", "strided", "transposed", nullptr};
enum variant {
	VARIANT_ALL,
	VARIANT_COALESCED,
	VARIANT_STRIDED,
	VARIANT_TRANSPOSED,
	VARIANT_END,
};

struct options {
	int n = 2048, repetitions = 1, type = 1, variant = VARIANT_ALL;
};

/* Copies by one variant and prints its row; false if the copy is wrong. */
template <class T>
static bool measure(const options &options, int variant, const std::vector<T> &matrix,
		    const T *from, T *to)
{
	static void (*const kernels[])(int, const T *, T *) = {nullptr, copy_coalesced<T>,
							       copy_strided<T>, copy_transposed<T>};
	size_t n = options.n, bytes = matrix.size() * sizeof(T);
	std::vector<T> copy(matrix.size());
	dim3 block(MATCOPY_BLOCK_X, MATCOPY_BLOCK_Y);
	dim3 grid((n + MATCOPY_BLOCK_X - 1) / MATCOPY_BLOCK_X,
		  (n + MATCOPY_TILE - 1) / MATCOPY_TILE);
	cudaFuncAttributes attributes;
	bool right = true;

	/* Kernels are loaded at first use: not between the events. */
	CHECK(cudaFuncGetAttributes(&attributes, kernels[variant]));
	CHECK(cudaMemset(to, 0xff, bytes));

	double seconds = workload_held_seconds([&] {
				 for (int i = 0; i < options.repetitions; i++) {
					 kernels[variant]<<<grid, block>>>(options.n, from, to);
					 CHECK(cudaGetLastError());
				 }
			 }) /
			 options.repetitions;
	double bandwidth = 2 * bytes / seconds, peak = workload_dram_bandwidth();

	CHECK(cudaMemcpy(copy.data(), to, bytes, cudaMemcpyDeviceToHost));
	for (size_t row = 0; row < n; row++) {
		for (size_t column = 0; column < n; column++) {
			size_t at =
				variant == VARIANT_TRANSPOSED ? column * n + row : row * n + column;

			right = right && copy[at] == matrix[row * n + column];
		}
	}
	std::printf("%-10s  %12.3f  %10.3f  ", variants[variant], seconds * 1e6, bandwidth / 1e9);
	if (2 * bytes <= (size_t)workload_attribute(cudaDevAttrL2CacheSize) || !peak)
		std::printf("%9s", "-");
	else
		std::printf("%8.1f%%", 100 * bandwidth / peak);
	std::printf("  %s\n", right ? "right" : "WRONG");
	return right;
}

template <class T> static int run(const options &options, const char *type)
{
	std::vector<T> matrix((size_t)options.n * options.n);
	size_t bytes = matrix.size() * sizeof(T);
	size_t cache = workload_attribute(cudaDevAttrL2CacheSize);
	bool right = true;
	T *from, *to;

	for (size_t i = 0; i < matrix.size(); i++)
		matrix[i] = i % 65521;
	CHECK(cudaMalloc(&from, bytes));
	CHECK(cudaMalloc(&to, bytes));
	CHECK(cudaMemcpy(from, matrix.data(), bytes, cudaMemcpyHostToDevice));
	std::printf("Copy of a %d x %d matrix of %s: %.3f MB read and written, launches: %d\n",
		    options.n, options.n, type, 2 * bytes / 1e6, options.repetitions);
	std::printf("%-10s  %12s  %10s  %9s  %s\n", "variant", "time (us)", "GB/s", "of DRAM",
		    "result");
	for (int variant = VARIANT_COALESCED; variant < VARIANT_END; variant++) {
		if (options.variant == VARIANT_ALL || options.variant == variant)
			right &= measure(options, variant, matrix, from, to);
	}
	CHECK(cudaFree(from));
	CHECK(cudaFree(to));
	if (2 * bytes <= cache)
		std::printf("Both matrices fit the L2 cache (%.3f MB): no share of DRAM's "
			    "bandwidth.\n",
			    cache / 1e6);
	return right ? 0 : 1;
}

int main(int argc, char **argv)
{
	static const char *const types[] = {"int", "float", "double", nullptr};
	options options;
	const struct workload_option table[] = {
		WORKLOAD_COUNT("n", &options.n, 0),
		WORKLOAD_COUNT("repetitions", &options.repetitions, WORKLOAD_HELD_LAUNCHES),
		WORKLOAD_CHOICE("type", &options.type, types),
		WORKLOAD_CHOICE("variant", &options.variant, variants),
		WORKLOAD_END,
	};

	workload_parse(usage, table, argc, argv);
	if (options.type == 0)
		return run<int>(options, types[0]);
	if (options.type == 1)
		return run<float>(options, types[1]);
	return run<double>(options, types[2]);
}
