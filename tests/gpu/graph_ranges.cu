/* SPDX-License-Identifier: MIT */
/*
 * An encoder of four layers whose nodes are made in NVTX ranges: captured on two threads, added by
 * hand, in a clone, in a child graph and by an update. Launches each graph REPLAYS times and prints
 * {"range": operations} as JSON, for graph_ranges.py.
 */
#include <cstring>
#include <map>
#include <string>
#include <thread>

#include <nvtx3/nvToolsExt.h>

#include "check.cuh"

#define LAYERS	4
/* Long enough for windows, of which there are some five a second. */
#define REPLAYS 40000

__global__ void attention(float *data)
{
	for (int i = 0; i < 4000; i++)
		data[threadIdx.x] = data[threadIdx.x] * 0.5f + 1;
}

__global__ void multiply(float *data)
{
	for (int i = 0; i < 4000; i++)
		data[threadIdx.x] *= 1.0001f;
}

static float *data, host[256];
static cudaStream_t stream, side;
static std::map<std::string, int> expected;
static std::string path;

struct Range {
	std::string around = path;
	Range(const std::string &name)
	{
		path = around.empty() ? name : around + "/" + name;
		nvtxRangePushA(name.c_str());
	}
	~Range()
	{
		nvtxRangePop();
		path = around;
	}
};

/* `count` operations were made here, in a graph that is launched `times` times. */
static void expect(int count, int times = REPLAYS)
{
	expected[path] += count * times;
}

static void layer(int number)
{
	Range range("layer " + std::to_string(number));

	{
		Range inner("attention");
		attention<<<1, 256, 0, stream>>>(data);
		multiply<<<1, 256, 0, stream>>>(data);
		expect(2);
	}
	{
		Range inner("mlp");
		CHECK(cudaMemsetAsync(data, 0, 512, stream));
		multiply<<<1, 256, 0, stream>>>(data);
		CHECK(cudaMemcpyAsync(data, host, 512, cudaMemcpyHostToDevice, stream));
		expect(3);
	}
	attention<<<1, 256, 0, stream>>>(data);
	expect(1);
}

static void launch(cudaGraph_t graph, int times)
{
	cudaGraphExec_t executable;

	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	for (int i = 0; i < times; i++)
		CHECK(cudaGraphLaunch(executable, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(executable));
}

static cudaGraph_t encoder()
{
	Range range("encoder");
	nvtxRangeId_t captured = nvtxRangeStartA("captured");
	cudaEvent_t fork, join;
	cudaGraph_t graph;

	CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	CHECK(cudaEventRecord(fork, stream));
	CHECK(cudaStreamWaitEvent(side, fork, 0));
	std::thread([] {
		nvtxRangePushA("beside");
		multiply<<<1, 256, 0, side>>>(data + 256);
		nvtxRangePop();
	}).join();
	expected["beside"] += REPLAYS;
	for (int i = 0; i < LAYERS; i++)
		layer(i);
	CHECK(cudaEventRecord(join, side));
	CHECK(cudaStreamWaitEvent(stream, join, 0));
	multiply<<<1, 256, 0, stream>>>(data);
	expect(1);
	CHECK(cudaStreamEndCapture(stream, &graph));
	/* Six of each layer, the last one, and the one beside. */
	nvtxRangeEnd(captured);
	expected["captured"] += (6 * LAYERS + 2) * REPLAYS;
	return graph;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, void (*kernel)(float *))
{
	cudaKernelNodeParams parameters = {};
	void *arguments[] = {&data};
	cudaGraphNode_t node;

	parameters.func = (void *)kernel;
	parameters.gridDim = dim3(1);
	parameters.blockDim = dim3(256);
	parameters.kernelParams = arguments;
	CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
	expect(1);
	return node;
}

/* Two nodes by hand, one more in a clone, and both as a child of another graph. */
static void by_hand()
{
	cudaGraph_t graph, clone, around;
	cudaGraphNode_t node;

	CHECK(cudaGraphCreate(&graph, 0));
	{
		Range range("by hand");
		add_kernel(graph, attention);
		add_kernel(graph, multiply);
		expect(2); /* again in the child */
	}
	CHECK(cudaGraphClone(&clone, graph));
	{
		Range range("in the clone");
		add_kernel(clone, multiply);
	}
	CHECK(cudaGraphCreate(&around, 0));
	CHECK(cudaGraphAddChildGraphNode(&node, around, nullptr, 0, graph));
	{
		Range range("beside the child");
		add_kernel(around, attention);
	}
	launch(clone, REPLAYS);
	launch(around, REPLAYS);
}

static cudaGraph_t captured_in(const char *name)
{
	Range range(name);
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	multiply<<<1, 256, 0, stream>>>(data);
	attention<<<1, 256, 0, stream>>>(data);
	CHECK(cudaStreamEndCapture(stream, &graph));
	expect(2);
	return graph;
}

static void updated()
{
	cudaGraph_t older = captured_in("older"), newer = captured_in("newer");
	cudaGraphExecUpdateResultInfo info;
	cudaGraphExec_t executable;

	CHECK(cudaGraphInstantiate(&executable, older, 0));
	for (int i = 0; i < 2 * REPLAYS; i++) {
		if (i == REPLAYS) {
			CHECK(cudaStreamSynchronize(stream));
			CHECK(cudaGraphExecUpdate(executable, newer, &info));
		}
		CHECK(cudaGraphLaunch(executable, stream));
	}
	CHECK(cudaStreamSynchronize(stream));
}

int main()
{
	const char *separator = "{";

	CHECK(cudaMalloc(&data, 4096));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
	launch(encoder(), REPLAYS);
	by_hand();
	updated();
	for (const auto &range : expected) {
		printf("%s\"%s\": %d", separator, range.first.c_str(), range.second);
		separator = ", ";
	}
	printf("}\n");
	return 0;
}
