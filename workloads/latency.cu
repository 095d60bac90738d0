/* SPDX-License-Identifier: MIT */
/* Cycles of memory accesses and of arithmetic, by the clock of a multiprocessor. */
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <cuda.h>

#include "workloads/latency_kernel.cuh"
#include "workloads/workload.cuh"

static const char usage[] =
	"[--launches L] [--passes P] [--cubin FILE]\n"
	"Cycles between two readings of the clock in a kernel of 4 warps, the last of P passes\n"
	"(default 4), and the median of L launches (default 21). Of storing to shared memory and\n"
	"loading again it prints each warp's start and stop, first for a kernel that measures "
	"what\n"
	"it should not, then for one that waits for its operands before the first reading and for\n"
	"its result before the second. The cycles of the two readings are taken off.\n"
	"--cubin takes the kernels from a file, such as an edited build/workloads/latency.cubin.\n";

static void check_driver(CUresult result, const char *call)
{
	const char *text = nullptr;

	if (result != CUDA_SUCCESS) {
		cuGetErrorString(result, &text);
		std::fprintf(stderr, "%s: %s: %s\n", workload_name(), call,
			     text ? text : "unknown error");
		std::exit(1);
	}
}
#define CHECK_DRIVER(call) check_driver(call, #call)

typedef void kernel(const latency_words *, unsigned *, latency_clocks *, int);

struct measurement {
	const char *title;
	const char *name; /* of the kernel */
	kernel *built_in;
	int operations; /* between the clocks, each waiting for the last */
	bool timeline;
	bool readings; /* holds the readings as overhead does */
	unsigned (*result)(unsigned value);
};

static unsigned same(unsigned value)
{
	return value;
}

