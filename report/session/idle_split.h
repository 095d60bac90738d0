/* SPDX-License-Identifier: MIT */
/*
 * Why a device was idle before an operation: the rules by which a gap is split by cause. The
 * library splits gaps by them while the program runs, for the sums that a profile keeps, and a page
 * those of a trace, so that both say the same of a gap as far as they know the same calls.
 */
#ifndef KTIME_REPORT_SESSION_IDLE_SPLIT_H
#define KTIME_REPORT_SESSION_IDLE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

/* How far the records' clock and the host's may be apart, in nanoseconds: in a shorter gap the
 * host's time cannot be told from launch latency. */
#define CLOCKS_APART_NS 5000u
/* A launch takes some microseconds; one that loads its module 0.1 ms and more. Chosen. */
#define LOADING_NS	50000u

enum host_call_flags {
	HOST_CALL_WAITED = 1, /* a synchronizing call: it waited for the device */
	HOST_CALL_WORK = 2,   /* started an operation, or several */
	HOST_CALL_FIRST = 4,  /* the first launch of a kernel, which may load its module */
};

/* A call of the host's; times in nanoseconds, on the clock of the gap. */
struct idle_call {
	uint64_t begin, end;
	uint32_t previous; /* number of the thread's call before it; 0: none */
	uint8_t flags;	   /* enum host_call_flags */
};

struct idle_gap {
	uint64_t begin, end;
	uint32_t call; /* number of the call that started the operation after it; 0: not known */
	bool in_graph; /* between two operations of one launch of a graph */
};

/* What the gap is split by, and who takes its parts. */
struct idle_calls {
	/* Gets the call of a number, which is not 0; false: it is not known. */
	bool (*get)(const void *argument, uint32_t number, struct idle_call *call);
	/* Takes a part, which is not empty. `number`: IDLE_CALL's call; else 0. */
	void (*part)(void *argument, enum idle_cause cause, uint32_t number, uint64_t begin,
		     uint64_t end);
	void *argument;
};

/* Hands out the parts of a gap, which together are the gap. */
void idle_split(const struct idle_gap *gap, const struct idle_calls *calls);

#endif
