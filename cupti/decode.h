/* SPDX-License-Identifier: MIT */
#ifndef KTIME_CUPTI_DECODE_H
#define KTIME_CUPTI_DECODE_H

#include <stdint.h>

#include "cupti/activity.h"

/*
 * Decodes one record, aligned or not, as CUPTI's version (cuptiGetVersion: 18 is CUDA 11.8,
 * 130000 is 13.0) lays it out; reads no byte beyond the members that this version has. A kind
 * that is not read gives ACTIVITY_UNKNOWN. The name points where the record points. Any thread.
 */
void decode_activity(const void *record, uint32_t version, struct activity *activity);

#endif
