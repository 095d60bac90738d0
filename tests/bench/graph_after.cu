/* SPDX-License-Identifier: MIT */
/*
 * graph_after LOAD: does a load of launches, in a stream of its own, and then launches a graph of
 * 100 empty kernels; prints a line of NAME=VALUE, with `workload` and `ns`, the wall time of a
 * launch of the graph. On an H100 it is 22 % longer, for good, once the process has launched into
 * three streams more than the legacy one, the load's and the graph's.
 *
 * LOAD: `short`, 20,000 kernels of 3 us, 10,000 of 10 us, 2,000 of 100 us, 500 launches of the
 * graph; `long`, 2,000 kernels of 100 us, 3,000 launches; `graph`, 15,000 launches of the graph
 * alone; `streams=N`, `long` behind three empty kernels in each of N more streams.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <time.h>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t error = (call);                                                        \
		if (error != cudaSuccess) {                                                        \
			fprintf(stderr, "graph_after: %s: %s\n", #call,                            \
				cudaGetErrorString(error));                                        \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

__global__ void empty_kernel()
{
}

__global__ void wait_kernel(long long nanoseconds)
{
	long long start, time;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
	while (time - start < nanoseconds);
}

static void load(int launches, long long nanoseconds)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int i = 0; i < launches; i++)
		wait_kernel<<<1, 1, 0, stream>>>(nanoseconds);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
}

/* They are not destroyed: one that was counts as well. */
static void use_streams(int count)
{
	for (int i = 0; i < count; i++) {
		cudaStream_t stream;

		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
		for (int j = 0; j < 3; j++)
			empty_kernel<<<1, 1, 0, stream>>>();
		CHECK(cudaStreamSynchronize(stream));
	}
}

static double graph_ns(int launches)
{
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	double start;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < 100; i++)
		empty_kernel<<<1, 1, 0, stream>>>();
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	start = now();
	for (int i = 0; i < launches; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	return (now() - start) / launches;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "short";
	int launches = !strcmp(what, "short") ? 500 : !strcmp(what, "graph") ? 15000 : 3000;
	int streams = 0;

	wait_kernel<<<1, 1>>>(1000);
	CHECK(cudaDeviceSynchronize());
	if (!strcmp(what, "short")) {
		load(20000, 3000);
		load(10000, 10000);
		load(2000, 100000);
	} else if (strcmp(what, "graph")) {
		use_streams(sscanf(what, "streams=%d", &streams) == 1 ? streams : 0);
		load(2000, 100000);
	}
	printf("workload=%s ns=%.1f\n", what, graph_ns(launches));
	return 0;
}
