/* SPDX-License-Identifier: MIT */
/* Decoding activity records of all supported versions of CUPTI. */
#ifndef KTIME_CUPTI_DECODE_H
#define KTIME_CUPTI_DECODE_H

#include <stdint.h>

#include "cupti/activity.h"

/*
 * Decodes one record, aligned or not, in the layout of a version of CUPTI (from cuptiGetVersion():
 * 18 is CUDA 11.8, 130000 is 13.0). Reads no byte beyond the members that this version has. A kind
 * that ktime does not decode gives ACTIVITY_UNKNOWN. The name points to CUPTI's memory. Any thread.
 */
void decode_activity(const void *record, uint32_t version, struct activity *activity);

#endif
