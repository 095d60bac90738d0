/* SPDX-License-Identifier: MIT */
#ifndef KTIME_CUPTI_HOT_CALLS_H
#define KTIME_CUPTI_HOT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The runtime calls that ktime's own wrappers count and time, by callback id: CUPTI is told not to
 * record them, which saves most of what its runtime kind adds to a launch. With them go the
 * runtime's internal calls around each launch, which no report lists.
 */
extern const uint32_t hot_runtime_calls[];
extern const size_t hot_runtime_call_count;

bool runtime_call_is_hot(uint32_t callback);

#endif
