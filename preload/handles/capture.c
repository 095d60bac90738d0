/* SPDX-License-Identifier: MIT */
#include "preload/handles/capture.h"

#include "preload/base/settings.h"

/* Counted before the driver's call: from the moment that the capture can exist, other threads'
 * launches must check for it. */
void capture_begins(void)
{
	atomic_fetch_add_explicit(&launch_state.captures, 1, memory_order_relaxed);
	count_only_block(1);
}

void capture_began(CUresult result)
{
	if (result != CUDA_SUCCESS) {
		atomic_fetch_sub_explicit(&launch_state.captures, 1, memory_order_relaxed);
		count_only_block(-1);
	}
}

/*
 * Whether the capture has ended. If the stream is not capturing, or only joined another stream's
 * capture, the driver refuses (H200: CUDA_ERROR_ILLEGAL_STATE) and the capture goes on. Results
 * unknown to ktime count as a refusal: a count that stays too high costs each launch a query, one
 * that is too low would let ktime break the program's capture.
 */
static bool ends_capture(CUresult result)
{
	return result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

void capture_ended(CUresult result)
{
	int live = atomic_load_explicit(&launch_state.captures, memory_order_relaxed);

	if (!ends_capture(result))
		return;
	/* A capture that began before ktime ran must not make the count negative. */
	while (live > 0 &&
	       !atomic_compare_exchange_weak_explicit(&launch_state.captures, &live, live - 1,
						      memory_order_relaxed, memory_order_relaxed))
		;
	if (live > 0)
		count_only_block(-1);
}

bool capture_is_in(CUstream handle)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	/* The query fails with CUDA_ERROR_STREAM_CAPTURE_IMPLICIT on the legacy default stream
	 * while a blocking stream captures. Recording an event there would break that capture. */
	return driver.cuStreamIsCapturing(handle, &status) != CUDA_SUCCESS ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}
