/* SPDX-License-Identifier: MIT */
/*
 * Stream capture in every mode, with another thread launching and copying beside it, on created,
 * forked and per-thread streams. Prints each captured graph's nodes and what running it gives.
 */
#include <atomic>
#include <thread>
#include <vector>

#include "check.cuh"

#define N 256

__global__ void add_kernel(int *data, int value)
{
	data[threadIdx.x] += value;
}

__global__ void beside_kernel(int *data)
{
	data[threadIdx.x] = threadIdx.x;
}

static int *data, *beside;

/* Launches on a stream of its own while the capture goes on; nothing that a capture forbids. */
static void launch_beside(cudaStream_t stream, int launches)
{
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

	CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
	for (int i = 0; i < launches; i++)
		beside_kernel<<<1, N, 0, stream>>>(beside);
}

static void print_nodes(const char *title, cudaGraph_t graph)
{
	std::vector<cudaGraphNode_t> nodes;
	size_t count = 0;

	CHECK(cudaGraphGetNodes(graph, nullptr, &count));
	nodes.resize(count);
	CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
	printf("%s:", title);
	for (cudaGraphNode_t node : nodes) {
		cudaGraphNodeType type;

		CHECK(cudaGraphNodeGetType(node, &type));
		printf(" %d", (int)type);
	}
	printf("\n");
}

static void run_graph(cudaGraph_t graph, cudaStream_t stream, int launches)
{
	cudaGraphExec_t executable;
	int host[N];

	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	CHECK(cudaMemsetAsync(data, 0, sizeof(host), stream));
	for (int i = 0; i < launches; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	printf("  result %d %d\n", host[0], host[N - 1]);
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(graph));
}

static void capture(const char *title, cudaStreamCaptureMode mode, cudaStream_t stream)
{
	cudaStream_t forked, separate;
	cudaEvent_t fork, join;
	cudaGraph_t graph;

	CHECK(cudaStreamCreateWithFlags(&forked, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&separate, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

	CHECK(cudaStreamBeginCapture(stream, mode));
	std::thread other(launch_beside, separate, 20);
	add_kernel<<<1, N, 0, stream>>>(data, 1);
	CHECK(cudaEventRecord(fork, stream));
	CHECK(cudaStreamWaitEvent(forked, fork, 0));
	add_kernel<<<1, N, 0, forked>>>(data, 10);
	CHECK(cudaEventRecord(join, forked));
	CHECK(cudaMemsetAsync(beside + N, 0, N, stream));
	CHECK(cudaStreamWaitEvent(stream, join, 0));
	add_kernel<<<1, N, 0, stream>>>(data, 100);
	other.join();
	CHECK(cudaStreamEndCapture(stream, &graph));
	print_nodes(title, graph);
	run_graph(graph, stream, 3);

	CHECK(cudaStreamSynchronize(separate));
	CHECK(cudaEventDestroy(fork));
	CHECK(cudaEventDestroy(join));
	CHECK(cudaStreamDestroy(forked));
	CHECK(cudaStreamDestroy(separate));
}

/* A capture that the program breaks itself must break in the same way. */
static void broken_capture(cudaStream_t stream)
{
	cudaGraph_t graph = nullptr;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add_kernel<<<1, N, 0, stream>>>(data, 1);
	printf("synchronize: %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
	printf("end: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
	cudaGetLastError();
}

int main()
{
	cudaStream_t stream;

	CHECK(cudaMalloc(&data, N * sizeof(int)));
	CHECK(cudaMalloc(&beside, 2 * N * sizeof(int)));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	/* Loads the kernels, which a strict capture in another thread could forbid. */
	add_kernel<<<1, N, 0, stream>>>(data, 0);
	beside_kernel<<<1, N, 0, stream>>>(beside);
	CHECK(cudaStreamSynchronize(stream));

	capture("global", cudaStreamCaptureModeGlobal, stream);
	capture("thread-local", cudaStreamCaptureModeThreadLocal, stream);
	capture("relaxed", cudaStreamCaptureModeRelaxed, stream);
	capture("per-thread stream", cudaStreamCaptureModeThreadLocal, cudaStreamPerThread);
	std::thread(capture, "in another thread", cudaStreamCaptureModeGlobal, stream).join();
	broken_capture(stream);
	capture("after a broken one", cudaStreamCaptureModeGlobal, stream);
	return 0;
}
