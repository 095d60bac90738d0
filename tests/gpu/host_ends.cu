/* SPDX-License-Identifier: MIT */
/*
 * host_ends HOW WAY: a host function ends the program, by exit, _exit, quick_exit, abort, terminate or
 * SIGTERM, while a kernel waits behind it and the main thread for all. HOW: function, callback, node
 * (of a graph), captured.
 */
#include <csignal>
#include <cstring>
#include <exception>

#include <unistd.h>

#include "check.cuh"

__global__ void counted_kernel(int *data)
{
	atomicAdd(data, 1);
}

static const char *way;

static void end(void *)
{
	printf("ends\n");
	fflush(stdout);
	if (!strcmp(way, "exit"))
		exit(3);
	if (!strcmp(way, "_exit"))
		_exit(3);
	if (!strcmp(way, "quick_exit"))
		quick_exit(3);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "terminate"))
		std::terminate();
	kill(getpid(), SIGTERM);
	sleep(60);
}

static void end_in_callback(cudaStream_t, cudaError_t, void *)
{
	end(nullptr);
}

static void launch_graph(cudaStream_t stream, cudaGraph_t graph)
{
	cudaGraphExec_t exec;

	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
}

static void launch_node(cudaStream_t stream)
{
	cudaHostNodeParams host = {};
	cudaGraph_t graph;
	cudaGraphNode_t node;

	host.fn = end;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddHostNode(&node, graph, nullptr, 0, &host));
	launch_graph(stream, graph);
}

static void launch_captured(cudaStream_t stream)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaLaunchHostFunc(stream, end, nullptr));
	CHECK(cudaStreamEndCapture(stream, &graph));
	launch_graph(stream, graph);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	cudaStream_t stream;
	int *data;

	way = argc > 2 ? argv[2] : "";
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&data, sizeof(int)));
	CHECK(cudaMemset(data, 0, sizeof(int)));
	for (int i = 0; i < 100; i++)
		counted_kernel<<<1, 1, 0, stream>>>(data);
	CHECK(cudaStreamSynchronize(stream));
	if (!strcmp(how, "function"))
		CHECK(cudaLaunchHostFunc(stream, end, nullptr));
	else if (!strcmp(how, "callback"))
		CHECK(cudaStreamAddCallback(stream, end_in_callback, nullptr, 0));
	else if (!strcmp(how, "node"))
		launch_node(stream);
	else if (!strcmp(how, "captured"))
		launch_captured(stream);
	else
		return 2;
	counted_kernel<<<1, 1, 0, stream>>>(data);
	CHECK(cudaDeviceSynchronize());
	return 1;
}
