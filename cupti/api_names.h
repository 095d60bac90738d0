/* SPDX-License-Identifier: MIT */
/* Names of API calls in CUPTI's records. */
#ifndef KTIME_CUPTI_API_NAMES_H
#define KTIME_CUPTI_API_NAMES_H

#include <stdint.h>

#include "cupti/activity.h"

/*
 * The name of an API record's function as a programmer writes it: "cudaMalloc" for CUPTI's
 * cudaMalloc_v3020, or "unknown call"; never NULL, and valid for ever. For the collector thread
 * only.
 */
const char *api_call_name(const struct activity *activity);

#endif
