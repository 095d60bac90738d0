/* SPDX-License-Identifier: MIT */
/* Contexts that end and come again at the same handles, and a capture whose end is refused. */
#include "contexts.cuh"

#define ROUNDS	 4
#define LAUNCHES 20

static const char ptx[] = ".version 6.4\n.target sm_75\n.address_size 64\n"
			  ".visible .entry first_kernel() { ret; }\n"
			  ".visible .entry second_kernel() { ret; }\n"
			  ".visible .entry third_kernel() { ret; }\n";
static const char *const kernels[] = {"first_kernel", "second_kernel", "third_kernel"};

/* Another one than in the context before, whose handle may come again. */
static const char *next_kernel()
{
	static unsigned next;

	return kernels[next++ % 3];
}

/* Launches in the current context, into a stream of its own. */
static void work(CUstream stream)
{
	CUfunction function;
	CUmodule module;

	CHECK_DRIVER(cuModuleLoadData(&module, ptx));
	CHECK_DRIVER(cuModuleGetFunction(&function, module, next_kernel()));
	for (int i = 0; i < LAUNCHES; i++)
		CHECK_DRIVER(
			cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
	CHECK_DRIVER(cuStreamSynchronize(stream));
	CHECK_DRIVER(cuStreamDestroy(stream));
}

static void green_context(CUdevice gpu)
{
#if CUDA_VERSION >= 12040
	CUgreenCtx green;
	CUstream stream;

	create_green_context(&green, &stream, gpu);
	work(stream);
	CHECK_DRIVER(cuCtxSetCurrent(nullptr));
	CHECK_DRIVER(cuGreenCtxDestroy(green));
#else
	(void)gpu;
#endif
}

/* The primary context is reset while another one lives beside it, made after it. */
static void primary_context(CUdevice gpu)
{
	CUcontext primary, beside;
	CUstream stream;

	CHECK_DRIVER(cuDevicePrimaryCtxRetain(&primary, gpu));
	CHECK_DRIVER(cuCtxSetCurrent(primary));
	CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	work(stream);
	create_context(&beside, gpu);
	CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	work(stream);
	CHECK_DRIVER(cuDevicePrimaryCtxReset(gpu));
	CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	work(stream);
	CHECK_DRIVER(cuCtxDestroy(beside));
}

/* Only the stream that a capture began in can end it. */
static void refused_end_of_capture(CUdevice gpu)
{
	CUstream origin, other;
	CUfunction function;
	CUcontext context;
	CUmodule module;
	CUgraph graph = nullptr, none;
	CUgraphExec executable;
	CUresult refused;

	CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, gpu));
	CHECK_DRIVER(cuCtxSetCurrent(context));
	CHECK_DRIVER(cuModuleLoadData(&module, ptx));
	CHECK_DRIVER(cuModuleGetFunction(&function, module, kernels[0]));
	CHECK_DRIVER(cuStreamCreate(&origin, CU_STREAM_NON_BLOCKING));
	CHECK_DRIVER(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	CHECK_DRIVER(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, origin, nullptr, nullptr));
	CHECK_DRIVER(cuStreamBeginCapture(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	refused = cuStreamEndCapture(other, &none);
	for (int i = 0; i < LAUNCHES; i++)
		CHECK_DRIVER(
			cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, origin, nullptr, nullptr));
	CHECK_DRIVER(cuStreamEndCapture(origin, &graph));
	CHECK_DRIVER(cuGraphInstantiate(&executable, graph, 0));
	CHECK_DRIVER(cuGraphLaunch(executable, origin));
	CHECK_DRIVER(cuStreamSynchronize(origin));
	printf("end of no capture: %d\n", (int)refused);
	CHECK_DRIVER(cuGraphExecDestroy(executable));
	CHECK_DRIVER(cuGraphDestroy(graph));
}

int main()
{
	CUdevice gpu;

	CHECK_DRIVER(cuInit(0));
	CHECK_DRIVER(cuDeviceGet(&gpu, 0));
	for (int round = 0; round < ROUNDS; round++) {
		primary_context(gpu);
		green_context(gpu);
		printf("round %d\n", round);
	}
	refused_end_of_capture(gpu);
	return 0;
}
