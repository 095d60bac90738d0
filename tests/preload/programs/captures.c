/* SPDX-License-Identifier: MIT */
/*
 * Captures work into a graph in the way that the argument names, prints the graph's nodes, and
 * launches it twice.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

enum {
	MANY = 500,
	/* ktime looks at events every few ms and flushes CUPTI every 50 ms. */
	PAUSE_US = 70000,
};

static CUcontext context;
static CUfunction first, second;
static CUstream stream, side;
static CUdeviceptr memory;
static CUgraph graph;
static char host[64];
static _Atomic int done;

static void wait_for(CUstream one, CUstream other)
{
	CUevent event;

	CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	CHECK(cuEventRecord(event, other));
	CHECK(cuStreamWaitEvent(one, event, 0));
}

static void capture_streams(void)
{
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_launch(first, stream);
	wait_for(side, stream);
	CHECK(cuMemsetD8Async(memory, 5, sizeof(host), side));
	check_launch(second, side);
	CHECK(cuMemcpyHtoDAsync(memory, host, sizeof(host), stream));
	wait_for(stream, side);
	CHECK(cuStreamEndCapture(stream, &graph));
}

static void capture_slowly(void)
{
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (int i = 0; i < MANY; i++) {
		check_launch(i % 2 ? second : first, stream);
		if (i % (MANY / 4) == 0)
			usleep(PAUSE_US);
	}
	CHECK(cuStreamEndCapture(stream, &graph));
}

static void capture_per_thread(void)
{
	CHECK(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	check_launch(first, CU_STREAM_PER_THREAD);
	check_launch(second, CU_STREAM_PER_THREAD);
	CHECK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
}

static void *launch_captured(void *unused)
{
	CHECK(cuCtxSetCurrent(context));
	for (int i = 0; i < 10; i++)
		check_launch(second, stream);
	return unused;
}

static void capture_from_thread(void)
{
	pthread_t thread;

	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	check_launch(first, stream);
	pthread_create(&thread, NULL, launch_captured, NULL);
	pthread_join(thread, NULL);
	CHECK(cuStreamEndCapture(stream, &graph));
}

static void *launch_beside(void *unused)
{
	CHECK(cuCtxSetCurrent(context));
	while (!atomic_load(&done)) {
		/* Some at once: the end of one may be taken for the start of the next. */
		for (int i = 0; i < 4; i++)
			check_launch(second, side);
		usleep(100);
	}
	return unused;
}

static void capture_beside_work(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, launch_beside, NULL);
	usleep(PAUSE_US);
	capture_slowly();
	atomic_store(&done, 1);
	pthread_join(thread, NULL);
}

static void capture_to_graph(void)
{
	CHECK(cuGraphCreate(&graph, 0));
	CHECK(cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0,
					  CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_launch(first, stream);
	check_launch(second, stream);
	CHECK(cuStreamEndCapture(stream, &graph));
}

/* Fails, and the stream works on as before. */
static void capture_broken(void)
{
	CUevent event;

	CHECK(cuEventCreate(&event, 0));
	CHECK(cuEventRecord(event, NULL));
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_launch(first, stream);
	printf("query: %d\n", cuEventQuery(event));
	printf("launch: %d\n", cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
	printf("end: %d\n", cuStreamEndCapture(stream, &graph));
	check_launch(first, stream);
	CHECK(cuStreamSynchronize(stream));
	capture_streams();
}

/* The driver refuses to end it by another stream, and it goes on. */
static void capture_with_refused_ends(void)
{
	CUstream idle;
	CUgraph none;

	CHECK(cuStreamCreate(&idle, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	printf("end of an idle stream: %d\n", cuStreamEndCapture(idle, &none));
	check_launch(first, stream);
	wait_for(side, stream);
	printf("end of a stream that joined: %d\n", cuStreamEndCapture(side, &none));
	check_launch(second, side);
	wait_for(stream, side);
	check_launch(first, stream);
	CHECK(cuStreamEndCapture(stream, &graph));
}

static void *end_capture(void *unused)
{
	CHECK(cuCtxSetCurrent(context));
	printf("end by a thread: %d\n", cuStreamEndCapture(stream, &graph));
	return unused;
}

/* It ends, but without a graph. */
static void capture_ended_by_thread(void)
{
	pthread_t thread;

	capture_to_graph();
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	pthread_create(&thread, NULL, end_capture, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < MANY; i++)
		check_launch(first, stream);
	CHECK(cuStreamSynchronize(stream));
	capture_to_graph();
}

static const struct {
	const char *name;
	void (*capture)(void);
} ways[] = {
	{"streams", capture_streams},
	{"slowly", capture_slowly},
	{"per-thread", capture_per_thread},
	{"from-thread", capture_from_thread},
	{"beside-work", capture_beside_work},
	{"to-graph", capture_to_graph},
	{"broken", capture_broken},
	{"refused-ends", capture_with_refused_ends},
	{"ended-by-thread", capture_ended_by_thread},
};

static void print_nodes(void)
{
	static CUgraphNode nodes[MANY + 1], from[MANY + 1], to[MANY + 1];
	size_t count = MANY, edges = MANY;
	CUDA_KERNEL_NODE_PARAMS parameters;
	CUgraphNodeType type;
	const char *name;

	CHECK(cuGraphGetNodes(graph, nodes, &count));
	CHECK(cuGraphGetEdges(graph, from, to, NULL, &edges));
	printf("%zu nodes, %zu edges\n", count, edges);
	for (size_t i = 0; i < count; i++) {
		name = "";
		CHECK(cuGraphNodeGetType(nodes[i], &type));
		if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
			CHECK(cuGraphKernelNodeGetParams(nodes[i], &parameters));
			CHECK(cuFuncGetName(&name, parameters.func));
		}
		printf("node %d %s\n", type, name);
	}
}

int main(int argc, char **argv)
{
	void (*capture)(void) = NULL;
	CUgraphExec exec;

	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(ways[i].name, argv[1]))
			capture = ways[i].capture;
	}
	if (!capture)
		return 2;
	context = check_context();
	first = check_kernel("first");
	second = check_kernel("second");
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING));
	CHECK(cuMemAlloc(&memory, sizeof(host)));
	check_launch(first, stream);
	capture();
	print_nodes();
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	/* Meanwhile kernels are not recorded. */
	wait_for_a_turn_of_ktime();
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuStreamSynchronize(stream));
	return 0;
}
