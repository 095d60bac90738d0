/* SPDX-License-Identifier: MIT */
/* Capture and graphs, whose handles and parameters are the driver's. */
#include "tests/sim/runtime/runtime.h"

RUNTIME_STREAM(cudaStreamBeginCapture, _ptsz,
	       (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode))
{
	return runtime_driver->cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode);
}

RUNTIME_STREAM(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t *graph),
	       (stream, graph))
{
	return runtime_driver->cuStreamEndCapture(stream, graph);
}

RUNTIME_STREAM(cudaStreamIsCapturing, _ptsz,
	       (cudaStream_t stream, enum cudaStreamCaptureStatus *status), (stream, status))
{
	return runtime_driver->cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)status);
}

RUNTIME(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode), (mode))
{
	return runtime_driver->cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode);
}

RUNTIME(cudaGraphCreate, (cudaGraph_t * graph, unsigned int flags), (graph, flags))
{
	return runtime_driver->cuGraphCreate(graph, flags);
}

RUNTIME(cudaGraphDestroy, (cudaGraph_t graph), (graph))
{
	return runtime_driver->cuGraphDestroy(graph);
}

RUNTIME(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
	(graph, nodes, count))
{
	return runtime_driver->cuGraphGetNodes(graph, nodes, count);
}

RUNTIME(cudaGraphAddKernelNode,
	(cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
	 size_t count, const struct cudaKernelNodeParams *parameters),
	(node, graph, dependencies, count, parameters))
{
	CUresult result;
	CUkernel kernel = runtime_kernel(parameters->func, &result);

	if (!kernel)
		return result;
	return runtime_driver->cuGraphAddKernelNode_v2(
		node, graph, dependencies, count,
		&(CUDA_KERNEL_NODE_PARAMS_v2){
			.func = (CUfunction)kernel,
			.gridDimX = parameters->gridDim.x,
			.gridDimY = parameters->gridDim.y,
			.gridDimZ = parameters->gridDim.z,
			.blockDimX = parameters->blockDim.x,
			.blockDimY = parameters->blockDim.y,
			.blockDimZ = parameters->blockDim.z,
			.sharedMemBytes = parameters->sharedMemBytes,
			.kernelParams = parameters->kernelParams,
			.extra = parameters->extra,
		});
}

RUNTIME(cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
	(exec, graph, flags))
{
	return runtime_driver->cuGraphInstantiateWithFlags(exec, graph, flags);
}

RUNTIME(cudaGraphInstantiateWithFlags,
	(cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags), (exec, graph, flags))
{
	return runtime_driver->cuGraphInstantiateWithFlags(exec, graph, flags);
}

RUNTIME(cudaGraphExecDestroy, (cudaGraphExec_t exec), (exec))
{
	return runtime_driver->cuGraphExecDestroy(exec);
}

RUNTIME_STREAM(cudaGraphLaunch, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
{
	return runtime_driver->cuGraphLaunch(exec, stream);
}

RUNTIME_STREAM(cudaGraphUpload, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
{
	return runtime_driver->cuGraphUpload(exec, stream);
}
