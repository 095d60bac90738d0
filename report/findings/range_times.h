/* SPDX-License-Identifier: MIT */
/* What the records of a trace say of a device's idle time: how much of it was while the host was in
 * an NVTX range, and where in the trace most of it is. */
#ifndef KTIME_REPORT_FINDINGS_RANGE_TIMES_H
#define KTIME_REPORT_FINDINGS_RANGE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "report/findings/host_range.h"

#define RANGES_NAMED 4

/* A device's idle time by what the host was in meanwhile: ranges that lie directly in the same
 * range, or in none, as they were open on one thread. Its parts add up; nanoseconds. */
struct idle_by_range {
	uint64_t all;
	struct range_idle {
		const struct nvtx_range *range;
		uint64_t time, host; /* host: how long it was open, all in all */
	} named[RANGES_NAMED];	     /* the longest time first */
	unsigned count;		     /* of those named; 0: it is not known */
	unsigned others;	     /* ranges beside them */
	uint64_t in_others, elsewhere;
};

/* Nanoseconds. */
struct range_times {
	bool known;
	uint64_t idle; /* of the device, between its first operation and its last */
	/* GPU time that other threads launched while the range was open; none if several threads
	 * were in it. */
	uint64_t by_others;
	bool several; /* such threads */
	struct idle_by_range split;
};

/*
 * Not known where the profile is of several processes, or has not all records of the range, or more
 * than are worth the time and memory, as this is done at a program's end too: 60 ms and 11 MB for
 * 200,000, of which a third are ranges. How idle time is split is not known either where the
 * records of the ranges beside it are not all there, or those of the device.
 */
struct range_times range_times_find(const struct session *session, const struct range_tree *tree,
				    const struct host_range *range, int device);

/* The part of a trace that has most idle time, by tenths of it; CLOCK_REALTIME in nanoseconds. */
struct idle_part {
	uint64_t first, last; /* of the device's operations */
	uint64_t begin, end;  /* of the part, if its idle time is a half of all or more */
	uint64_t idle, all;   /* idle: 0: it is spread over the trace */
};
/* False: the trace has no idle time of the device. */
bool idle_part_find(const struct session *session, int device, struct idle_part *part);

#endif
