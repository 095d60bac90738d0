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

#include "preload/events/in_flight.h"
#include "preload/launch/thread.h"
#include "report/session/idle_split.h"
#include "report/session/session.h"

/*
 * The union of intervals that come roughly in the order of their starts, in bounded memory: what is
 * final has been measured and forgotten, the rest is kept as disjoint intervals. Times in
 * nanoseconds. For one thread.
 */

/* What an interval of the union begins and ends with. */
struct edge {
	uint64_t name;	       /* offset of the operation's name in the profile */
	uint32_t call;	       /* number of the host's call; 0: not known; or CALL_BY_TIME */
	uint32_t graph_launch; /* correlation id of the graph launch; 0: no node of a graph */
};

struct interval {
	uint64_t start, end;
	struct edge first; /* of the operation that started first */
	struct edge last;  /* of the operation that ended last */
};

/* The most intervals that are kept; 64 bytes each. Chosen: 8192 launches at 3 us are 25 ms. */
#define INTERVALS_KEPT 8192u

struct interval_set {
	struct interval *intervals; /* in order; those from `begin` to `end` count */
	size_t begin, end, room;
	uint64_t total; /* of the union so far */
	uint64_t final; /* the end of what is final: later intervals must not start before it */
	uint64_t late;	/* total time of intervals before `final`, which came too late to count */
	/* Called for each final gap between two intervals; may be NULL. */
	void (*gap)(const struct interval *before, const struct interval *after, void *argument);
	void *argument;
};

/* Adds an interval. If the set is full, or memory is out, its older half becomes final. */
void interval_set_add(struct interval_set *set, const struct interval *interval);
/* Makes final what no interval that starts at `until` or later can change. */
void interval_set_settle(struct interval_set *set, uint64_t until);
/* How many intervals are kept now. */
static inline size_t interval_set_kept(const struct interval_set *set)
{
	return set->end - set->begin;
}

/*
 * The program's latest CUDA calls, of all threads: what the host did before an operation began.
 * Calls are numbered from 1 in the order in which they are added; each has a link to its thread's
 * call before it. Times in nanoseconds. For one thread.
 */

/* How many calls are remembered, a power of two. An operation's record comes at most some 200 ms
 * after its call (FLUSH_NS), or once a buffer is full: 32,768 calls are 90 ms of the fastest
 * launching, and at most 10 of the largest buffers. Chosen. */
#define HOST_CALLS_KEPT 32768u

struct host_call {
	uint64_t begin, end;
	uint32_t previous; /* number of the thread's call before it; 0: none */
	uint32_t thread;   /* from gettid() */
	uint16_t api;	   /* names the function: see entries.h */
	uint8_t flags;	   /* enum host_call_flags */
	uint8_t device;	   /* HOST_CALL_WORK: that got it */
};

/* In place of a call's number: no call is matched with the record, so the one that ended a gap is
 * found by its time, unless kernels were not recorded in the gap (pauses.h). */
#define CALL_BY_TIME UINT32_MAX

/* Adds a call and returns its number; 0 if memory is out. */
uint32_t host_calls_add(const struct host_call *call);
/* The call of a number; NULL for 0, and if it is no longer remembered. */
const struct host_call *host_calls_get(uint32_t number);

/* Why a device was idle before an operation: one gap, split by what the host did in it. */

/* How many CUDA functions are told apart in one gap; the time in others is added up. Chosen. */
#define SPLIT_CALLS 8

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

/* One part of a gap as it comes, in no order. */
struct gap_part {
	enum idle_cause cause;
	uint16_t api;	 /* IDLE_CALL: the function; else API_NONE */
	uint32_t thread; /* as in struct split */
	uint64_t begin, end;
};
typedef void gap_taker(void *argument, const struct gap_part *part);

/* Splits the gap between two intervals. Calls of the thread that launched the later one must have
 * been added before. */
void gap_split(const struct interval *before, const struct interval *after, gap_taker *take,
	       void *argument);
/* The same, and sums the parts up. */
void causes_split(struct split *split, const struct interval *before, const struct interval *after);

/* Takes a call record of a thread; the calls of one thread in order. */
void timeline_call(struct thread *thread, const struct call_record *record);
/* Takes an operation that the device was busy with. */
void timeline_take(const struct seen *seen);
/* Makes final, and writes to the profile, what records of operations that started at `until` or
 * later cannot change; UINT64_MAX for everything. */
void timeline_settle(uint64_t until);
/* From `until` on, when that call began, not everything is recorded: the gap before it is final. */
void timeline_end_exact(uint64_t until, uint32_t call);
/* How many bytes it takes, the calls included. */
size_t timeline_memory(void);

#endif
