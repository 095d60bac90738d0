/* SPDX-License-Identifier: MIT */
/* Names of API calls in CUPTI's records. */
#ifndef KTIME_CUPTI_API_NAMES_H
#define KTIME_CUPTI_API_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/activity.h"

/*
 * The name of an API record's function as a programmer writes it: "cudaMalloc" for CUPTI's
 * cudaMalloc_v3020, or "unknown call"; never NULL, and valid for ever. For the collector thread
 * only.
 */
const char *api_call_name(const struct activity *activity);

/*
 * The runtime functions that ktime's wrappers count and time, by CUPTI's callback id. CUPTI is told
 * not to record them, which saves most of what its runtime kind adds to a launch. The list also has
 * cudart's internal calls around each launch, which no report shows.
 */

/* In ascending order. */
extern const uint32_t wrapped_runtime_calls[];
extern const size_t wrapped_runtime_call_count;

/* Any thread. */
bool runtime_call_is_wrapped(uint32_t callback);

#endif
