/* SPDX-License-Identifier: MIT */
/* What the records of a trace say of a device's idle time: how much of it was while the host was in
 * an NVTX range, and where in the trace most of it is. */
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

/* The part of a trace that has most idle time, by tenths of it; CLOCK_REALTIME in nanoseconds. */
struct idle_part {
	uint64_t first, last; /* of the device's operations */
	uint64_t begin, end;  /* of the part, if its idle time is a half of all or more */
	uint64_t idle, all;   /* idle: 0: it is spread over the trace */
};
/* False: the trace has no idle time of the device. */
bool idle_part_find(const struct session *session, int device, struct idle_part *part);

#endif
