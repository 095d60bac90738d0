/* SPDX-License-Identifier: MIT */
/*
 * graph_threads THREADS ROUNDS FORKS: each thread makes graphs in NVTX ranges, by capture and by
 * hand, launches them six times in a round, changes and destroys them; every fourth round begins
 * with a capture that is invalidated. Meanwhile the process forks, and the child makes a graph.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>

#include "tests/sim/programs/check.h"

static CUcontext context;
static CUdeviceptr memory;
static CUfunction first, second;
static int rounds;

static CUgraphNode add_kernel(CUgraph graph, CUfunction kernel)
{
	CUDA_KERNEL_NODE_PARAMS parameters = {.func = kernel, CHECK_ONE_THREAD};
	CUgraphNode node;

	CHECK(cuGraphAddKernelNode(&node, graph, NULL, 0, &parameters));
	return node;
}

/* Three kernels `second`, two kernels `first` and a memset. */
static CUgraph capture(CUstream stream)
{
	CUgraph graph;

	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	for (int i = 0; i < 5; i++)
		check_launch(i % 2 ? first : second, stream);
	CHECK(cuMemsetD8Async(memory, 0, 1024, stream));
	CHECK(cuStreamEndCapture(stream, &graph));
	return graph;
}

static void invalidated(CUstream stream)
{
	CUgraph graph;

	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	check_launch(first, stream);
	EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
	EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
}

static void one_round(CUstream stream, long thread, int number)
{
	CUDA_KERNEL_NODE_PARAMS parameters = {.func = first, CHECK_ONE_THREAD};
	CUgraphExecUpdateResultInfo info;
	CUgraph graph, clone, newer, around;
	CUgraphExec exec, other;
	CUgraphNode child, nodes[16];
	size_t count = 16;
	nvtxRangeId_t id;
	char name[32];

	snprintf(name, sizeof(name), "started %d", number % 20);
	id = nvtxRangeStartA(name);
	snprintf(name, sizeof(name), "thread %ld, %d", thread, number % 5);
	nvtxRangePushA(name);
	if (number % 4 == 3)
		invalidated(stream);
	graph = capture(stream);
	newer = capture(stream);
	CHECK(cuGraphClone(&clone, graph));
	add_kernel(clone, second);
	nvtxRangePop();
	nvtxRangeEnd(id);
	CHECK(cuGraphCreate(&around, 0));
	CHECK(cuGraphAddChildGraphNode(&child, around, NULL, 0, graph));
	add_kernel(around, first);
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	CHECK(cuGraphInstantiate(&other, around, 0));
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuGraphLaunch(other, stream));
	CHECK(cuGraphGetNodes(graph, nodes, &count));
	parameters.gridDimX = (unsigned)number % 3 + 1;
	CHECK(cuGraphExecKernelNodeSetParams(exec, nodes[2], &parameters));
	CHECK(cuGraphNodeSetEnabled(exec, nodes[1], (unsigned)number % 2));
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuGraphExecUpdate(exec, newer, &info));
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuGraphExecChildGraphNodeSetParams(other, child, newer));
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuGraphLaunch(other, stream));
	if (number % 16 == 7)
		CHECK(cuStreamSynchronize(stream));
	CHECK(cuGraphExecDestroy(exec));
	CHECK(cuGraphExecDestroy(other));
	CHECK(cuGraphDestroy(graph));
	CHECK(cuGraphDestroy(newer));
	CHECK(cuGraphDestroy(clone));
	CHECK(cuGraphDestroy(around));
}

static void *work(void *argument)
{
	CUstream stream;

	CHECK(cuCtxSetCurrent(context));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < rounds; i++)
		one_round(stream, (long)argument, i);
	CHECK(cuStreamSynchronize(stream));
	return NULL;
}

/* The driver is of little use in a child: whatever it answers, no call may hang. */
static void make_in_child(void)
{
	nvtxRangeId_t id = nvtxRangeStartA("child");
	CUgraphExec exec;
	CUgraph graph;

	nvtxRangePushA("in the child");
	if (cuGraphCreate(&graph, 0) == CUDA_SUCCESS) {
		add_kernel(graph, first);
		if (cuGraphInstantiate(&exec, graph, 0) == CUDA_SUCCESS)
			cuGraphExecDestroy(exec);
		cuGraphDestroy(graph);
	}
	nvtxRangePop();
	nvtxRangeEnd(id);
	_exit(0);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 4, forks = argc > 3 ? atoi(argv[3]) : 0, status;
	pthread_t threads[16];

	rounds = argc > 2 ? atoi(argv[2]) : 100;
	context = check_context();
	CHECK(cuMemAlloc(&memory, 4096));
	first = check_kernel("first");
	second = check_kernel("second");
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < forks; i++) {
		pid_t child = fork();

		if (child == 0)
			make_in_child();
		waitpid(child, &status, 0);
		EXPECT(0, status);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
