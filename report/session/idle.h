/* SPDX-License-Identifier: MIT */
/* What the profile says of each device's time: how much of it was busy, and why the rest was not.
 * Part of session.h. */
#ifndef KTIME_REPORT_SESSION_IDLE_H
#define KTIME_REPORT_SESSION_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/figure.h"
#include "report/session/item.h"

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
extern const char *const idle_cause_keys[IDLE_CAUSE_COUNT],
	*const idle_cause_texts[IDLE_CAUSE_COUNT];

/* A device's time by activity records, from `first`, the start of the first operation, to `last`,
 * the end of the last one. All 0 if there are none. Nanoseconds. */
#define USE_FIGURES(X)                                                                             \
	X(device_use, U64, first, NS, OWN, OWN, "when the first operation began")                  \
	X(device_use, U64, last, NS, OWN, OWN, "when the last one ended")                          \
	X(device_use, U64, excluded, NS, SUM, SUBTRACT, "of that, outside the profiling window")   \
	X(device_use, U64, busy, NS, SUM, SUBTRACT, "union of all operations")                     \
	X(device_use, U64, kernels, NS, SUM, SUBTRACT, "union of kernels and graphs",              \
	  SHOWN_ALWAYS, "busy_kernels")                                                            \
	X(device_use, U64, copies, NS, SUM, SUBTRACT, "union of copies and memsets", SHOWN_ALWAYS, \
	  "busy_copies")                                                                           \
	X(device_use, U64, late, NS, SUM, SUBTRACT, "of records that came too late to be counted") \
	X(device_use, U32, contexts, COUNT, MOST, LATER,                                           \
	  "how many worked on it: 1, or 2 for several", SHOWN_NEVER)

struct device_use {
	USE_FIGURES(FIGURE_MEMBER)
};

/* Calls that a program may do better without: how many, and how long they took in all. */
#define TOTALS_FIGURES(X)                                                                          \
	X(call_totals, U64, pageable_calls, COUNT, SUM, SUBTRACT,                                  \
	  "asynchronous copies of pageable memory")                                                \
	X(call_totals, U64, pageable_ns, NS, SUM, SUBTRACT, "their time on the device")            \
	X(call_totals, U64, synchronous_calls, COUNT, SUM, SUBTRACT,                               \
	  "synchronous copies, and memsets that wait")                                             \
	X(call_totals, U64, synchronous_ns, NS, SUM, SUBTRACT, "their time on the host")           \
	X(call_totals, U64, waiting_calls, COUNT, SUM, SUBTRACT, "synchronizing calls")            \
	X(call_totals, U64, waiting_ns, NS, SUM, SUBTRACT, "their time on the host")               \
	X(call_totals, U64, memory_calls, COUNT, SUM, SUBTRACT,                                    \
	  "calls that allocate or free memory")                                                    \
	X(call_totals, U64, memory_ns, NS, SUM, SUBTRACT, "their time on the host")

struct call_totals {
	TOTALS_FIGURES(FIGURE_MEMBER)
};

/* A cause of idle time. */
#define IDLE_FIGURES(X)                                                                            \
	X(idle_row, U64, gaps, COUNT, SUM, SUBTRACT, "in which it had a part")                     \
	X(idle_row, U64, total, NS, SUM, SUBTRACT, "idle time")                                    \
	X(idle_row, U64, longest, NS, OWN, LATER, "the longest part")                              \
	X(idle_row, TEXT, longest_before, COUNT, OWN, LATER, "the operation before the longest",   \
	  SHOWN_ALWAYS, "before")                                                                  \
	X(idle_row, TEXT, longest_after, COUNT, OWN, LATER, "the one after it", SHOWN_ALWAYS,      \
	  "after")

struct idle_row {
	uint32_t committed; /* as in struct row */
	uint32_t cause;	    /* enum idle_cause */
	uint64_t name;	    /* IDLE_CALL: offset of the function's name; else 0 */
	int32_t device;
	uint32_t thread; /* whose operation ended the gap, from gettid(); 0: not known */
	IDLE_FIGURES(FIGURE_MEMBER)
};

/* In nanoseconds: a device's time in the profiling window, from its first operation to its last;
 * its idle time, and the whole that it is a part of; how long it ran kernels and copies at once. */
uint64_t use_time(const struct device_use *use);
uint64_t idle_time(const struct device_use *use, uint64_t *whole);
uint64_t busy_with_both(const struct device_use *use);
/* The idle time of each cause; of no session none. */
void idle_totals(const struct session *session, int device, uint64_t totals[IDLE_CAUSE_COUNT]);

static inline double time_percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* How a device's time was used since CUPTI was started. NULL: nothing was recorded on it (events
 * say how long an operation took and not when), or only what ran in windows. */
const struct device_use *session_use(const struct session *session, int device);
/* Whether it is known of the whole run: whatever ran was recorded. */
bool session_knows_use(const struct session *session);

/* Finds or adds a cause; NULL if there is no room for it. */
struct idle_row *session_idle_row(struct session *session, const struct idle_row *key);
/* Adds one gap's part. */
void session_add_idle(struct idle_row *row, uint64_t nanoseconds, uint64_t before, uint64_t after);
#define session_for_each_idle(session, row)                                                        \
	for (row = session_next_item(session, SEGMENT_IDLE, NULL); row;                            \
	     row = session_next_item(session, SEGMENT_IDLE, row))

#endif
