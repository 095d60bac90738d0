/* SPDX-License-Identifier: MIT */
/* saxpy by the driver API: the twin of saxpy.cu, its kernel an embedded fat binary. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/saxpy.h"
#include "workloads/workload.h"

extern const unsigned long long saxpy_fatbin[];

static const char *const kernels[] = {
	[SAXPY_PLAIN] = "_Z5saxpyifPfS_",
	[SAXPY_GRID_STRIDE] = "_Z17saxpy_grid_strideifPfS_",
	[SAXPY_FLOAT4] = "_Z12saxpy_float4ifPfS_",
};

static void check(CUresult result, const char *call)
{
	const char *text = NULL;

	if (result != CUDA_SUCCESS) {
		cuGetErrorString(result, &text);
		fprintf(stderr, "%s: %s: %s\n", workload_name(), call,
			text ? text : "unknown error");
		exit(1);
	}
}
#define CHECK(call) check(call, #call)

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		perror(workload_name());
		exit(1);
	}
	return memory;
}

struct work {
	const struct saxpy_options *options;
	CUcontext context;
	CUfunction saxpy;
	int multiprocessors;
	CUdeviceptr x, y;
	float *ms; /* of each thread */
};

static void launch(const struct work *work, struct saxpy_slice slice, CUstream stream)
{
	CUdeviceptr x = work->x + slice.first * sizeof(float);
	CUdeviceptr y = work->y + slice.first * sizeof(float);
	float a = SAXPY_A;
	void *parameters[] = {&slice.count, &a, &x, &y};
	int blocks = saxpy_blocks(work->options, slice.count, work->multiprocessors);

	CHECK(cuLaunchKernel(work->saxpy, blocks, 1, 1, work->options->block, 1, 1, 0, stream,
			     parameters, NULL));
}

/*
 * The pair of events is in the first stream. The other streams start after its first event, and
 * its second waits for them.
 */
static void launch_all(int thread, void *argument)
{
	struct work *work = argument;
	const struct saxpy_options *options = work->options;
	int streams = options->streams ? options->streams : 1;
	CUstream *stream = allocate(streams, sizeof(*stream));
	CUevent *done = allocate(streams, sizeof(*done));
	struct workload_hold hold = {0};
	int held = saxpy_held_launches(options);
	CUevent start, stop;

	CHECK(cuCtxSetCurrent(work->context));
	CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
	CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
	for (int i = 0; i < streams; i++) {
		if (options->streams)
			CHECK(cuStreamCreate(&stream[i], CU_STREAM_DEFAULT));
		CHECK(cuEventCreate(&done[i], CU_EVENT_DISABLE_TIMING));
	}

	if (held)
		CHECK(cuLaunchHostFunc(stream[0], workload_hold, &hold));
	CHECK(cuEventRecord(start, stream[0]));
	for (int i = 1; i < streams; i++)
		CHECK(cuStreamWaitEvent(stream[i], start, 0));
	for (int i = 0; i < options->repetitions; i++) {
		launch(work, saxpy_slice(options, thread, i % streams), stream[i % streams]);
		if (i + 1 == held)
			workload_release(&hold);
	}
	for (int i = 1; i < streams; i++) {
		CHECK(cuEventRecord(done[i], stream[i]));
		CHECK(cuStreamWaitEvent(stream[0], done[i], 0));
	}
	CHECK(cuEventRecord(stop, stream[0]));
	workload_release(&hold);
	CHECK(cuEventSynchronize(stop));
	CHECK(cuEventElapsedTime(&work->ms[thread], start, stop));

	for (int i = 0; i < streams; i++) {
		CHECK(cuEventDestroy(done[i]));
		if (options->streams)
			CHECK(cuStreamDestroy(stream[i]));
	}
	CHECK(cuEventDestroy(start));
	CHECK(cuEventDestroy(stop));
	free(done);
	free(stream);
}

int main(int argc, char **argv)
{
	struct saxpy_options options;
	struct work work = {.options = &options};
	float *x, *y, slowest = 0;
	CUdevice device;
	CUmodule module;
	size_t bytes;
	int code, registers;

	saxpy_parse(&options, argc, argv);
	bytes = options.n * sizeof(float);
	work.ms = allocate(options.threads, sizeof(*work.ms));
	x = allocate(options.n, sizeof(*x));
	y = allocate(options.n, sizeof(*y));
	saxpy_fill(&options, x, y);

	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuDeviceGetAttribute(&work.multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
				   device));
	CHECK(cuDevicePrimaryCtxRetain(&work.context, device));
	CHECK(cuCtxSetCurrent(work.context));
	CHECK(cuModuleLoadData(&module, saxpy_fatbin));
	CHECK(cuModuleGetFunction(&work.saxpy, module, kernels[options.variant]));
	/* Kernels are loaded at first use: not between the events. */
	CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, work.saxpy));
	CHECK(cuMemAlloc(&work.x, bytes));
	CHECK(cuMemAlloc(&work.y, bytes));
	CHECK(cuMemcpyHtoD(work.x, x, bytes));
	CHECK(cuMemcpyHtoD(work.y, y, bytes));
	saxpy_threads(&options, launch_all, &work);
	CHECK(cuMemcpyDtoH(y, work.y, bytes));
	CHECK(cuMemFree(work.x));
	CHECK(cuMemFree(work.y));
	CHECK(cuModuleUnload(module));
	CHECK(cuDevicePrimaryCtxRelease(device));
	for (int i = 0; i < options.threads; i++)
		slowest = work.ms[i] > slowest ? work.ms[i] : slowest;
	code = saxpy_report(&options, y, slowest);
	free(work.ms);
	free(x);
	free(y);
	return code;
}
