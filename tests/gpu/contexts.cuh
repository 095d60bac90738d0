/* SPDX-License-Identifier: MIT */
/* Contexts as the versions of CUDA make them. */
#ifndef TESTS_GPU_CONTEXTS_CUH
#define TESTS_GPU_CONTEXTS_CUH

#include "check.cuh"

static inline void create_context(CUcontext *context, CUdevice gpu)
{
#if CUDA_VERSION >= 13000
	CHECK_DRIVER(cuCtxCreate(context, nullptr, 0, gpu));
#else
	CHECK_DRIVER(cuCtxCreate(context, 0, gpu));
#endif
}

#if CUDA_VERSION >= 12040
/* A green context of eight multiprocessors, current, and a stream of it. */
static inline void create_green_context(CUgreenCtx *green, CUstream *stream, CUdevice gpu)
{
	CUdevResource resource, part;
	CUdevResourceDesc description;
	CUcontext context;
	unsigned int parts = 1;

	CHECK_DRIVER(cuDeviceGetDevResource(gpu, &resource, CU_DEV_RESOURCE_TYPE_SM));
	CHECK_DRIVER(cuDevSmResourceSplitByCount(&part, &parts, &resource, nullptr, 0, 8));
	CHECK_DRIVER(cuDevResourceGenerateDesc(&description, &part, 1));
	CHECK_DRIVER(cuGreenCtxCreate(green, description, gpu, CU_GREEN_CTX_DEFAULT_STREAM));
	CHECK_DRIVER(cuCtxFromGreenCtx(&context, *green));
	CHECK_DRIVER(cuCtxSetCurrent(context));
	CHECK_DRIVER(cuGreenCtxStreamCreate(stream, *green, CU_STREAM_NON_BLOCKING, 0));
}
#endif

#endif
