/* SPDX-License-Identifier: MIT */
/*
 * graph_launches COUNT [END]: launches a graph of two kernels so often, with a rest now and then,
 * and prints the peak resident memory in KiB. END `killed`: waits until ktime has seen to them, and
 * then SIGKILL.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

static CUgraphExec make_graph(CUstream stream)
{
	CUfunction kernel = check_kernel("first");
	CUgraph graph;
	CUgraphExec exec;

	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_launch(kernel, stream);
	check_launch(kernel, stream);
	CHECK(cuStreamEndCapture(stream, &graph));
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	return exec;
}

int main(int argc, char **argv)
{
	static const struct timespec rest = {.tv_nsec = 1000000};
	long launches = argc > 1 ? atol(argv[1]) : 100;
	struct rusage usage;
	CUgraphExec graph;
	CUstream stream;

	check_context();
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	graph = make_graph(stream);
	for (long i = 0; i < launches; i++) {
		CHECK(cuGraphLaunch(graph, stream));
		if (i % 100 == 99) {
			CHECK(cuStreamSynchronize(stream));
			nanosleep(&rest, NULL);
		}
	}
	CHECK(cuStreamSynchronize(stream));
	if (argc > 2 && strcmp(argv[2], "killed") == 0) {
		wait_for_ktime_at_rest();
		raise(SIGKILL);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}
