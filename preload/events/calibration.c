/* SPDX-License-Identifier: MIT */
#include "preload/events/calibration.h"

#include "preload/events/event_overhead.h"
#include "preload/handles/capture.h"
#include "preload/base/clock.h"
#include "preload/base/mode.h"
#include "preload/events/event_queue.h"

#define ROUNDS	8
#define WAIT_NS 1000000u

/* What an empty pair measures in the stream, nanoseconds; 0 where it cannot be had. */
static uint64_t empty_pair(CUstream stream, CUevent start, CUevent end)
{
	uint64_t limit = clock_ns(CLOCK_MONOTONIC) + WAIT_NS;
	float milliseconds = 0;
	CUresult result;

	if (driver.cuEventRecord(start, stream) != CUDA_SUCCESS ||
	    driver.cuEventRecord(end, stream) != CUDA_SUCCESS)
		return 0;
	do
		result = driver.cuEventQuery(end);
	while (result == CUDA_ERROR_NOT_READY && clock_ns(CLOCK_MONOTONIC) < limit);
	if (result != CUDA_SUCCESS ||
	    driver.cuEventElapsedTime(&milliseconds, start, end) != CUDA_SUCCESS)
		return 0;
	return (uint64_t)((double)milliseconds * 1e6 + 0.5);
}

static uint64_t least_empty_pair(void)
{
	CUresult (*create)(CUstream *, unsigned) =
		(CUresult(*)(CUstream *, unsigned))driver_entry(ENTRY_cuStreamCreate);
	CUresult (*destroy)(CUstream) =
		(CUresult(*)(CUstream))driver_entry(ENTRY_cuStreamDestroy_v2);
	CUevent start = NULL, end = NULL;
	CUstream stream = NULL;
	uint64_t least = 0, one;

	if (!create || !destroy || create(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
		return 0;
	if (driver.cuEventCreate(&start, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
	    driver.cuEventCreate(&end, CU_EVENT_DEFAULT) == CUDA_SUCCESS)
		for (int i = 0; i < ROUNDS; i++) {
			one = empty_pair(stream, start, end);
			if (one == 0)
				break;
			least = least == 0 || one < least ? one : least;
		}
	if (start)
		driver.cuEventDestroy_v2(start);
	if (end)
		driver.cuEventDestroy_v2(end);
	destroy(stream);
	return least;
}

void calibration_update(void)
{
	static bool measured;
	struct context *context = context_first();

	if (measured || !mode_events || mode_is_cupti() || !context || capture_is_live())
		return;
	measured = true;
	if (context_use(context))
		event_overhead_calibrate(least_empty_pair());
}
