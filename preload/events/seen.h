/* SPDX-License-Identifier: MIT */
/*
 * What an activity record of work on the device is. It is identified once, in collector/records.c,
 * and then given in order to all that take something from it: rows.h, timeline.h, trace.h, cost.h,
 * recording.h, calls.h. None of these calls another. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_EVENTS_SEEN_H
#define KTIME_PRELOAD_EVENTS_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"

struct in_flight;
struct operation;

/* What ran on a device before an operation, and at the same time, by the activity records. Times in
 * nanoseconds. */
struct concurrency {
	bool overlapped;     /* it ran at the same time as an operation of another stream */
	bool same_stream;    /* the operation that ended last before it was of its stream */
	uint64_t stream_end; /* end of the one before it in its stream; 0 if none */
	uint64_t device_end; /* end of the one that ended last on its device; 0 if none */
};

struct seen {
	const struct activity *activity;
	struct operation *operation; /* its call's, or the one that the record names */
	/* The call that this record was matched with. Of a graph's nodes one alone has it, which
	 * tells the call of their launch. NULL: not known. */
	struct in_flight *call;
	/* The call that launched it, of every node of a graph; NULL: not known. */
	const struct in_flight *launch;
	/* The number of that call in the timeline (timeline.h). 0: not known, or the record has
	 * another clock's times. */
	uint32_t host_call;
	struct row *row; /* NULL: it has none */
	uint64_t nanoseconds;
	struct concurrency before;
	bool must_match; /* a record without a call is counted as unmatched */
	bool reported;	 /* made inside the window, and in the ranges that the user chose */
	bool shown;	 /* reported, and as sound as can be told: what comes next implies it */
	bool counted;	 /* as a record of CUPTI's */
	bool timed;	 /* its row and its ranges get its time */
	bool busy;	 /* the device's busy time has it, whether it is shown or not */
};

#endif
