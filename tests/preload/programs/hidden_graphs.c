/* SPDX-License-Identifier: MIT */
/* hidden_graphs LIBRARY SEEN HIDDEN: launches a graph so often, then so often by the library. */
#include <dlfcn.h>

#include "tests/sim/programs/check.h"

int main(int argc, char **argv)
{
	void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND) : NULL;
	CUresult (*launch)(CUgraphExec, CUstream);
	CUgraphExec exec;
	CUstream stream;
	CUfunction kernel;
	CUgraph graph;

	if (!library)
		return 2;
	*(void **)&launch = dlsym(library, "hidden_launch");
	check_context();
	kernel = check_kernel("first");
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_launch(kernel, stream);
	CHECK(cuStreamEndCapture(stream, &graph));
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	for (int i = atoi(argv[2]); i > 0; i--)
		CHECK(cuGraphLaunch(exec, stream));
	for (int i = atoi(argv[3]); i > 0; i--)
		CHECK(launch(exec, stream));
	CHECK(cuStreamSynchronize(stream));
	return 0;
}
