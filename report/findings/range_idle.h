/* SPDX-License-Identifier: MIT */
/* How long a device was idle while the host was in an NVTX range, by the records of a trace. */
#ifndef KTIME_REPORT_FINDINGS_RANGE_IDLE_H
#define KTIME_REPORT_FINDINGS_RANGE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/findings/host_range.h"

/*
 * Between the device's first operation and its last. False where it is not known: the profile is of
 * several processes, or has not all records of the range, or more than are worth the time and
 * memory (20 ms and 3 MB, as this is done at a program's end too).
 */
bool range_idle(const struct session *session, const struct host_range *range, int device,
		uint64_t *idle);

#endif
