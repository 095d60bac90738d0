/* SPDX-License-Identifier: MIT */
#include "preload/events/queued_overhead.h"

#include "preload/events/event_overhead.h"
#include "preload/events/self_timing.h"

/* Kernels before each pair, and pairs that are not used: of forty pairs behind a kernel of 3 ms
 * fewer than ten, the first, hold no more than pairs in an idle stream (H200, reason unknown; in
 * shorter series most do not). Chosen. */
#define BEFORE	  8u
#define SKIPPED	  16u
/* How long the first kernel runs, in which all others must be queued, and each of these. Chosen:
 * queueing takes 1 to 2 ms. */
#define FIRST_NS  3000000u
#define KERNEL_NS 10000u

static CUevent events[SKIPPED + QUEUED_KERNELS][2];
static unsigned first; /* reading of those that count */

static bool queue_pair(CUstream stream, unsigned number)
{
	unsigned reading = number < SKIPPED ? 0 : first + number - SKIPPED;
	CUevent *pair = events[number];

	for (unsigned i = 0; i < BEFORE; i++)
		if (!self_timing_launch(stream, 0, KERNEL_NS))
			return false;
	return driver.cuEventCreate(&pair[0], CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
	       driver.cuEventCreate(&pair[1], CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
	       driver.cuEventRecord(pair[0], stream) == CUDA_SUCCESS &&
	       self_timing_launch(stream, reading, KERNEL_NS) &&
	       driver.cuEventRecord(pair[1], stream) == CUDA_SUCCESS;
}

bool queued_overhead_begin(CUstream stream, unsigned first_reading)
{
	first = first_reading;
	if (!self_timing_launch(stream, 0, FIRST_NS))
		return false;
	for (unsigned i = 0; i < SKIPPED + QUEUED_KERNELS; i++)
		if (!queue_pair(stream, i))
			return false;
	/* Else the device waited for the host in pairs that count. */
	return driver.cuEventQuery(events[SKIPPED][0]) == CUDA_ERROR_NOT_READY;
}

CUevent queued_overhead_last(void)
{
	return events[SKIPPED + QUEUED_KERNELS - 1][1];
}

void queued_overhead_take(const struct measured *not_queued)
{
	double step = (double)self_timing_reading(0)->step, more, error;
	struct measured queued;

	/* Some microseconds more come of other work that ran on the device. */
	if (!self_timing_beyond(events + SKIPPED, QUEUED_KERNELS, first, &queued) ||
	    queued.middle > 2 * not_queued->middle)
		return;
	more = queued.middle - not_queued->middle;
	error = queued.error + not_queued->error;
	event_overhead_set_queued(more > 0 ? more : 0, error > step ? error : step, QUEUED_KERNELS);
}
