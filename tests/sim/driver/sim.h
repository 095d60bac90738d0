/* SPDX-License-Identifier: MIT */
/*
 * The simulated driver, from the inside.
 *
 * Every exported entry is a SIM_ENTRY: it takes the one lock, counts the call, fails where
 * SIM_FAULT asks for it, runs its body and logs. Bodies run under the lock and may use everything
 * below.
 *
 * Work is done at once, on the CPU, in the order of the calls, which is an order that the streams
 * allow. When it happened is a matter of the streams' virtual time: see timeline.h.
 */
#ifndef SIM_DRIVER_SIM_H
#define SIM_DRIVER_SIM_H

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_EXPORT	   __attribute__((visibility("default")))
#define SIM_DRIVER_VERSION 13000

struct context;
struct stream;

/* One call of a driver entry. stream and bytes go into the log. */
struct sim_call {
	const char *entry;
	bool per_thread; /* a _ptsz or _ptds form: NULL is the calling thread's stream */
	CUstream stream;
	size_t bytes;
	uint64_t host_ns; /* at the call's start */
	uint32_t correlation;
	struct sim_call *outer;
};

/* What sim_enter demands before the body may run. */
enum sim_needs {
	SIM_NEEDS_NOTHING,
	SIM_NEEDS_INIT,
	SIM_NEEDS_CONTEXT,
};

CUresult sim_enter(struct sim_call *call, enum sim_needs needs);
CUresult sim_leave(struct sim_call *call, CUresult result);

/* The call that this thread is in. */
struct sim_call *sim_call(void);

/* Runs what may wait without the lock. */
void sim_call_out(void (*function)(void *), void *argument);

/* Called by cuInit, under the lock. */
CUresult sim_start(void);

/* The number in an environment variable, or the fallback. */
uint64_t sim_setting(const char *name, uint64_t fallback);

#define SIM_DEFINE(symbol, is_per_thread, needs, body, parameters, arguments)                      \
	SIM_EXPORT CUresult symbol parameters                                                      \
	{                                                                                          \
		struct sim_call call = {.entry = #symbol, .per_thread = is_per_thread};            \
		CUresult result = sim_enter(&call, needs);                                         \
                                                                                                   \
		if (result == CUDA_SUCCESS)                                                        \
			result = body arguments;                                                   \
		return sim_leave(&call, result);                                                   \
	}

#define SIM_ENTRY_NEEDING(needs, symbol, parameters, arguments)                                    \
	static CUresult symbol##_body parameters;                                                  \
	SIM_DEFINE(symbol, false, needs, symbol##_body, parameters, arguments)                     \
	static CUresult symbol##_body parameters

#define SIM_ENTRY(symbol, parameters, arguments)                                                   \
	SIM_ENTRY_NEEDING(SIM_NEEDS_CONTEXT, symbol, parameters, arguments)

/* An entry and its form for the per-thread default stream, suffix _ptsz or _ptds. */
#define SIM_ENTRY_STREAM(symbol, suffix, parameters, arguments)                                    \
	static CUresult symbol##_body parameters;                                                  \
	SIM_DEFINE(symbol, false, SIM_NEEDS_CONTEXT, symbol##_body, parameters, arguments)         \
	SIM_DEFINE(symbol##suffix, true, SIM_NEEDS_CONTEXT, symbol##_body, parameters, arguments)  \
	static CUresult symbol##_body parameters

#endif
