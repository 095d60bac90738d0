/* SPDX-License-Identifier: MIT */
/*
 * The simulated runtime: each of its calls is one call of the driver's, made through the pointers
 * that cuGetProcAddress gave. The same objects make the archive and the shared library.
 */
#ifndef SIM_RUNTIME_RUNTIME_H
#define SIM_RUNTIME_RUNTIME_H

#include "tests/sim/runtime/driver.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

#define RUNTIME_EXPORT __attribute__((visibility("default")))

/* The driver's entries for the running call: with or without the per-thread default stream. */
extern __thread const struct driver *runtime_driver;

/* Makes the driver ready and a context current, at the first call of each thread. */
cudaError_t runtime_enter(const char *name, bool per_thread);

/* Remembers an error as the thread's last and returns it. */
cudaError_t runtime_leave(cudaError_t error);

/* cudaError_t has the driver's numbers. */
static inline cudaError_t runtime_error(CUresult result)
{
	return (cudaError_t)result;
}

/* The kernel registered for a host function; NULL where none is. */
CUkernel runtime_kernel(const void *host_function, CUresult *result);

/* The device's address of a registered variable. */
CUdeviceptr runtime_symbol(const void *host_variable, CUresult *result);

/* The primary context of a device. */
CUresult runtime_primary(int device, CUcontext *context);

#define RUNTIME_DEFINE(symbol, is_per_thread, body, parameters, arguments)                         \
	RUNTIME_EXPORT cudaError_t symbol parameters;                                              \
	RUNTIME_EXPORT cudaError_t symbol parameters                                               \
	{                                                                                          \
		cudaError_t error = runtime_enter(#symbol, is_per_thread);                         \
                                                                                                   \
		if (error == cudaSuccess)                                                          \
			error = runtime_error(body arguments);                                     \
		return runtime_leave(error);                                                       \
	}

/* The body that follows returns a CUresult. */
#define RUNTIME(symbol, parameters, arguments)                                                     \
	static CUresult symbol##_body parameters;                                                  \
	RUNTIME_DEFINE(symbol, false, symbol##_body, parameters, arguments)                        \
	static CUresult symbol##_body parameters

/* With the form for the per-thread default stream, suffix _ptsz or _ptds. */
#define RUNTIME_STREAM(symbol, suffix, parameters, arguments)                                      \
	static CUresult symbol##_body parameters;                                                  \
	RUNTIME_DEFINE(symbol, false, symbol##_body, parameters, arguments)                        \
	RUNTIME_DEFINE(symbol##suffix, true, symbol##_body, parameters, arguments)                 \
	static CUresult symbol##_body parameters

#endif
