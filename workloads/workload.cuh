/* SPDX-License-Identifier: MIT */
/* What the workloads share that needs the CUDA runtime: the check of each call, times by events. */
#ifndef WORKLOADS_WORKLOAD_CUH
#define WORKLOADS_WORKLOAD_CUH

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "workloads/workload.h"

static inline void workload_check(cudaError_t error, const char *call)
{
	if (error != cudaSuccess) {
		std::fprintf(stderr, "%s: %s: %s\n", workload_name(), call,
			     cudaGetErrorString(error));
		std::exit(1);
	}
}
#define CHECK(call) workload_check(call, #call)

/* An attribute of the current device. */
static inline int workload_attribute(cudaDeviceAttr attribute)
{
	int device, value;

	CHECK(cudaGetDevice(&device));
	CHECK(cudaDeviceGetAttribute(&value, attribute, device));
	return value;
}

/* Theoretical DRAM bandwidth in bytes per second; 0 if the driver does not say. */
static inline double workload_dram_bandwidth()
{
	return 1e3 * workload_attribute(cudaDevAttrMemoryClockRate) *
	       workload_attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 * 2;
}

/* A pair of events. */
class event_pair
{
	cudaEvent_t first, second;

      public:
	event_pair()
	{
		CHECK(cudaEventCreate(&first));
		CHECK(cudaEventCreate(&second));
	}
	~event_pair()
	{
		cudaEventDestroy(first);
		cudaEventDestroy(second);
	}
	event_pair(const event_pair &) = delete;
	event_pair &operator=(const event_pair &) = delete;

	void start(cudaStream_t stream = nullptr)
	{
		CHECK(cudaEventRecord(first, stream));
	}
	void stop(cudaStream_t stream = nullptr)
	{
		CHECK(cudaEventRecord(second, stream));
	}
	/* Waits for the second. */
	double seconds()
	{
		float milliseconds;

		CHECK(cudaEventSynchronize(second));
		CHECK(cudaEventElapsedTime(&milliseconds, first, second));
		return milliseconds / 1e3;
	}
};

/*
 * Seconds between two events around what enqueue() puts into the default stream, which is held
 * until all of it is enqueued: at most WORKLOAD_HELD_LAUNCHES kernels or copies, none of which may
 * wait for the device.
 */
template <class Enqueue> static double workload_held_seconds(Enqueue enqueue)
{
	struct workload_hold hold = {0};
	event_pair events;

	CHECK(cudaLaunchHostFunc(nullptr, workload_hold, &hold));
	events.start();
	enqueue();
	events.stop();
	workload_release(&hold);
	return events.seconds();
}

#endif
