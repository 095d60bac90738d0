/* SPDX-License-Identifier: MIT */
/* What happened while the host was in an NVTX range, by the records of a trace. */
#ifndef KTIME_REPORT_FINDINGS_RANGE_TIMES_H
#define KTIME_REPORT_FINDINGS_RANGE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "report/findings/host_range.h"

/* Nanoseconds. */
struct range_times {
	bool known;
	uint64_t idle; /* of the device, between its first operation and its last */
	/* GPU time that other threads launched while the range was open; none if several threads
	 * were in it. */
	uint64_t by_others;
	bool several; /* such threads */
};

/*
 * Not known where the profile is of several processes, or has not all records of the range, or more
 * than are worth the time and memory (20 ms and 6 MB, as this is done at a program's end too).
 */
struct range_times range_times_find(const struct session *session, const struct host_range *range,
				    int device);

#endif
