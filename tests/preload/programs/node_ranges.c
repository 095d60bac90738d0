/* SPDX-License-Identifier: MIT */
/*
 * Graphs whose nodes are made in NVTX ranges, in all ways to make them, and launched in a range
 * "replay". A memset of 1024 bytes takes 1001 ns on the simulated device.
 *
 * usage: node_ranges [LAUNCHES]	all ways, each graph launched as often
 *        node_ranges paths NUMBER	100,000 nodes in that number of ranges, launched twice
 *        node_ranges wide NUMBER	a graph of 101 nodes, launched as often in "run"
 *        node_ranges after NUMBER	the same ten times, after one in no ranges as often
 *        node_ranges deep NUMBER	a kernel in this many nested child graphs, ten launches
 *        node_ranges started NUMBER	a graph captured in a start/end range
 *        node_ranges variants NUMBER	a graph captured in a range of another name each time
 *        node_ranges child NUMBER	a child graph is changed before each of as many launches
 *        node_ranges twice NUMBER	as many start/end ranges, each ended by two threads at once
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

static CUdeviceptr memory;
static CUstream stream, other;
static CUfunction first, second;
static CUcontext context;
static int launches = 10;

static void memset_in(CUstream in)
{
	CHECK(cuMemsetD8Async(memory, 0, 1024, in));
}

static void begin(void)
{
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
}

static CUgraph end(void)
{
	CUgraph graph;

	CHECK(cuStreamEndCapture(stream, &graph));
	return graph;
}

/* ktime does not record kernels while a graph is made or changed. */
static void record_kernels_again(void)
{
	wait_for_a_turn_of_ktime();
}

static CUgraphExec instantiate(CUgraph graph)
{
	CUgraphExec exec;

	CHECK(cuGraphInstantiate(&exec, graph, 0));
	record_kernels_again();
	return exec;
}

static void launch(CUgraphExec exec, int times)
{
	nvtxRangePushA("replay");
	for (int i = 0; i < times; i++) {
		CHECK(cuGraphLaunch(exec, stream));
		CHECK(cuStreamSynchronize(stream));
	}
	nvtxRangePop();
}

static CUgraphNode add_kernel(CUgraph graph, CUfunction kernel)
{
	CUDA_KERNEL_NODE_PARAMS parameters = {.func = kernel, CHECK_ONE_THREAD};
	CUgraphNode node;

	CHECK(cuGraphAddKernelNode(&node, graph, NULL, 0, &parameters));
	return node;
}

static CUgraphNode add_memset(CUgraph graph)
{
	CUDA_MEMSET_NODE_PARAMS parameters = {
		.dst = memory, .elementSize = 1, .width = 1024, .height = 1};
	CUgraphNode node;

	CHECK(cuGraphAddMemsetNode(&node, graph, NULL, 0, &parameters, context));
	return node;
}

/* A memset outside of ranges, a kernel in "captured", and a memset and a kernel in "inner". */
static CUgraph capture(void)
{
	begin();
	memset_in(stream);
	nvtxRangePushA("captured");
	check_launch(first, stream);
	nvtxRangePushA("inner");
	memset_in(stream);
	check_launch(second, stream);
	nvtxRangePop();
	nvtxRangePop();
	return end();
}

static void launch_all(int firsts, int seconds)
{
	for (int i = 0; i < seconds; i++)
		check_launch(second, stream);
	for (int i = 0; i < firsts; i++)
		check_launch(first, stream);
}

/* A kernel in no range, 60 in "wide" and 40 in "inner". */
static CUgraph capture_wide(void)
{
	begin();
	launch_all(1, 0);
	nvtxRangePushA("wide");
	launch_all(0, 60);
	nvtxRangePushA("inner");
	launch_all(40, 0);
	nvtxRangePop();
	nvtxRangePop();
	return end();
}

static void after(int times)
{
	nvtxRangeId_t id;
	CUgraphExec exec;

	begin();
	launch_all(41, 60);
	exec = instantiate(end());
	for (int i = 0; i < times; i++) {
		CHECK(cuGraphLaunch(exec, stream));
		CHECK(cuStreamSynchronize(stream));
		usleep(300);
	}
	id = nvtxRangeStartA("captured in");
	exec = instantiate(capture_wide());
	nvtxRangeEnd(id);
	launch(exec, 10);
}

static void by_hand(void)
{
	CUgraph graph, clone;
	CUgraphExec exec;

	CHECK(cuGraphCreate(&graph, 0));
	nvtxRangePushA("by hand");
	add_kernel(graph, first);
	add_memset(graph);
	nvtxRangePop();
	CHECK(cuGraphClone(&clone, graph));
	CHECK(cuGraphDestroy(graph));
	nvtxRangePushA("added to a clone");
	add_kernel(clone, second);
	nvtxRangePop();
	exec = instantiate(clone);
	CHECK(cuGraphDestroy(clone));
	launch(exec, launches);
}

