/* SPDX-License-Identifier: MIT */
/* What the GPU test programs share: they end with a message and status 1 where a call fails. */
#ifndef TESTS_GPU_CHECK_CUH
#define TESTS_GPU_CHECK_CUH

#include <cstdio>
#include <cstdlib>

#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t check_error = (call);                                                  \
		if (check_error != cudaSuccess) {                                                  \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,              \
				cudaGetErrorString(check_error));                                  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define CHECK_DRIVER(call)                                                                         \
	do {                                                                                       \
		CUresult check_result = (call);                                                    \
		if (check_result != CUDA_SUCCESS) {                                                \
			const char *check_name = "?";                                              \
			cuGetErrorName(check_result, &check_name);                                 \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, check_name); \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* Exit status of a program that this machine cannot run. */
#define SKIPPED 77

static inline int skip(const char *why)
{
	fprintf(stderr, "skipped: %s\n", why);
	return SKIPPED;
}

#endif
