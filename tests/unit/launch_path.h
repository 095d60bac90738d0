/* SPDX-License-Identifier: MIT */
/* A thread that makes calls, for the tests of preload/launch. What lies around that folder is a
 * stand-in that the test sets, and the clock goes on only as the test says. */
#ifndef KTIME_TESTS_UNIT_LAUNCH_PATH_H
#define KTIME_TESTS_UNIT_LAUNCH_PATH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/events/event_pool.h"
#include "preload/launch/call.h"
#include "preload/launch/thread.h"
#include "preload/memory/allocations.h"

#define STREAM	       ((CUstream)0x70)
#define OTHER_STREAM   ((CUstream)0x71)
#define UNKNOWN_STREAM ((CUstream)0x72)
#define KERNEL	       ((CUfunction)0x100)
#define OTHER_KERNEL   ((CUfunction)0x101)
#define GRAPH	       ((CUgraphExec)0x200)
#define LAUNCH_ROW     API_DRIVER(ENTRY_cuLaunchKernel)
#define CALL_TICKS     1000u /* that the driver's function takes in launch_kernel() */

/* What clock_ticks() says next, and by how much each reading moves it. */
extern uint64_t ticks, ticks_a_reading;
extern struct thread launching;
extern struct context the_context, other_context;
extern struct stream streams[2]; /* of STREAM and OTHER_STREAM */
extern struct operation kernels[2], graph_operations[1], fixed[FIXED_OPERATION_COUNT];
extern struct event_pool pool; /* with one pair, which is free */
extern struct event_pair pair;

/* How often the stubbed functions were called, and what they return. */
struct asked {
	unsigned streams, known_streams, streams_used, operations, graphs_launched, pools, starts,
		work, late, threads;
	unsigned events, waits, failures, contexts, cupti_contexts, cupti_streams;
	CUevent last_event;
	CUstream last_stream;
	uint32_t waited_for;
	bool stream_is_known, stream_is_capturing, is_pageable, has_no_pool, starts_up;
	bool per_thread; /* the last stream whose id CUPTI was asked for */
	int cupti_fails; /* the result of both questions for ids */
	CUresult event_result, wait_result;
	CUcontext current;
	unsigned event_that_fails; /* the one with this number alone; 0: as event_result says */
};
extern struct asked asked;

/* What was noted of memory. */
struct noted {
	unsigned ended, freeing, freed, captured;
	struct allocated allocated; /* of the last call that allocated */
	uint64_t key;		    /* that was freed last */
	CUresult result;
};
extern struct noted noted;

/* cmocka: ktime runs, the window is open, events are the only clock and all calls get a pair. */
int launch_path_start(void **state);
int launch_path_end(void **state);

/* A whole call of a kernel, or of one described as the test likes. */
void describe_launch(struct call *call, CUfunction function, CUstream stream);
void make_call(struct call *call, CUresult result);
struct call launch_kernel(CUfunction function, CUstream stream, CUresult result);
/* A runtime call of this thread begins, far up on the stack; `begun` is what its end is given. */
extern uint64_t begun;
void begin_runtime_call(enum runtime_symbol which);
/* How many records the ring has got, and the last one. */
unsigned published(void);
const struct call_record *last_record(void);
/* The collector has read all records. */
void drain_ring(void);

#endif