/* A child graph's nodes are in the ranges that they were captured in; those in none are where the
 * child was added. The graph's own node comes after the children. */
static void with_children(CUgraph child)
{
	CUgraph graph, around;
	CUgraphNode node;

	CHECK(cuGraphCreate(&around, 0));
	add_kernel(around, second);
	CHECK(cuGraphAddChildGraphNode(&node, around, NULL, 0, child));
	CHECK(cuGraphCreate(&graph, 0));
	nvtxRangePushA("child");
	CHECK(cuGraphAddChildGraphNode(&node, graph, NULL, 0, around));
	nvtxRangePop();
	nvtxRangePushA("beside the child");
	add_memset(graph);
	nvtxRangePop();
	launch(instantiate(graph), launches);
	CHECK(cuGraphDestroy(graph));
	CHECK(cuGraphDestroy(around));
}

static void deep(int levels)
{
	CUgraph graph, around;
	CUgraphNode node;

	nvtxRangePushA("deepest");
	CHECK(cuGraphCreate(&graph, 0));
	add_kernel(graph, second);
	nvtxRangePop();
	for (int i = 0; i < levels; i++) {
		CHECK(cuGraphCreate(&around, 0));
		CHECK(cuGraphAddChildGraphNode(&node, around, NULL, 0, graph));
		CHECK(cuGraphDestroy(graph));
		graph = around;
	}
	nvtxRangePushA("outermost");
	add_kernel(graph, first);
	nvtxRangePop();
	launch(instantiate(graph), launches);
	CHECK(cuGraphDestroy(graph));
}

/* To be called after all graphs with children: from then on the last numbers are not known. */
static void with_hole(void)
{
	CUgraphNode gone;
	CUgraph graph;

	CHECK(cuGraphCreate(&graph, 0));
	nvtxRangePushA("before the hole");
	gone = add_memset(graph);
	add_kernel(graph, first);
	CHECK(cuGraphDestroyNode(gone));
	nvtxRangePop();
	nvtxRangePushA("after the hole");
	add_memset(graph);
	nvtxRangePop();
	launch(instantiate(graph), launches);
	CHECK(cuGraphDestroy(graph));
}

static CUgraph capture_in(const char *name)
{
	begin();
	if (name)
		nvtxRangePushA(name);
	check_launch(second, stream);
	memset_in(stream);
	if (name)
		nvtxRangePop();
	return end();
}

static void updated(void)
{
	CUgraph graph = capture_in("first"), newer = capture_in("second");
	CUgraphExecUpdateResultInfo info;
	CUgraphExec exec = instantiate(graph);

	launch(exec, launches);
	usleep(20000);
	CHECK(cuGraphExecUpdate(exec, newer, &info));
	record_kernels_again();
	CHECK(cuGraphDestroy(graph));
	CHECK(cuGraphDestroy(newer));
	usleep(20000);
	launch(exec, launches);
}

/* The child is captured in range `was` (NULL: in none), and after some launches replaced by one
 * that was captured in range `is`. */
static void changed_child(const char *was, const char *is, int before)
{
	CUgraph child = capture_in(was), newer = capture_in(is), graph;
	CUgraphNode node;
	CUgraphExec exec;

	CHECK(cuGraphCreate(&graph, 0));
	add_memset(graph);
	CHECK(cuGraphAddChildGraphNode(&node, graph, NULL, 0, child));
	exec = instantiate(graph);
	launch(exec, before);
	CHECK(cuGraphExecChildGraphNodeSetParams(exec, node, newer));
	record_kernels_again();
	CHECK(cuGraphDestroy(child));
	CHECK(cuGraphDestroy(newer));
	launch(exec, launches);
	CHECK(cuGraphExecDestroy(exec));
	CHECK(cuGraphDestroy(graph));
}

static void *beside(void *unused)
{
	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	nvtxRangePushA("other thread");
	memset_in(other);
	nvtxRangePop();
	return NULL;
}

static void by_threads(void)
{
	pthread_t thread;
	CUevent fork, join;
	CUgraph graph;

	CHECK(cuEventCreate(&fork, 0));
	CHECK(cuEventCreate(&join, 0));
	begin();
	CHECK(cuEventRecord(fork, stream));
	CHECK(cuStreamWaitEvent(other, fork, 0));
	pthread_create(&thread, NULL, beside, NULL);
	pthread_join(thread, NULL);
	nvtxRangePushA("this thread");
	memset_in(stream);
	nvtxRangePop();
	CHECK(cuEventRecord(join, other));
	CHECK(cuStreamWaitEvent(stream, join, 0));
	check_launch(first, stream);
	graph = end();
	launch(instantiate(graph), launches);
	CHECK(cuGraphDestroy(graph));
}

