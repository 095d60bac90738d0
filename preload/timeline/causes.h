/* SPDX-License-Identifier: MIT */
/* Why a device was idle before an operation: one gap, split by what the host did in it. */
#ifndef KTIME_PRELOAD_TIMELINE_CAUSES_H
#define KTIME_PRELOAD_TIMELINE_CAUSES_H

#include <stdint.h>

#include "preload/timeline/interval_set.h"
#include "report/session/idle.h"

/* How far the records' clock and the host's may be apart, in nanoseconds: in shorter gaps they do
 * not tell the host's time from launch latency. */
#define CLOCKS_APART_NS 5000u

/* How many functions of one gap are told apart; the others are summed up as one. Chosen. */
#define SPLIT_CALLS	8

/* The parts of a gap, in nanoseconds; together they are its length. */
struct split {
	uint64_t parts[IDLE_CAUSE_COUNT]; /* IDLE_CALL: all functions */
	struct {
		uint16_t api; /* API_NONE: the functions that had no room */
		uint64_t part;
	} calls[SPLIT_CALLS];
	unsigned call_count;
	uint32_t thread; /* that launched the operation after the gap; 0: not known */
};

/* Splits the gap between two intervals. Calls of the thread that launched the later one must have
 * been added to host_calls.h. */
void causes_split(struct split *split, const struct interval *before, const struct interval *after);

#endif
