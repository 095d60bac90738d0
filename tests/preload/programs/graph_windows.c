/* SPDX-License-Identifier: MIT */
/*
 * graph_windows LAUNCHES NODES WHAT: launches a graph LAUNCHES times, with a rest after each, so
 * that ktime records it in windows. It has NODES kernels `first`, and then WHAT:
 *
 *   plain	   nothing more
 *   mixed	   a child graph of two kernels `second`, a memset and a copy to the device
 *   disabled	   the same number of kernels `second`, which are disabled from the middle on
 *   updated	   a kernel `second`, which is `third` from the middle on, by cuGraphExecUpdate
 *   changed	   the same by cuGraphExecKernelNodeSetParams, by its first form (changed_old) or by
 *		   cuGraphExecNodeSetParams (changed_any)
 *   child	   a child graph of `second`, which is one of `third` from the middle on, by
 *		   cuGraphExecChildGraphNodeSetParams or by cuGraphExecNodeSetParams (child_any)
 *   versions	   a kernel `second` of 1 block or of 16,000, in turn, by cuGraphExecUpdate
 *   resized	   the same by cuGraphExecKernelNodeSetParams
 *   two	   and launches another graph of two kernels `second` in turn with it
 *   copies	   as mixed, and launches another graph of two copies in turn with it
 *   makes	   a memset of 1000 bytes, launches a graph of one of 20,000,000 bytes five times
 *before it, and has another thread make graphs meanwhile launches	   and launches the
 *kernel `second` by itself after each of its launches
 *   decodes	   nothing more, and works on the host for 0.1 ms before each launch
 *   serves	   nothing more, in bursts of 1 to 30 launches, each of which is waited for, with
 *		   pauses of up to 80 ms between them
 *   queues	   as serves, and waits for the bursts alone
 *   copied	   and copies to the device by itself after each of its launches
 *   filled	   nothing more, and has another thread set memory meanwhile, without a rest
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "tests/sim/driver/timeline.h"
#include "tests/sim/programs/check.h"

#define MEMORY 20000000

static char *memory, *pinned;

static CUfunction kernel_named(const char *name)
{
	static CUmodule module;
	CUfunction kernel;

	if (!module)
		CHECK(cuModuleLoadData(&module, CHECK_PTX ".visible .entry third()\n"));
	CHECK(cuModuleGetFunction(&kernel, module, name));
	return kernel;
}

static CUgraphNode add_kernel(CUgraph graph, const CUgraphNode *after, CUfunction kernel)
{
	CUDA_KERNEL_NODE_PARAMS parameters = {.func = kernel, CHECK_ONE_THREAD};
	CUgraphNode node;

	CHECK(cuGraphAddKernelNode(&node, graph, after, after != NULL, &parameters));
	return node;
}

static CUgraph make_graph(int count, CUfunction kernel, CUgraphNode *last)
{
	CUgraph graph;

	CHECK(cuGraphCreate(&graph, 0));
	for (int i = 0; i < count; i++)
		*last = add_kernel(graph, i ? last : NULL, kernel);
	return graph;
}

static CUgraphNode add_copy(CUgraph graph, const CUgraphNode *after)
{
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = pinned,
			      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstDevice = (CUdeviceptr)memory,
			      .WidthInBytes = 1000,
			      .Height = 1,
			      .Depth = 1};
	CUgraphNode node;
	CUcontext context;

	CHECK(cuCtxGetCurrent(&context));
	CHECK(cuGraphAddMemcpyNode(&node, graph, after, after != NULL, &copy, context));
	return node;
}

static CUgraphNode add_memset(CUgraph graph, const CUgraphNode *after, size_t bytes)
{
	CUDA_MEMSET_NODE_PARAMS fill = {
		.dst = (CUdeviceptr)memory, .elementSize = 1, .width = bytes, .height = 1};
	CUgraphNode node;
	CUcontext context;

	CHECK(cuCtxGetCurrent(&context));
	CHECK(cuGraphAddMemsetNode(&node, graph, after, after != NULL, &fill, context));
	return node;
}

static void add_mixed(CUgraph graph, CUgraphNode last)
{
	CUgraphNode node, inner;

	CHECK(cuGraphAddChildGraphNode(&node, graph, &last, 1,
				       make_graph(2, kernel_named("second"), &inner)));
	last = add_memset(graph, &node, 1000);
	add_copy(graph, &last);
}

static CUgraph make_copies(void)
{
	CUgraph graph;
	CUgraphNode first;

	CHECK(cuGraphCreate(&graph, 0));
	first = add_copy(graph, NULL);
	add_copy(graph, &first);
	return graph;
}

static CUgraphExec instantiate(CUgraph graph)
{
	CUgraphExec exec;

	CHECK(cuGraphInstantiate(&exec, graph, 0));
	return exec;
}

static void launch_memsets(int count, CUstream stream)
{
	CUgraph graph;
	CUgraphExec exec;

	CHECK(cuGraphCreate(&graph, 0));
	add_memset(graph, NULL, MEMORY);
	exec = instantiate(graph);
	while (count-- > 0)
		CHECK(cuGraphLaunch(exec, stream));
}

static const struct timespec rest = {.tv_nsec = 300000};
static _Atomic bool launched;
static CUcontext current;

static void *make_graphs(void *kernel)
{
	CUgraphNode last;

	CHECK(cuCtxSetCurrent(current));
	while (!atomic_load(&launched)) {
		CHECK(cuGraphExecDestroy(instantiate(make_graph(2, kernel, &last))));
		nanosleep(&rest, NULL);
	}
	return NULL;
}

/* The host does something else for so long, on its own clock and the simulated one. */
static void work(uint64_t ns)
{
	sim_clock_spend(ns);
	nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

/* After launch number `i`: whether the host waits for it. */
static bool serve(const char *what, CUstream stream)
{
	static unsigned left = 1, state = 1;

	if (strcmp(what, "decodes") == 0) {
		CHECK(cuStreamSynchronize(stream));
		work(100000);
		return true;
	}
	if (strcmp(what, "serves") && strcmp(what, "queues"))
		return false;
	if (--left > 0 && strcmp(what, "queues") == 0)
		return true;
	CHECK(cuStreamSynchronize(stream));
	if (left > 0) {
		work(50000);
		return true;
	}
	state = state * 1103515245 + 12345;
	left = 1 + (state >> 16) % 30;
	state = state * 1103515245 + 12345;
	work((state >> 16) % 80000 * 1000);
	return true;
}

static void *fill(void *stream)
{
	CHECK(cuCtxSetCurrent(current));
	while (!atomic_load(&launched))
		CHECK(cuMemsetD8Async((CUdeviceptr)memory, 1, 1000, stream));
	return NULL;
}

/* The first form, whose parameters end before those of the second. */
#undef cuGraphExecKernelNodeSetParams
CUresult CUDAAPI cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
						const CUDA_KERNEL_NODE_PARAMS_v1 *parameters);

