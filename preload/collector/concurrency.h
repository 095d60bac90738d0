/* SPDX-License-Identifier: MIT */
/* What ran on a device before an operation, and at the same time, by the activity records. Times in
 * nanoseconds. For the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_CONCURRENCY_H
#define KTIME_PRELOAD_COLLECTOR_CONCURRENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"

struct concurrency {
	bool overlapped;     /* it ran at the same time as an operation of another stream */
	bool same_stream;    /* the operation that ended last before it was of its stream */
	uint64_t stream_end; /* end of the one before it in its stream; 0 if none */
	uint64_t device_end; /* end of the one that ended last on its device; 0 if none */
};

/* Adds an operation and returns what was before it. Records come roughly in the order of their
 * starts; for late ones an overlap may be missed, but none is reported that was not there. */
struct concurrency concurrency_add(const struct activity *activity);

#endif
