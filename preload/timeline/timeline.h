/* SPDX-License-Identifier: MIT */
/*
 * Each device's time: how much of it was busy, and why it was idle before an operation. Operations
 * come by their activity records, roughly in the order of their starts; a gap between two is split
 * by its cause once no record can come any more that would fill it. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_TIMELINE_TIMELINE_H
#define KTIME_PRELOAD_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/session/session.h"

/* An operation on a device, in nanoseconds of CLOCK_REALTIME. */
struct timeline_operation {
	uint64_t start, end;
	uint32_t device, context; /* CUPTI's numbers */
	uint32_t graph_launch;	  /* correlation id of the graph launch; 0: no node of a graph */
	uint32_t call;		  /* number of its call (host_calls.h); 0: not known */
	uint64_t name;		  /* offset of its name in the profile */
	bool copy;		  /* a copy or memset */
};

void timeline_start(struct session *session);
void timeline_add(const struct timeline_operation *operation);
/* Makes final, and writes to the profile, what records of operations that started at `until` or
 * later cannot change; UINT64_MAX for everything. */
void timeline_settle(uint64_t until);
/* How many bytes it takes, the calls included. */
size_t timeline_memory(void);

#endif
