/* SPDX-License-Identifier: MIT */
/*
 * Graphs: one captured from two streams, launched whole and as the child of another, timed by a
 * pair of events.
 */
#include <string.h>

#include "tests/sim/programs/check.h"

static float timed_launch(CUgraphExec exec, CUstream stream)
{
	CUevent start, stop;
	float milliseconds;

	CHECK(cuEventCreate(&start, 0));
	CHECK(cuEventCreate(&stop, 0));
	CHECK(cuEventRecord(start, stream));
	CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuEventRecord(stop, stream));
	CHECK(cuEventSynchronize(stop));
	CHECK(cuEventElapsedTime(&milliseconds, start, stop));
	return milliseconds;
}

int main(void)
{
	CUfunction first, second;
	CUstream main_stream, side_stream;
	CUevent fork, join;
	CUgraph graph, outer;
	CUgraphNode node;
	CUgraphExec exec;
	CUdeviceptr memory;
	unsigned char bytes[64];
	size_t nodes = 0, edges = 0;

	check_context();
	first = check_kernel("first");
	second = check_kernel("second");
	CHECK(cuMemAlloc(&memory, sizeof(bytes)));
	CHECK(cuStreamCreate(&main_stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamCreate(&side_stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
	CHECK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));

	CHECK(cuStreamBeginCapture(main_stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_launch(first, main_stream);
	CHECK(cuEventRecord(fork, main_stream));
	CHECK(cuStreamWaitEvent(side_stream, fork, 0));
	CHECK(cuMemsetD8Async(memory, 5, sizeof(bytes), side_stream));
	check_launch(second, main_stream);
	CHECK(cuEventRecord(join, side_stream));
	CHECK(cuStreamWaitEvent(main_stream, join, 0));
	check_launch(first, main_stream);
	CHECK(cuStreamEndCapture(main_stream, &graph));
	CHECK(cuGraphGetNodes(graph, NULL, &nodes));
	CHECK(cuGraphGetEdges(graph, NULL, NULL, NULL, &edges));
	printf("nodes %zu edges %zu\n", nodes, edges);

	CHECK(cuGraphInstantiate(&exec, graph, 0));
	printf("launch %.6f ms\n", timed_launch(exec, main_stream));
	CHECK(cuMemcpyDtoH(bytes, memory, sizeof(bytes)));
	printf("memory %d %d\n", bytes[0], bytes[63]);

	CHECK(cuGraphCreate(&outer, 0));
	CHECK(cuGraphAddChildGraphNode(&node, outer, NULL, 0, graph));
	CHECK(cuGraphAddEmptyNode(&node, outer, &node, 1));
	CHECK(cuGraphExecDestroy(exec));
	CHECK(cuGraphInstantiate(&exec, outer, 0));
	printf("as a child %.6f ms\n", timed_launch(exec, main_stream));
	CHECK(cuGraphDestroy(graph));
	CHECK(cuGraphDestroy(outer));
	CHECK(cuGraphExecDestroy(exec));
	return 0;
}