/* The node runs `third` from now on, by the way of this name. Older toolkits lack
 * CUgraphNodeParams. */
static void change_kernel(CUgraphExec exec, CUgraphNode node, const char *way)
{
	CUDA_KERNEL_NODE_PARAMS_v1 old = {.func = kernel_named("third"), CHECK_ONE_THREAD};
	CUDA_KERNEL_NODE_PARAMS_v2 parameters = {.func = old.func, CHECK_ONE_THREAD};

#if CUDA_VERSION >= 12020
	if (strcmp(way, "changed_any") == 0) {
		CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_KERNEL,
					 .kernel = {.func = old.func, CHECK_ONE_THREAD}};

		CHECK(cuGraphExecNodeSetParams(exec, node, &any));
		return;
	}
#endif
	if (strcmp(way, "changed_old") == 0)
		CHECK(cuGraphExecKernelNodeSetParams(exec, node, &old));
	else
		CHECK(cuGraphExecKernelNodeSetParams_v2(exec, node, &parameters));
}

static void change_child(CUgraphExec exec, CUgraphNode node, const char *way)
{
	CUgraphNode inner;
	CUgraph child = make_graph(1, kernel_named("third"), &inner);

#if CUDA_VERSION >= 12020
	if (strcmp(way, "child_any") == 0) {
		CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_GRAPH,
					 .graph = {.graph = child}};

		CHECK(cuGraphExecNodeSetParams(exec, node, &any));
		return;
	}
#endif
	(void)way;
	CHECK(cuGraphExecChildGraphNodeSetParams(exec, node, child));
}

/* What differs between two versions of a graph. */
static void resize(CUgraphExec exec, CUgraphNode node, bool large)
{
	CUDA_KERNEL_NODE_PARAMS parameters;

	CHECK(cuGraphKernelNodeGetParams(node, &parameters));
	parameters.gridDimX = large ? 16000 : 1;
	parameters.blockDimX = 256;
	if (exec)
		CHECK(cuGraphExecKernelNodeSetParams_v2(exec, node, &parameters));
	else
		CHECK(cuGraphKernelNodeSetParams(node, &parameters));
}

