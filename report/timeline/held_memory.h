/* SPDX-License-Identifier: MIT */
/* The values of a timeline's counters of what the devices hold of memory, from a trace's records.
 */
#ifndef KTIME_REPORT_TIMELINE_HELD_MEMORY_H
#define KTIME_REPORT_TIMELINE_HELD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

struct held_memory {
	uint64_t from;	  /* when the timeline begins, ns; the caller sets it, all else is 0 */
	uint64_t waiting; /* bit by device: has a value from before, which was not returned yet */
	uint64_t bytes[SESSION_DEVICES];
	const struct trace_record *last; /* whose value was returned last */
};

struct held_value {
	int32_t device;
	uint64_t time, bytes;
};

/*
 * The values to write before a record, which is one after the other in the order of
 * trace_order_next(); false if there is no further one. Behind a process's last record it is called
 * with NULL.
 */
bool held_memory_next(struct held_memory *held, const struct trace_record *record,
		      struct held_value *value);

#endif
