/* SPDX-License-Identifier: MIT */
/*
 * The runtime functions that ktime's wrappers count and time, by CUPTI's callback id. CUPTI is told
 * not to record them, which saves most of what its runtime kind adds to a launch. The list also has
 * cudart's internal calls around each launch, which no report shows.
 */
#ifndef KTIME_CUPTI_WRAPPED_CALLS_H
#define KTIME_CUPTI_WRAPPED_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In ascending order. */
extern const uint32_t wrapped_runtime_calls[];
extern const size_t wrapped_runtime_call_count;

/* Any thread. */
bool runtime_call_is_wrapped(uint32_t callback);

#endif
