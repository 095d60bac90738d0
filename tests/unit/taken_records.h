/* SPDX-License-Identifier: MIT */
/*
 * The surroundings of preload/collector/records.c in its tests: what the rooms beside it answer,
 * and what they were asked.
 */
#ifndef KTIME_TESTS_UNIT_TAKEN_RECORDS_H
#define KTIME_TESTS_UNIT_TAKEN_RECORDS_H

#include "cupti/activity.h"
#include "cupti/cupti.h"
#include "preload/collector/cost.h"
#include "preload/events/in_flight.h"
#include "preload/handles/operation.h"
#include "report/session/session.h"

struct surroundings {
	bool matches, complete, knows_kernels, trace, chosen, included, own, window_changes;
	uint64_t window_from;
	struct concurrency before;
	struct in_flight *call; /* that the record matches */
	struct in_flight *next; /* that it would by the order alone */
	unsigned matched, recorded, costs, in_ranges, fed, traced, traced_calls, by_recording,
		skipped;
	bool timed, overlapped, idle, kernel_by_order;
	uint64_t nanoseconds, range_ns;
	uint32_t correlation;
	enum clock_source range_clock;
	const char *called;
};
extern struct surroundings around;

/* A call of `other_kernel`, which a test gives to a record as around.call. */
extern struct in_flight call;
extern struct operation other_kernel;

/* Before and after each test, for cmocka. */
int taken_start(void **state);
int taken_stop(void **state);

/* Takes a record of 600 ns from 5000 ns on; `rest` has what differs. */
void take(enum activity_kind kind, struct activity rest);
uint64_t count(enum session_counter counter);
const struct row *row_of(enum row_kind kind, const char *name, int device);
unsigned names_looked_up(void);

#endif
