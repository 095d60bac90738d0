/* SPDX-License-Identifier: MIT */
#ifndef PRELOAD_PROGRAMS_CAPTURED_H
#define PRELOAD_PROGRAMS_CAPTURED_H

#include "tests/sim/programs/check.h"

/* A graph that launches the kernel once. */
static inline CUgraphExec captured_graph(CUstream stream, CUfunction kernel)
{
	CUgraph graph;
	CUgraphExec executable;

	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	check_launch(kernel, stream);
	CHECK(cuStreamEndCapture(stream, &graph));
	CHECK(cuGraphInstantiate(&executable, graph, 0));
	CHECK(cuGraphDestroy(graph));
	return executable;
}

#endif
