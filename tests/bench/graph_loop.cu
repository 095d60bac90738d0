/* SPDX-License-Identifier: MIT */
/*
 * graph_loop GRAPH SECONDS: launches a graph without a pause, for one second and then for SECONDS,
 * and prints a line of NAME=VALUE, with `workload`:
 *   ns          wall time of a launch after the first second
 *   first_ns    and in it
 *   launches    how many there were in all
 *
 * GRAPH: `empty`, 100 empty kernels; `mixed`, 1,000 nodes: kernels of three lengths, copies and
 * memsets; `updated`, 100 kernels, which are updated by another graph every 500 launches; `none`,
 * an empty kernel without a graph; `threads`, that from 16 threads.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <time.h>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t error = (call);                                                        \
		if (error != cudaSuccess) {                                                        \
			fprintf(stderr, "graph_loop: %s: %s\n", #call, cudaGetErrorString(error)); \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define BYTES	65536
#define THREADS 16

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

__global__ void empty_kernel()
{
}

template <int Length> __global__ void spin_kernel(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

static cudaStream_t stream;
static char *device, *host;

static void add_mixed(int i)
{
	switch (i % 10) {
	case 0:
		CHECK(cudaMemsetAsync(device, 0, BYTES, stream));
		break;
	case 3:
		CHECK(cudaMemcpyAsync(device, device + BYTES, BYTES, cudaMemcpyDeviceToDevice,
				      stream));
		break;
	case 6:
		CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
		break;
	case 8:
		spin_kernel<2><<<1, 1, 0, stream>>>(3600);
		break;
	case 9:
		spin_kernel<5><<<1, 1, 0, stream>>>(9000);
		break;
	default:
		empty_kernel<<<1, 1, 0, stream>>>();
	}
}

static cudaGraph_t make_graph(int nodes, bool mixed, long long cycles)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < nodes; i++) {
		if (mixed)
			add_mixed(i);
		else if (cycles)
			spin_kernel<0><<<1, 1, 0, stream>>>(cycles);
		else
			empty_kernel<<<1, 1, 0, stream>>>();
	}
	CHECK(cudaStreamEndCapture(stream, &graph));
	return graph;
}

static cudaGraphExec_t executable;
static cudaGraph_t versions[2];
static long launched;
static int version;

static void launch(bool updates)
{
	cudaGraphExecUpdateResultInfo info;

	if (!executable) {
		empty_kernel<<<1, 1, 0, stream>>>();
		return;
	}
	if (updates && ++launched % 500 == 0) {
		version = !version;
		CHECK(cudaGraphExecUpdate(executable, versions[version], &info));
	}
	CHECK(cudaGraphLaunch(executable, stream));
}

/* Nanoseconds of a launch. */
static double run(double seconds, bool updates, uint64_t *launches)
{
	uint64_t start = now(), end = start + (uint64_t)(seconds * 1e9), count = 0;

	while (now() < end) {
		for (int i = 0; i < 20; i++)
			launch(updates);
		count += 20;
	}
	CHECK(cudaDeviceSynchronize());
	*launches += count;
	return (double)(now() - start) / (double)count;
}

static double run_threads(double seconds, uint64_t *launches)
{
	std::vector<std::thread> threads;
	uint64_t counts[THREADS] = {}, start = now(), sum = 0;

	for (int i = 0; i < THREADS; i++)
		threads.emplace_back([&, i] {
			uint64_t end = now() + (uint64_t)(seconds * 1e9);
			cudaStream_t own;

			CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
			while (now() < end) {
				for (int k = 0; k < 20; k++)
					empty_kernel<<<1, 1, 0, own>>>();
				counts[i] += 20;
			}
			CHECK(cudaStreamSynchronize(own));
		});
	for (std::thread &thread : threads)
		thread.join();
	for (uint64_t count : counts)
		sum += count;
	*launches += sum;
	return (double)(now() - start) / (double)sum;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "empty";
	double seconds = argc > 2 ? atof(argv[2]) : 3, first, later;
	bool updates = !strcmp(what, "updated"), threads = !strcmp(what, "threads");
	uint64_t launches = 0;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&device, 2 * BYTES));
	CHECK(cudaMallocHost(&host, BYTES));
	if (!strcmp(what, "empty"))
		versions[0] = make_graph(100, false, 0);
	else if (!strcmp(what, "mixed"))
		versions[0] = make_graph(1000, true, 0);
	else if (updates) {
		versions[0] = make_graph(100, false, 1000);
		versions[1] = make_graph(100, false, 4000);
	}
	if (versions[0])
		CHECK(cudaGraphInstantiate(&executable, versions[0], 0));
	first = threads ? run_threads(1, &launches) : run(1, updates, &launches);
	later = threads ? run_threads(seconds, &launches) : run(seconds, updates, &launches);
	printf("workload=%s ns=%.1f first_ns=%.1f launches=%llu\n", what, later, first,
	       (unsigned long long)launches);
	return 0;
}
