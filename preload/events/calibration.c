/* SPDX-License-Identifier: MIT */
#include "preload/events/calibration.h"

#include "preload/base/clock.h"
#include "preload/base/mode.h"
#include "preload/events/event_overhead.h"
#include "preload/events/event_queue.h"
#include "preload/handles/capture.h"

/* The least of this many measurements is taken. Chosen. */
#define ROUNDS	     8
/* The longest wait for one pair. Chosen: a thousand times the time between its events. */
#define MOST_WAIT_NS 1000000u

/* The time between two back-to-back events in the stream, in nanoseconds; 0 if it cannot be
 * measured. */
static uint64_t pair_overhead(CUstream stream, CUevent start, CUevent end)
{
	uint64_t limit = clock_ns(CLOCK_MONOTONIC) + MOST_WAIT_NS;
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

static uint64_t least_pair_overhead(void)
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
			one = pair_overhead(stream, start, end);
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
		event_overhead_calibrate(least_pair_overhead());
}
