/* SPDX-License-Identifier: MIT */
/*
 * signalled COUNTS THREADS KERNEL_US [graph]: each thread launches without end into a stream of its
 * own, kernels of that length or graphs of ten of them, and counts its launches in the file COUNTS
 * (64-bit words, one a thread) after each has returned. signals.py ends it.
 */
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.cuh"

#define MOST_THREADS 64
#define GRAPH_NODES  10

static std::atomic<uint64_t> *counts;
static long long clocks;

__global__ void spin(long long clocks)
{
	long long start = clock64();

	while (clock64() - start < clocks)
		;
}

static cudaGraphExec_t make_graph(cudaStream_t stream)
{
	cudaGraph_t graph;
	cudaGraphExec_t executable;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < GRAPH_NODES; i++)
		spin<<<1, 32, 0, stream>>>(clocks);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	return executable;
}

static void launch(int thread, bool graphs)
{
	cudaGraphExec_t graph = nullptr;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	if (graphs)
		graph = make_graph(stream);
	for (;;) {
		if (graph)
			CHECK(cudaGraphLaunch(graph, stream));
		else
			spin<<<1, 32, 0, stream>>>(clocks);
		counts[thread].fetch_add(1);
	}
}

int main(int argc, char **argv)
{
	int file = argc >= 4 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	int thread_count = file < 0 ? 0 : atoi(argv[2]);
	bool graphs = argc > 4 && strcmp(argv[4], "graph") == 0;
	int kilohertz = 0;
	std::vector<std::thread> threads;

	if (thread_count < 1 || thread_count > MOST_THREADS || ftruncate(file, 4096)) {
		fprintf(stderr, "usage: %s COUNTS THREADS KERNEL_US [graph]\n", argv[0]);
		return 2;
	}
	counts = (std::atomic<uint64_t> *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
					       file, 0);
	CHECK(cudaFree(nullptr));
	CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
	clocks = (long long)kilohertz * atoi(argv[3]) / 1000;
	for (int i = 1; i < thread_count; i++)
		threads.emplace_back(launch, i, graphs);
	launch(0, graphs);
}