int main(int argc, char **argv)
{
	pthread_t making;
	long launches = argc > 1 ? atol(argv[1]) : 100;
	int nodes = argc > 2 ? atoi(argv[2]) : 10;
	const char *what = argc > 3 ? argv[3] : "plain";
	CUgraph graph, other = NULL;
	CUgraphExec exec, second = NULL;
	CUgraphNode last, changed[1000];
	CUfunction kernel;
	CUstream stream;

	current = check_context();
	kernel = kernel_named("second");
	CHECK(cuMemAlloc((CUdeviceptr *)&memory, MEMORY));
	CHECK(cuMemAllocHost((void **)&pinned, 1000));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	graph = make_graph(nodes, kernel_named("first"), &last);
	if (strcmp(what, "mixed") == 0 || strcmp(what, "copies") == 0)
		add_mixed(graph, last);
	for (int i = 0; strcmp(what, "disabled") == 0 && i < nodes; i++)
		changed[i] = last = add_kernel(graph, &last, kernel);
	if (strcmp(what, "updated") == 0 || strncmp(what, "changed", 7) == 0) {
		changed[0] = add_kernel(graph, &last, kernel);
		other = make_graph(nodes, kernel_named("first"), &last);
		add_kernel(other, &last, kernel_named("third"));
	}
	if (strncmp(what, "child", 5) == 0)
		CHECK(cuGraphAddChildGraphNode(&changed[0], graph, &last, 1,
					       make_graph(1, kernel, &changed[1])));
	if (strcmp(what, "versions") == 0 || strcmp(what, "resized") == 0) {
		changed[0] = add_kernel(graph, &last, kernel);
		resize(NULL, changed[0], false);
		other = make_graph(nodes, kernel_named("first"), &last);
		resize(NULL, add_kernel(other, &last, kernel), true);
	}
	if (strcmp(what, "makes") == 0) {
		launch_memsets(5, stream);
		add_memset(graph, &last, 1000);
	}
	exec = instantiate(graph);
	if (strcmp(what, "makes") == 0)
		pthread_create(&making, NULL, make_graphs, kernel);
	if (strcmp(what, "filled") == 0)
		pthread_create(&making, NULL, fill, stream);
	if (strcmp(what, "two") == 0)
		second = instantiate(make_graph(2, kernel, &last));
	if (strcmp(what, "copies") == 0)
		second = instantiate(make_copies());
	for (long i = 0; i < launches; i++) {
		if (i == launches / 2 && strcmp(what, "updated") == 0) {
			CUgraphExecUpdateResultInfo info;

			CHECK(cuGraphExecUpdate(exec, other, &info));
		} else if (i == launches / 2 && strncmp(what, "changed", 7) == 0) {
			change_kernel(exec, changed[0], what);
		} else if (i == launches / 2 && strncmp(what, "child", 5) == 0) {
			change_child(exec, changed[0], what);
		}
		if (i % 500 == 0 && strcmp(what, "versions") == 0) {
			CUgraphExecUpdateResultInfo info;

			CHECK(cuGraphExecUpdate(exec, i / 500 % 2 ? other : graph, &info));
		} else if (i % 500 == 0 && strcmp(what, "resized") == 0) {
			resize(exec, changed[0], i / 500 % 2);
		}
		for (int k = 0; i == launches / 2 && strcmp(what, "disabled") == 0 && k < nodes;
		     k++)
			CHECK(cuGraphNodeSetEnabled(exec, changed[k], 0));
		CHECK(cuGraphLaunch(exec, stream));
		if (second)
			CHECK(cuGraphLaunch(second, stream));
		if (strcmp(what, "launches") == 0)
			check_launch(kernel, stream);
		if (strcmp(what, "copied") == 0)
			CHECK(cuMemcpyHtoDAsync((CUdeviceptr)memory, pinned, 1000, stream));
		if (serve(what, stream))
			continue;
		CHECK(cuStreamSynchronize(stream));
		/* Without ktime there is nothing to give time to. */
		if (getenv("LD_PRELOAD"))
			nanosleep(&rest, NULL);
	}
	atomic_store(&launched, true);
	if (strcmp(what, "makes") == 0 || strcmp(what, "filled") == 0)
		pthread_join(making, NULL);
	return 0;
}
