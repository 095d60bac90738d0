/* SPDX-License-Identifier: MIT */
/* Launches a graph; opened with RTLD_DEEPBIND, past what is preloaded. */
#include <cuda.h>

CUresult __attribute__((visibility("default"))) hidden_launch(CUgraphExec graph, CUstream stream);

CUresult hidden_launch(CUgraphExec graph, CUstream stream)
{
	return cuGraphLaunch(graph, stream);
}
