/* SPDX-License-Identifier: MIT */
/*
 * What ran on a device at the same time, and right before, by the activity records. The collector
 * thread alone.
 */
#ifndef KTIME_PRELOAD_CONCURRENCY_H
#define KTIME_PRELOAD_CONCURRENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"

/*
 * Whether an operation ran at the same time as one of another stream; `previous` is when the one
 * before it in its stream ended, 0 where it is the first. As records come in the order of their
 * starts, more or less: of those that come late some overlaps are missed, and none is made up.
 */
bool concurrency_note(const struct activity *activity, uint64_t *previous);

#endif
