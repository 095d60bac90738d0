/* SPDX-License-Identifier: MIT */
/* Decoding activity records of all supported versions of CUPTI. */
#ifndef KTIME_CUPTI_DECODE_H
#define KTIME_CUPTI_DECODE_H

#include <stdint.h>

#include "cupti/activity.h"

/* Decodes one record of any version that ktime uses (versions.h), aligned or not. A kind that ktime
 * does not decode gives ACTIVITY_UNKNOWN. The name points to CUPTI's memory. Any thread. */
void decode_activity(const void *record, struct activity *activity);

#endif