static unsigned float_bits(unsigned value)
{
	float number = value;
	unsigned bits;

	std::memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static unsigned double_high_bits(unsigned value)
{
	double number = value;
	unsigned long long bits;

	std::memcpy(&bits, &number, sizeof(bits));
	return bits >> 32;
}

/* The first is what the others have taken off. */
static const measurement measurements[] = {
	{"two readings of the clock", "overhead", overhead, 1, false, false, same},
	{"shared store, barrier, load: naive", "shared_naive", shared_naive, 1, true, false, same},
	{"shared store, barrier, load", "shared_store_load", shared_store_load, 1, true, true,
	 same},
	{"shared load", "shared_load", shared_load, 1, false, true, same},
	{"global load, L1 cache", "global_load_l1", global_load_l1, 1, false, true, same},
	{"global load, L2 cache", "global_load_l2", global_load_l2, 1, false, true, same},
	{"integer multiply-add", "integer_multiply_add", integer_multiply_add, LATENCY_CHAIN, false,
	 true, same},
	{"float multiply-add", "float_multiply_add", float_multiply_add, LATENCY_CHAIN, false, true,
	 float_bits},
	{"double multiply-add", "double_multiply_add", double_multiply_add, LATENCY_CHAIN, false,
	 true, double_high_bits},
};

struct options {
	int launches = 21, passes = 4;
	const char *cubin = nullptr;
};

/* What the kernels read and write. */
struct memory {
	latency_words words;
	latency_words *device_words;
	unsigned *results;
	latency_clocks *clocks;
};

/* Of each warp in one launch: its first thread to start, its last to stop. */
typedef std::vector<latency_clocks> warps;

static CUmodule load(const char *path)
{
	std::FILE *file = std::fopen(path, "rb");
	std::vector<char> code;
	char block[4096];
	CUmodule module;
	size_t got;

	if (!file) {
		std::perror(path);
		std::exit(2);
	}
	while ((got = std::fread(block, 1, sizeof(block), file)))
		code.insert(code.end(), block, block + got);
	std::fclose(file);
	code.push_back(0);
	CHECK_DRIVER(cuModuleLoadData(&module, code.data()));
	return module;
}

/* Ends the program if the kernel did not do its work. */
static warps launch(const measurement &m, CUfunction edited, const options &options,
		    const memory &memory)
{
	std::vector<unsigned> results(LATENCY_THREADS);
	std::vector<latency_clocks> clocks(LATENCY_THREADS);
	warps of_warps(LATENCY_WARPS);
	int passes = options.passes;
	void *parameters[] = {(void *)&memory.device_words, (void *)&memory.results,
			      (void *)&memory.clocks, &passes};

	CHECK(cudaMemset(memory.results, 0, LATENCY_THREADS * sizeof(unsigned)));
	if (edited)
		CHECK_DRIVER(cuLaunchKernel(edited, 1, 1, 1, LATENCY_THREADS, 1, 1, 0, nullptr,
					    parameters, nullptr));
	else
		CHECK(cudaLaunchKernel((const void *)m.built_in, dim3(1), dim3(LATENCY_THREADS),
				       parameters, 0, nullptr));
	CHECK(cudaMemcpy(results.data(), memory.results, results.size() * sizeof(unsigned),
			 cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(clocks.data(), memory.clocks, clocks.size() * sizeof(latency_clocks),
			 cudaMemcpyDeviceToHost));
	for (int t = 0; t < LATENCY_THREADS; t++) {
		if (results[t] != m.result(memory.words.value[t])) {
			std::fprintf(stderr, "%s: %s: thread %d's result is wrong\n",
				     workload_name(), m.name, t);
			std::exit(1);
		}
		latency_clocks &warp = of_warps[t / 32];
		warp.start = t % 32 ? std::min(warp.start, clocks[t].start) : clocks[t].start;
		warp.stop = t % 32 ? std::max(warp.stop, clocks[t].stop) : clocks[t].stop;
	}
	return of_warps;
}

static void print_timeline(const measurement &m, const warps &warps)
{
	std::map<std::pair<long long, int>, std::string> events;
	long long first = warps[0].start;

	for (const latency_clocks &warp : warps)
		first = std::min(first, warp.start);
	for (size_t w = 0; w < warps.size(); w++) {
		const latency_clocks &warp = warps[w];

		events[{warp.start - first, 0}] += " " + std::to_string(w);
		events[{warp.stop - first, 1}] += " " + std::to_string(w) + " (" +
						  std::to_string(warp.stop - warp.start) +
						  " cycles)";
	}
	std::printf("%s, the last launch:\n%8s  %-5s  %s\n", m.title, "cycle", "event", "warps");
	for (const auto &event : events)
		std::printf("%8lld  %-5s %s\n", event.first.first,
			    event.first.second ? "STOP" : "START", event.second.c_str());
	std::printf("\n");
}

/* The median of each warp's cycles over all launches. */
static std::vector<long long> measure(const measurement &m, CUfunction edited,
				      const options &options, const memory &memory)
{
	std::vector<std::vector<long long>> cycles(LATENCY_WARPS);
	std::vector<long long> medians;
	warps last;

	for (int i = 0; i < options.launches; i++) {
		last = launch(m, edited, options, memory);
		for (int w = 0; w < LATENCY_WARPS; w++)
			cycles[w].push_back(last[w].stop - last[w].start);
	}
	if (m.timeline)
		print_timeline(m, last);
	for (std::vector<long long> &of_warp : cycles) {
		std::sort(of_warp.begin(), of_warp.end());
		medians.push_back(of_warp[of_warp.size() / 2]);
	}
	return medians;
}

static void print_row(const measurement &m, const std::vector<long long> &cycles,
		      long long readings)
{
	long long least = *std::min_element(cycles.begin(), cycles.end());

	std::printf("%-36s", m.title);
	for (long long of_warp : cycles)
		std::printf(" %6lld", of_warp);
	if (m.readings)
		std::printf("  %10.2f\n", (double)(least - readings) / m.operations);
	else
		std::printf("  %10s\n", "-");
}

int main(int argc, char **argv)
{
	options options;
	const struct workload_option table[] = {
		WORKLOAD_COUNT("launches", &options.launches, 100000),
		WORKLOAD_COUNT("passes", &options.passes, 1000),
		WORKLOAD_TEXT("cubin", &options.cubin),
		WORKLOAD_END,
	};
	std::vector<std::vector<long long>> rows;
	std::vector<const measurement *> measured;
	long long readings = 0;
	memory memory;

	workload_parse(usage, table, argc, argv);
	CHECK(cudaFree(nullptr));
	CUmodule module = options.cubin ? load(options.cubin) : nullptr;

	for (unsigned t = 0; t < LATENCY_THREADS; t++) {
		memory.words.store_at[t] = memory.words.load_at[t] = t * sizeof(unsigned);
		memory.words.value[t] = 1000 + t;
		memory.words.factor[t] = 1;
		memory.words.summand[t] = 0;
	}
	CHECK(cudaMalloc(&memory.device_words, sizeof(memory.words)));
	CHECK(cudaMalloc(&memory.results, LATENCY_THREADS * sizeof(unsigned)));
	CHECK(cudaMalloc(&memory.clocks, LATENCY_THREADS * sizeof(latency_clocks)));
	CHECK(cudaMemcpy(memory.device_words, &memory.words, sizeof(memory.words),
			 cudaMemcpyHostToDevice));
	for (const measurement &m : measurements) {
		CUfunction edited = nullptr;

		if (module && cuModuleGetFunction(&edited, module, m.name) != CUDA_SUCCESS) {
			std::printf("%s has no kernel %s\n", options.cubin, m.name);
			continue;
		}
		rows.push_back(measure(m, edited, options, memory));
		measured.push_back(&m);
		if (&m == measurements)
			readings = *std::min_element(rows[0].begin(), rows[0].end());
	}
	std::printf("%-36s", "cycles of each warp, median");
	for (int w = 0; w < LATENCY_WARPS; w++)
		std::printf(" %6d", w);
	std::printf("  %10s\n", "each");
	for (size_t i = 0; i < rows.size(); i++)
		print_row(*measured[i], rows[i], readings);
	std::printf(
		"each: the fewest cycles of a warp, less the two readings (%lld), by the number "
		"of operations\n",
		readings);
	return 0;
}
