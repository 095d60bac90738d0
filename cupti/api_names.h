/* SPDX-License-Identifier: MIT */
#ifndef KTIME_CUPTI_API_NAMES_H
#define KTIME_CUPTI_API_NAMES_H

#include <stdint.h>

#include "cupti/activity.h"

/*
 * The name of the call that an API record is about, as a programmer writes it: "cudaMalloc" for
 * CUPTI's cudaMalloc_v3020. Valid for good; never NULL: "unknown call" where CUPTI has none.
 * Collector thread only.
 */
const char *api_call_name(const struct activity *activity);

#endif
