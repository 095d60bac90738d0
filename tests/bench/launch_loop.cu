/* SPDX-License-Identifier: MIT */
/*
 * launch_loop WORKLOAD [OPERATIONS [REPETITIONS]]
 * launch_loop --turns
 *
 * Does one kind of GPU work many times and prints, as its last act, one line of NAME=VALUE:
 *   ns           wall time of an operation, median over the repetitions (wait at the end included)
 *   ns_minimum, ns_maximum
 *   host_ns      the same without the wait: what the calls alone took
 *   main_ns, ready_ns, end_ns    CLOCK_MONOTONIC in main, after the first CUDA work, and now
 *   rss_kib      peak resident memory
 *
 * With --turns it prints `ready`, then for every line on its input, which names a workload, that
 * workload's line and `done`. It ends with its input.
 */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <time.h>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t error = (call);                                                        \
		if (error != cudaSuccess) {                                                        \
			fprintf(stderr, "launch_loop: %s: %s\n", #call,                            \
				cudaGetErrorString(error));                                        \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define THREADS	    16
#define GRAPH_NODES 100
#define COPY_BYTES  4096

struct measurement {
	double ns;
	double host_ns;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

__global__ void empty_kernel()
{
}

/* Runs for a number of SM clock cycles. */
__global__ void spin_kernel(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

/* The same under many names, for tables of many rows. */
template <int Row> __global__ void row_kernel(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

static long long cycles_of(double microseconds)
{
	int kilohertz;

	CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
	return (long long)(microseconds * kilohertz / 1000);
}

template <typename Operation> static measurement measure(long operations, Operation operation)
{
	uint64_t start, queued;

	CHECK(cudaDeviceSynchronize());
	start = now();
	for (long i = 0; i < operations; i++)
		operation(i);
	queued = now();
	CHECK(cudaDeviceSynchronize());
	return {(now() - start) / (double)operations, (queued - start) / (double)operations};
}

static cudaStream_t stream;

static measurement run_empty(long operations)
{
	return measure(operations, [](long) { empty_kernel<<<1, 1, 0, stream>>>(); });
}

template <int Microseconds> static measurement run_spin(long operations)
{
	long long cycles = cycles_of(Microseconds);

	return measure(operations, [=](long) { spin_kernel<<<1, 1, 0, stream>>>(cycles); });
}

static measurement run_graph(long operations)
{
	static cudaGraphExec_t executable;
	cudaGraph_t graph;

	if (!executable) {
		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
		for (int i = 0; i < GRAPH_NODES; i++)
			empty_kernel<<<1, 1, 0, stream>>>();
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiate(&executable, graph, 0));
		CHECK(cudaGraphDestroy(graph));
	}
	return measure(operations, [](long) { CHECK(cudaGraphLaunch(executable, stream)); });
}

static measurement run_copies(long operations)
{
	static void *host, *device;

	if (!host) {
		CHECK(cudaMallocHost(&host, COPY_BYTES));
		CHECK(cudaMalloc(&device, COPY_BYTES));
	}
	return measure(operations, [](long) {
		CHECK(cudaMemcpyAsync(device, host, COPY_BYTES, cudaMemcpyHostToDevice, stream));
	});
}

/* An operation is one launch of each thread. */
static measurement run_threads(long operations)
{
	static cudaStream_t streams[THREADS];
	std::vector<std::thread> threads;

	for (int i = 0; i < THREADS && !streams[i]; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	measurement all = measure(1, [&](long) {
		for (int i = 0; i < THREADS; i++)
			threads.emplace_back([=] {
				for (long n = 0; n < operations; n++)
					empty_kernel<<<1, 1, 0, streams[i]>>>();
			});
		for (std::thread &thread : threads)
			thread.join();
	});
	return {all.ns / operations, all.host_ns / operations};
}

/*
 * Twelve kernels of 5 us to about 200 us on the mean, in random order, each launch between half
 * and one and a half times its kernel's mean.
 */
static measurement run_rows(long operations)
{
	static void (*const kernels[])(long long) = {
		row_kernel<0>, row_kernel<1>, row_kernel<2>,  row_kernel<3>,
		row_kernel<4>, row_kernel<5>, row_kernel<6>,  row_kernel<7>,
		row_kernel<8>, row_kernel<9>, row_kernel<10>, row_kernel<11>,
	};
	const int rows = sizeof(kernels) / sizeof(kernels[0]);
	static uint64_t random = 88172645463325252ull;
	long long means[rows];

	for (int i = 0; i < rows; i++)
		means[i] = cycles_of(5 * pow(2, i / 2.0));
	return measure(operations, [&](long) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		int row = random % rows;
		double factor = 0.5 + (random >> 11) / 9007199254740992.0;

		kernels[row]<<<1, 1, 0, stream>>>((long long)(means[row] * factor));
	});
}

static measurement run_idle(long operations)
{
	return measure(operations, [](long) { empty_kernel<<<1, 1, 0, stream>>>(); });
}

static const struct workload {
	const char *name;
	measurement (*run)(long operations);
	long operations;
	int repetitions;
} workloads[] = {
	{"empty", run_empty, 20000, 5},
	{"kernel_3us", run_spin<3>, 15000, 5},
	{"kernel_10us", run_spin<10>, 5000, 5},
	{"kernel_100us", run_spin<100>, 600, 5},
	{"graph", run_graph, 1000, 5},
	{"copies", run_copies, 20000, 5},
	{"threads", run_threads, 4000, 5},
	{"rows", run_rows, 20000, 1},
	{"idle", run_idle, 1, 1},
};

static const struct workload *find_workload(const char *name)
{
	for (const workload &w : workloads)
		if (!strcmp(w.name, name))
			return &w;
	return nullptr;
}

static int usage(void)
{
	fprintf(stderr, "usage: launch_loop WORKLOAD [OPERATIONS [REPETITIONS]]\n"
			"       launch_loop --turns\nworkloads:");
	for (const workload &w : workloads)
		fprintf(stderr, " %s", w.name);
	fprintf(stderr, "\n");
	return 2;
}

static int take_turns(void)
{
	const workload *chosen;
	char name[64];

	puts("ready");
	fflush(stdout);
	while (scanf("%63s", name) == 1) {
		chosen = find_workload(name);
		if (!chosen)
			return usage();
		/* What came in between has left caches cold, and rates of calls forgotten. */
		chosen->run(chosen->operations / 4);
		measurement m = chosen->run(chosen->operations);
		printf("workload=%s operations=%ld ns=%.1f host_ns=%.1f\ndone\n", chosen->name,
		       chosen->operations, m.ns, m.host_ns);
		fflush(stdout);
	}
	return 0;
}

static int take_measurements(const workload *chosen, long operations, int repetitions,
			     uint64_t main_ns, uint64_t ready_ns)
{
	std::vector<double> ns, host_ns;
	struct rusage usage_self;

	if (repetitions > 1)
		chosen->run(operations / 4 + 1); /* warm-up */
	for (int i = 0; i < repetitions; i++) {
		measurement m = chosen->run(operations);

		ns.push_back(m.ns);
		host_ns.push_back(m.host_ns);
	}
	std::sort(ns.begin(), ns.end());
	std::sort(host_ns.begin(), host_ns.end());
	getrusage(RUSAGE_SELF, &usage_self);
	printf("workload=%s operations=%ld repetitions=%d ns=%.1f ns_minimum=%.1f ns_maximum=%.1f "
	       "host_ns=%.1f main_ns=%lu ready_ns=%lu end_ns=%lu rss_kib=%ld\n",
	       chosen->name, operations, repetitions, ns[ns.size() / 2], ns.front(), ns.back(),
	       host_ns[host_ns.size() / 2], main_ns, ready_ns, now(), usage_self.ru_maxrss);
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t main_ns = now();
	bool turns = argc == 2 && !strcmp(argv[1], "--turns");
	const workload *chosen = argc > 1 ? find_workload(argv[1]) : nullptr;
	long operations = 0;
	int repetitions = 0;

	if (chosen) {
		operations = argc > 2 ? atol(argv[2]) : chosen->operations;
		repetitions = argc > 3 ? atoi(argv[3]) : chosen->repetitions;
	}
	if (!turns && (operations < 1 || repetitions < 1))
		return usage();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	return turns ? take_turns()
		     : take_measurements(chosen, operations, repetitions, main_ns, now());
}
