/* SPDX-License-Identifier: MIT */
/* Floating-point operations per second, of dependent additions and of independent multiply-adds. */
#include <cmath>
#include <vector>

#include "workloads/flops_kernel.h"
#include "workloads/workload.cuh"

static const char usage[] =
	"[--kernel all|add|multiply-add] [--type all|float|double] [--n N]\n"
	"       [--blocks B] [--threads T]\n"
	"Floating-point operations per second of two kernels, in B blocks of T threads each or in\n"
	"several grids up to two blocks of 1024 threads for each multiprocessor:\n"
	"  add            each thread does N * N additions (default N 1000), each waiting for the "
	"last\n"
	"  multiply-add   each thread does 128 * N multiply-adds, 8 of which are independent\n"
	"A multiply-add counts as two operations. The peak is what all units do at the maximum "
	"clock\n"
	"if each does a multiply-add in each cycle: additions alone reach half of it at most.\n";

enum {
	THREADS_MAX = 1024,
};

struct options {
	int kernel = 0, type = 0, n = 1000, blocks = 0, threads = 0;
};

/* Units of a multiprocessor, from the table of arithmetic throughput in the programming guide. */
struct units {
	int capability, single, dual;
};
static const units known_units[] = {
	{70, 64, 32}, {72, 64, 32}, {75, 64, 2},   {80, 64, 32},   {86, 128, 2},
	{87, 128, 2}, {89, 128, 2}, {90, 128, 64}, {100, 128, 64}, {120, 128, 2},
};

/* Operations per second of all units at the maximum clock; 0 if the device is not known. */
static double peak(bool is_double)
{
	int capability = 10 * workload_attribute(cudaDevAttrComputeCapabilityMajor) +
			 workload_attribute(cudaDevAttrComputeCapabilityMinor);

	for (const units &units : known_units) {
		if (units.capability == capability)
			return 2.0 * (is_double ? units.dual : units.single) *
			       workload_attribute(cudaDevAttrMultiProcessorCount) * 1e3 *
			       workload_attribute(cudaDevAttrClockRate);
	}
	return 0;
}

template <class T> struct sums {
	static constexpr T summand = (T)0.0001, factor = (T)0.9999;

	static T add(int n)
	{
		T a = 0;

		for (long i = 0; i < (long)n * n; i++)
			a = a + summand;
		return a;
	}

	static T multiply_add(int n)
	{
		T sum = 0;

		for (int c = 0; c < FLOPS_CHAINS; c++) {
			T chain = c;

			for (long i = 0; i < (long)n * FLOPS_UNROLLED; i++)
				chain = std::fma(chain, factor, summand);
			sum += chain;
		}
		return sum;
	}
};

/* Runs one grid and prints its row; false if a thread's result is wrong. */
template <class T>
static bool measure(const options &options, bool multiply, int blocks, int threads, T expected,
		    T *device)
{
	std::vector<T> results((size_t)blocks * threads);
	double operations = (double)blocks * threads;
	bool is_double = sizeof(T) == sizeof(double), right = true;
	double per_second, most = peak(is_double);

	auto launch = [&] {
		if (multiply)
			multiply_add<T><<<blocks, threads>>>(options.n, sums<T>::factor,
							     sums<T>::summand, device);
		else
			add<T><<<blocks, threads>>>(options.n, sums<T>::summand, device);
		CHECK(cudaGetLastError());
	};

	operations *= multiply ? 2.0 * FLOPS_CHAINS * FLOPS_UNROLLED * options.n
			       : (double)options.n * options.n;
	/* The first launch loads the kernel and lets the clock rise. */
	launch();
	double seconds = workload_held_seconds(launch);

	CHECK(cudaMemcpy(results.data(), device, results.size() * sizeof(T),
			 cudaMemcpyDeviceToHost));
	for (T result : results)
		right = right && result == expected;
	per_second = operations / seconds;
	std::printf("%-12s  %-6s  %6d  %7d  %12.3f  %12.3f  ", multiply ? "multiply-add" : "add",
		    is_double ? "double" : "float", blocks, threads, seconds * 1e6,
		    per_second / 1e9);
	if (most)
		std::printf("%7.3f%%", 100 * per_second / most);
	else
		std::printf("%8s", "-");
	std::printf("  %s\n", right ? "right" : "WRONG");
	return right;
}

template <class T> static bool sweep(const options &options, bool multiply)
{
	int multiprocessors = workload_attribute(cudaDevAttrMultiProcessorCount);
	const int blocks[] = {1, multiprocessors, 2 * multiprocessors};
	const int threads[] = {32, 128, 256, 512, 1024};
	T expected = multiply ? sums<T>::multiply_add(options.n) : sums<T>::add(options.n);
	size_t most_blocks = options.blocks ? options.blocks : blocks[2];
	bool right = true;
	T *device;

	CHECK(cudaMalloc(&device, most_blocks * THREADS_MAX * sizeof(T)));
	for (int b : blocks) {
		for (int t : threads) {
			if ((options.blocks && b != blocks[0]) ||
			    (options.threads && t != threads[0]))
				continue;
			right &= measure(options, multiply, options.blocks ? options.blocks : b,
					 options.threads ? options.threads : t, expected, device);
		}
	}
	CHECK(cudaFree(device));
	return right;
}

static void print_peak(const char *type, bool is_double)
{
	if (peak(is_double))
		std::printf("Peak of %s (GFLOP/s): %.1f\n", type, peak(is_double) / 1e9);
	else
		std::printf("Peak of %s: not known for this compute capability\n", type);
}

int main(int argc, char **argv)
{
	static const char *const kernels[] = {"all", "add", "multiply-add", nullptr};
	static const char *const types[] = {"all", "float", "double", nullptr};
	options options;
	const struct workload_option table[] = {
		WORKLOAD_CHOICE("kernel", &options.kernel, kernels),
		WORKLOAD_CHOICE("type", &options.type, types),
		WORKLOAD_COUNT("n", &options.n, 1 << 20),
		WORKLOAD_COUNT("blocks", &options.blocks, 1 << 20),
		WORKLOAD_COUNT("threads", &options.threads, THREADS_MAX),
		WORKLOAD_END,
	};
	bool right = true;

	workload_parse(usage, table, argc, argv);
	print_peak("float", false);
	print_peak("double", true);
	std::printf("%-12s  %-6s  %6s  %7s  %12s  %12s  %8s  %s\n", "kernel", "type", "blocks",
		    "threads", "time (us)", "GFLOP/s", "of peak", "result");
	for (int kernel = 1; kernels[kernel]; kernel++) {
		if (options.kernel && options.kernel != kernel)
			continue;
		if (options.type != 2)
			right &= sweep<float>(options, kernel == 2);
		if (options.type != 1)
			right &= sweep<double>(options, kernel == 2);
	}
	return right ? 0 : 1;
}
