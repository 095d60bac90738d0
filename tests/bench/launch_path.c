/* SPDX-License-Identifier: MIT */
/*
 * launch_path LAUNCHES [copy]: launches a kernel on one stream through the driver API, or copies a
 * few bytes, with a rest after every few calls in which they finish and a profiler's own threads
 * can keep up. What runs between two calls of a batch is the launch path alone.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH 16

extern const unsigned long long saxpy_fatbin[];

static void check(CUresult result, const char *call)
{
	if (result != CUDA_SUCCESS) {
		fprintf(stderr, "launch_path: %s: error %d\n", call, result);
		exit(1);
	}
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv)
{
	static const struct timespec rest = {.tv_nsec = 3000000};
	long launches = argc > 1 ? atol(argv[1]) : 1000;
	int copies = argc > 2 && !strcmp(argv[2], "copy");
	int count = 0;
	float a = 1;
	CUdeviceptr memory;
	CUfunction function;
	CUcontext context;
	CUdevice device;
	CUmodule module;
	CUstream stream;

	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuDevicePrimaryCtxRetain(&context, device));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuModuleLoadData(&module, saxpy_fatbin));
	CHECK(cuModuleGetFunction(&function, module, "_Z5saxpyifPfS_"));
	CHECK(cuMemAlloc(&memory, sizeof(float)));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (long i = 0; i < launches; i++) {
		void *parameters[] = {&count, &a, &memory, &memory};

		if (copies)
			CHECK(cuMemcpyHtoDAsync(memory, &a, sizeof(a), stream));
		else
			CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters,
					     NULL));
		if (i % BATCH == BATCH - 1) {
			CHECK(cuStreamSynchronize(stream));
			nanosleep(&rest, NULL);
		}
	}
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuDevicePrimaryCtxRelease(device));
	return 0;
}