static void many_paths(int paths)
{
	const int nodes = 100000;
	CUgraph graph;
	char name[32];

	CHECK(cuGraphCreate(&graph, 0));
	for (int i = 0; i < nodes; i++) {
		if (i * (long)paths / nodes != (i - 1) * (long)paths / nodes || !i) {
			if (i)
				nvtxRangePop();
			snprintf(name, sizeof(name), "layer %ld", i * (long)paths / nodes);
			nvtxRangePushA(name);
			if (i % 500 == 0)
				usleep(2000);
		}
		add_memset(graph);
	}
	nvtxRangePop();
	launch(instantiate(graph), 2);
}

/* A memset and a kernel captured in a start/end range, a memset in none; launched in no such range,
 * in the same and in another. */
static void in_started(void)
{
	nvtxRangeId_t id = nvtxRangeStartA("captured in");
	CUgraphExec exec;

	begin();
	memset_in(stream);
	nvtxRangePushA("pushed");
	check_launch(first, stream);
	nvtxRangePop();
	nvtxRangeEnd(id);
	memset_in(stream);
	exec = instantiate(end());
	launch(exec, launches);
	id = nvtxRangeStartA("captured in");
	launch(exec, launches);
	nvtxRangeEnd(id);
	id = nvtxRangeStartA("launched in");
	launch(exec, launches);
	nvtxRangeEnd(id);
}

static nvtxRangeId_t ended_twice;
static atomic_int at_the_end;

/* Both threads come here before either goes on. */
static void meet(int rounds)
{
	atomic_fetch_add(&at_the_end, 1);
	for (unsigned polls = 1; atomic_load(&at_the_end) < 2 * rounds; polls++)
		if (polls % 1000 == 0)
			sched_yield();
}

static void *ends_too(void *rounds)
{
	for (int i = 0; i < *(int *)rounds; i++) {
		meet(2 * i + 1);
		nvtxRangeEnd(ended_twice);
		meet(2 * i + 2);
	}
	return NULL;
}

/* A graph that is captured afterwards is in none of the ranges. */
static void twice(int rounds)
{
	CUgraphExec exec;
	pthread_t thread;

	pthread_create(&thread, NULL, ends_too, &rounds);
	for (int i = 0; i < rounds; i++) {
		ended_twice = nvtxRangeStartA("ended twice");
		meet(2 * i + 1);
		nvtxRangeEnd(ended_twice);
		meet(2 * i + 2);
	}
	pthread_join(thread, NULL);
	exec = instantiate(capture());
	launch(exec, 10);
}

static void variants(int count)
{
	for (int i = 0; i < count; i++) {
		char name[32];
		CUgraph graph;
		CUgraphExec exec;

		snprintf(name, sizeof(name), "variant %d", i);
		graph = capture_in(name);
		exec = instantiate(graph);
		CHECK(cuGraphDestroy(graph));
		launch(exec, i + 1);
		CHECK(cuGraphExecDestroy(exec));
	}
}

int main(int argc, char **argv)
{
	CUgraph graph;

	context = check_context();
	CHECK(cuMemAlloc(&memory, 4096));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	first = check_kernel("first");
	second = check_kernel("second");
	if (argc > 2 && strcmp(argv[1], "paths") == 0) {
		many_paths(atoi(argv[2]));
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "wide") == 0) {
		CUgraphExec exec = instantiate(capture_wide());
		nvtxRangeId_t run = nvtxRangeStartA("run");

		launch(exec, atoi(argv[2]));
		nvtxRangeEnd(run);
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "after") == 0) {
		after(atoi(argv[2]));
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "variants") == 0) {
		variants(atoi(argv[2]));
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "child") == 0) {
		launches = atoi(argv[2]);
		changed_child(NULL, "new", 0);
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "twice") == 0) {
		twice(atoi(argv[2]));
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "deep") == 0) {
		deep(atoi(argv[2]));
		return 0;
	}
	if (argc > 2 && strcmp(argv[1], "started") == 0) {
		launches = atoi(argv[2]);
		in_started();
		return 0;
	}
	if (argc > 1)
		launches = atoi(argv[1]);
	graph = capture();
	launch(instantiate(graph), launches);
	by_hand();
	with_children(graph);
	updated();
	changed_child("old child", "new child", launches);
	by_threads();
	with_hole();
	return 0;
}
