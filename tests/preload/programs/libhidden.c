/* SPDX-License-Identifier: MIT */
/* Launches a graph, or makes a non-blocking stream; opened with RTLD_DEEPBIND, past what is
 * preloaded. */
#include <cuda.h>

CUresult __attribute__((visibility("default"))) hidden_launch(CUgraphExec graph, CUstream stream);

CUresult __attribute__((visibility("default"))) hidden_stream(CUstream *stream);

CUresult hidden_launch(CUgraphExec graph, CUstream stream)
{
	return cuGraphLaunch(graph, stream);
}

CUresult hidden_stream(CUstream *stream)
{
	return cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
}
