/* SPDX-License-Identifier: MIT */
#include "preload/handles/capture.h"

#include "preload/base/mode.h"

_Atomic int live_captures;

/*
 * Counted from before the call: a launch of another thread must ask from the moment that the
 * capture can be there.
 */
void capture_begins(void)
{
	atomic_fetch_add_explicit(&live_captures, 1, memory_order_relaxed);
	count_only_block(1);
}

void capture_began(CUresult result)
{
	if (result != CUDA_SUCCESS) {
		atomic_fetch_sub_explicit(&live_captures, 1, memory_order_relaxed);
		count_only_block(-1);
	}
}

/*
 * Whether the call took the capture from its stream. A driver refuses a stream that captures
 * nothing, or that only joined the capture of another (H200: CUDA_ERROR_ILLEGAL_STATE), and the
 * capture goes on. An unknown result is taken so too: a count that stays too high costs launches a
 * question to the driver, one that is too low breaks the program's capture.
 */
static bool ends_capture(CUresult result)
{
	return result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

void capture_ended(CUresult result)
{
	int live = atomic_load_explicit(&live_captures, memory_order_relaxed);

	if (!ends_capture(result))
		return;
	/* A capture that began unseen must not drive the count below zero. */
	while (live > 0 &&
	       !atomic_compare_exchange_weak_explicit(&live_captures, &live, live - 1,
						      memory_order_relaxed, memory_order_relaxed))
		;
	if (live > 0)
		count_only_block(-1);
}

bool capture_is_in(CUstream handle)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	/* An error is CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: the legacy stream, while a blocking one
	 * captures. A record there would break that capture. */
	return driver.cuStreamIsCapturing(handle, &status) != CUDA_SUCCESS ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}
