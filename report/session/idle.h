/* SPDX-License-Identifier: MIT */
/* What the profile says of each device's time: how much of it was busy, and why the rest was not.
 * Part of session.h. */
#ifndef KTIME_REPORT_SESSION_IDLE_H
#define KTIME_REPORT_SESSION_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Why a device was idle before an operation. X(name, in JSON and CSV, in words) */
#define IDLE_CAUSES(X)                                                                             \
	X(PROGRAM, "program", "the program between CUDA calls")                                    \
	X(AFTER_WAIT, "program after waiting", "the program after a synchronizing call")           \
	X(CALL, "call", "a CUDA call")                                                             \
	X(FIRST_LAUNCH, "first launch", "first launch of a kernel")                                \
	X(LATENCY, "launch latency", "launch latency")                                             \
	X(DEPENDENCY, "dependency", "dependencies on the device")                                  \
	X(GRAPH, "graph", "inside graphs")                                                         \
	X(SHORT, "short", "gaps under 5 us")                                                       \
	X(UNRESOLVED, "unresolved", "cause unknown")

#define IDLE_CAUSE_ENUM(name, key, text) IDLE_##name,
enum idle_cause { IDLE_CAUSES(IDLE_CAUSE_ENUM) IDLE_CAUSE_COUNT };
#undef IDLE_CAUSE_ENUM

/* A device's time by activity records, from `first`, the start of the first operation, to `last`,
 * the end of the last one. All 0 if there are none. Nanoseconds. */
struct device_use {
	uint64_t first, last;
	uint64_t excluded; /* of it, outside the profiling window */
	uint64_t busy;	   /* union of all operations */
	uint64_t kernels;  /* union of kernels and graphs */
	uint64_t copies;   /* union of copies and memsets */
	uint64_t late;	   /* of records that came too late to be counted */
	uint32_t contexts; /* how many worked on it: 1, or 2 for several */
	uint32_t reserved0;
};

/* Calls that a program may do better without: how many, and how long they took in all. */
struct call_totals {
	uint64_t pageable_calls, pageable_ns; /* asynchronous copies of pageable memory, on the
					       * device */
	/* Synchronous copies, and memsets that wait, on the host. */
	uint64_t synchronous_calls, synchronous_ns;
	uint64_t waiting_calls, waiting_ns; /* synchronizing calls, on the host */
	uint64_t memory_calls, memory_ns;   /* that allocate or free memory, on the host */
};

/* A cause of idle time. */
struct idle_row {
	uint32_t committed; /* as in struct row */
	uint32_t cause;	    /* enum idle_cause */
	uint64_t name;	    /* IDLE_CALL: offset of the function's name; else 0 */
	int32_t device;
	uint32_t thread; /* whose operation ended the gap, from gettid(); 0: not known */
	uint64_t gaps;	 /* in which it had a part */
	uint64_t total;
	uint64_t longest;
	/* Offsets of the names of the operations before and after the longest. */
	uint64_t longest_before, longest_after;
};

/* Whether the profile knows how busy the devices were: whatever ran was recorded. */
bool session_knows_use(const struct session *session);

/* Finds or adds a cause; NULL if there is no room for it. */
struct idle_row *session_idle_row(struct session *session, const struct idle_row *key);
/* Adds one gap's part. */
void session_add_idle(struct idle_row *row, uint64_t nanoseconds, uint64_t before, uint64_t after);
/* In the order of their creation; NULL past the last. */
struct idle_row *session_next_idle(const struct session *session, const struct idle_row *previous);
#define session_for_each_idle(session, row)                                                        \
	for (row = session_next_idle(session, NULL); row; row = session_next_idle(session, row))

#endif
