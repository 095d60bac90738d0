/* SPDX-License-Identifier: MIT */
/*
 * Each of the runtime's calls that works the device, once: what it is and how many bytes it moves.
 * Built as runtime_calls_static, _shared (the runtime's library) and _per_thread (the archive, and
 * the per-thread default stream).
 */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ int symbol[64];

__global__ void empty()
{
}

__global__ void with_parameters(int n, float *data)
{
	data[n] = 0;
}

static void call(const char *name, const char *kind, int bytes, cudaError_t error)
{
	std::printf("%s %s %d %d\n", name, kind, bytes, (int)error);
}
#define CALL(name, kind, bytes, ...) call(#name, kind, bytes, name(__VA_ARGS__))

static void launches(cudaStream_t stream)
{
	cudaLaunchConfig_t config = {};

	config.gridDim = config.blockDim = dim3(1);
	config.stream = stream;
	empty<<<1, 1, 0, stream>>>();
	call("<<<>>>", "kernel", 0, cudaGetLastError());
	CALL(cudaLaunchKernel, "kernel", 0, (const void *)empty, dim3(1), dim3(1), nullptr, 0,
	     stream);
	CALL(cudaLaunchKernelExC, "kernel", 0, &config, (const void *)empty, nullptr);
	CALL(cudaLaunchCooperativeKernel, "kernel", 0, (const void *)empty, dim3(1), dim3(1),
	     nullptr, 0, stream);
}

static void copies(cudaStream_t stream, char *device, char *second, char *host)
{
	void *to[] = {device};
	const void *from[] = {host};
	size_t sizes[] = {700}, index = 0;
	cudaMemcpyAttributes attributes = {};
	cudaMemcpy3DParms region = {};
	cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
	cudaArray_t array;

	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	region.srcPtr = make_cudaPitchedPtr(host, 128, 100, 2);
	region.dstPtr = make_cudaPitchedPtr(device, 512, 100, 2);
	region.extent = make_cudaExtent(100, 2, 3);
	region.kind = cudaMemcpyHostToDevice;
	CALL(cudaMemcpy, "HtoD", 101, device, host, 101, cudaMemcpyHostToDevice);
	CALL(cudaMemcpy, "DtoH", 102, host, device, 102, cudaMemcpyDeviceToHost);
	CALL(cudaMemcpy, "DtoD", 103, device, second, 103, cudaMemcpyDeviceToDevice);
	CALL(cudaMemcpy, "HtoD", 104, device, host, 104, cudaMemcpyDefault);
	CALL(cudaMemcpy, "HtoH", 105, host, host + 2048, 105, cudaMemcpyHostToHost);
	CALL(cudaMemcpyAsync, "HtoD", 201, device, host, 201, cudaMemcpyHostToDevice, stream);
	CALL(cudaMemcpyAsync, "DtoH", 202, host, device, 202, cudaMemcpyDeviceToHost, stream);
	CALL(cudaMemcpyAsync, "DtoD", 203, device, second, 203, cudaMemcpyDeviceToDevice, stream);
	CALL(cudaMemcpyAsync, "DtoH", 204, host, device, 204, cudaMemcpyDefault, stream);
	CALL(cudaMemcpy2D, "HtoD", 200, device, 512, host, 128, 100, 2, cudaMemcpyHostToDevice);
	CALL(cudaMemcpy2DAsync, "DtoH", 200, host, 128, device, 512, 100, 2, cudaMemcpyDeviceToHost,
	     stream);
	CALL(cudaMemcpy3D, "HtoD", 600, &region);
	CALL(cudaMemcpy3DAsync, "HtoD", 600, &region, stream);
	CALL(cudaMemcpyPeer, "PtoP", 300, device, 0, second, 0, 300);
	CALL(cudaMemcpyPeerAsync, "PtoP", 301, device, 0, second, 0, 301, stream);
	CALL(cudaMemcpyToSymbol, "HtoD", 256, symbol, host, 256, 0, cudaMemcpyHostToDevice);
	CALL(cudaMemcpyFromSymbol, "DtoH", 256, host, symbol, 256, 0, cudaMemcpyDeviceToHost);
	CALL(cudaMemcpyBatchAsync, "HtoD", 700, to, from, sizes, 1, &attributes, &index, 1, stream);
	CALL(cudaMallocArray, "none", 0, &array, &format, 64, 2, 0);
	CALL(cudaMemcpy2DToArray, "HtoA", 128, array, 0, 0, host, 64, 64, 2,
	     cudaMemcpyHostToDevice);
	CALL(cudaFreeArray, "none", 0, array);
}

static void fills(cudaStream_t stream, char *device)
{
	CALL(cudaMemset, "memset", 401, device, 1, 401);
	CALL(cudaMemsetAsync, "memset", 402, device, 1, 402, stream);
	CALL(cudaMemset2D, "memset", 200, device, 512, 1, 100, 2);
	CALL(cudaMemset2DAsync, "memset", 200, device, 512, 1, 100, 2, stream);
	CALL(cudaMemset3D, "memset", 600, make_cudaPitchedPtr(device, 512, 100, 2), 1,
	     make_cudaExtent(100, 2, 3));
}

static void moves(cudaStream_t stream)
{
	cudaMemLocation location = {};
	void *managed;

	location.type = cudaMemLocationTypeDevice;
	CALL(cudaMallocManaged, "none", 0, &managed, 4096, cudaMemAttachGlobal);
	CALL(cudaMemPrefetchAsync, "movement", 4096, managed, 4096, location, 0, stream);
	CALL(cudaDeviceSynchronize, "none", 0);
	CALL(cudaFree, "none", 0, managed);
}

static void graphs(cudaStream_t stream, char *device)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	CALL(cudaStreamBeginCapture, "none", 0, stream, cudaStreamCaptureModeGlobal);
	with_parameters<<<1, 1, 0, stream>>>(1, (float *)device);
	call("<<<>>>", "captured", 0, cudaGetLastError());
	CALL(cudaMemsetAsync, "captured", 400, device, 0, 400, stream);
	CALL(cudaStreamEndCapture, "none", 0, stream, &graph);
	CALL(cudaGraphInstantiate, "none", 0, &exec, graph, 0);
	CALL(cudaGraphLaunch, "graph", 0, exec, stream);
	CALL(cudaStreamSynchronize, "none", 0, stream);
	CALL(cudaGraphExecDestroy, "none", 0, exec);
	CALL(cudaGraphDestroy, "none", 0, graph);
}

int main()
{
	static char host[4096];
	cudaStream_t stream;
	char *device, *second;

	CALL(cudaMalloc, "none", 0, (void **)&device, 65536);
	CALL(cudaMalloc, "none", 0, (void **)&second, 65536);
	CALL(cudaStreamCreateWithFlags, "none", 0, &stream, cudaStreamNonBlocking);
	launches(stream);
	copies(stream, device, second, host);
	fills(stream, device);
	moves(stream);
	graphs(stream, device);
	/* What fails is the program's to see, and its last error stays until it is asked. */
	CALL(cudaMemcpy, "failed", 0, nullptr, host, 8, cudaMemcpyHostToDevice);
	call("cudaPeekAtLastError", "none", 0, cudaPeekAtLastError());
	call("cudaGetLastError", "none", 0, cudaGetLastError());
	call("cudaGetLastError", "none", 0, cudaGetLastError());
	return 0;
}
