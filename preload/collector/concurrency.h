/* SPDX-License-Identifier: MIT */
/*
 * What ran on a device at the same time, and right before, by the activity records. The collector
 * thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_CONCURRENCY_H
#define KTIME_PRELOAD_COLLECTOR_CONCURRENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"

struct concurrency {
	bool overlapped;     /* it ran at the same time as one of another stream */
	bool same_stream;    /* the one that ended last before it was of its stream */
	uint64_t stream_end; /* of the one before it in its stream; 0 where it is the first */
	uint64_t device_end; /* of the one that ended last on its device; 0 where it is the first */
};

/*
 * Notes an operation, and says what was before it. As records come in the order of their starts,
 * more or less: of those that come late some overlaps are missed, and none is made up.
 */
struct concurrency concurrency_note(const struct activity *activity);

#endif
