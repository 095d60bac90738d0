/* SPDX-License-Identifier: MIT */
/* What the small programs on the simulated device share. */
#ifndef SIM_PROGRAMS_CHECK_H
#define SIM_PROGRAMS_CHECK_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program at a call that does not give what is expected. */
#define EXPECT(expected, call)                                                                     \
	do {                                                                                       \
		long expected_ = (expected), got_ = (call);                                        \
                                                                                                   \
		if (got_ != expected_) {                                                           \
			fprintf(stderr, "%s:%d: %s is %ld, not %ld\n", __FILE__, __LINE__, #call,  \
				got_, expected_);                                                  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define CHECK(call) EXPECT(CUDA_SUCCESS, call)

/* Kernels that do nothing, for SIM_KERNEL_NS to give a time. */
#define CHECK_PTX   ".version 8.0\n.target sm_80\n.visible .entry first()\n.visible .entry second()\n"

/* A launch of one thread, in CUlaunchConfig and in the parameters of a kernel node. */
#define CHECK_ONE_THREAD                                                                           \
	.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1

static inline CUcontext check_context(void)
{
	CUcontext context;

	CHECK(cuInit(0));
	CHECK(cuDevicePrimaryCtxRetain(&context, 0));
	CHECK(cuCtxSetCurrent(context));
	return context;
}

static inline CUfunction check_kernel(const char *name)
{
	CUfunction kernel;
	CUmodule module;

	CHECK(cuModuleLoadData(&module, CHECK_PTX));
	CHECK(cuModuleGetFunction(&kernel, module, name));
	return kernel;
}

static inline void check_launch(CUfunction kernel, CUstream stream)
{
	CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

#endif
