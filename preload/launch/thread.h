/* SPDX-License-Identifier: MIT */
/*
 * What ktime keeps for each thread that launches work: its ring of spans and its own maps, so that
 * the launch path shares no cache line with another thread.
 */
#ifndef KTIME_PRELOAD_LAUNCH_THREAD_H
#define KTIME_PRELOAD_LAUNCH_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/base/clock.h"
#include "preload/handles/operation.h"
#include "preload/base/pointer_map.h"
#include "preload/launch/call_record.h"
#include "preload/handles/stream.h"

/* Of the calls that are only counted, one in so many is recorded like the others: 3 % of them,
 * which tells the API rows' host times. */
#define RECORDED_CALLS 32

/*
 * What a launch touches lies together, see launch_state.h: for one that is only counted from the
 * end of api_calls, the runtime's symbols, to the start of operation_calls.
 */
struct thread {
	/*
	 * Calls that are only counted: by the row of the API, here, and by operation, below. The
	 * launching thread writes them, the collector reads them.
	 */
	_Atomic uint64_t api_calls[API_COUNT];

	/* The launching thread's alone; first what every launch needs. */
	uint32_t depth __attribute__((aligned(64))); /* inside one of our wrappers */
	uint32_t calls;				     /* that may be only counted */
	struct pointer_map kernels;
	uint32_t random;
	CUstream last_stream;
	CUfunction last_function; /* NULL for what is not a kernel */
	struct operation *last_operation;
	uint32_t last_generation; /* of operations, when the two were brought together */
	/* Calls until ktime's overhead is next read off the clock, and how often it was. */
	uint8_t overhead_left, overhead_taken;
	bool missed; /* the present call brought what the thread had not met */
	struct pointer_map streams;
	int *error; /* its errno */
	struct pointer_map graphs;
	struct event_pool *pools, *last_pool;
	struct stream *default_streams; /* its own ones, a context each */

	/* Written by the launching thread, read by the collector. */
	_Atomic uint64_t in_call __attribute__((aligned(64))); /* ticks at entry; 0 outside */
	_Atomic uint64_t host_ticks;			       /* spent in ktime, as sampled */
	_Atomic bool ended;
	struct ring ring;

	/* Pages that no operation falls into are never touched. */
	_Atomic uint64_t operation_calls[COUNTED_OPERATIONS];
	struct call_record records[RING_RECORDS] __attribute__((aligned(64)));

	/* The collector's; the launching thread looks at the first where its ring is full. */
	_Atomic uint32_t ring_tail __attribute__((aligned(64)));
	uint64_t operation_calls_seen[COUNTED_OPERATIONS];
	uint64_t api_calls_seen[API_COUNT];
	uint64_t host_ticks_seen;
	uint32_t drain_end; /* the ring's head when draining began */
	struct thread *drain_next;
	uint32_t kernel_id;  /* as gettid() says */
	uint32_t pthread_id; /* the lower half of pthread_self(): what CUPTI's records say */
	struct thread *next;
};

/*
 * NULL until thread_enter(). Initial-exec: no call of __tls_get_addr, which may allocate, on the
 * launch path.
 */
extern __thread struct thread *thread_self __attribute__((tls_model("initial-exec")));

/* Makes the calling thread known; NULL where memory is out. */
struct thread *thread_enter(void);
/* How many threads were made known, those that ended among them. */
uint32_t thread_count_entered(void);
/* All known threads, newest first. */
struct thread *thread_first(void);
/*
 * The collector alone: takes a thread that ended, and whose ring is empty, off the list and frees
 * it, after `last` has seen it. Its pools stay: spans of its may still be under way.
 */
void thread_reap(void (*last)(struct thread *thread));

/* Adds one to a count of the calling thread's own. */
static inline void thread_count(_Atomic uint64_t *count)
{
	/* One writer: a load and a store do, without the cost of a locked addition. */
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/*
 * The most that one call's own time can be: what is beyond is a wait for room in the launch queue
 * or for the driver's lock, as the launch itself would have waited (16 threads, H200: up to seconds
 * at a thread's first launch, and the threads together no slower). A first sight may make 1024
 * pairs of events.
 */
#define OWN_MOST_US	  5
#define OWN_MOST_FIRST_US 2000

/* Adds the time that ktime took of a call of the calling thread's, which stands for so many. */
static inline void thread_add_overhead(struct thread *thread, uint64_t ticks, uint32_t calls)
{
	uint64_t most = clock_some_ticks(thread->missed ? OWN_MOST_FIRST_US : OWN_MOST_US);

	thread->missed = false;
	ticks = (ticks < most ? ticks : most) * calls;
	atomic_store_explicit(&thread->host_ticks,
			      atomic_load_explicit(&thread->host_ticks, memory_order_relaxed) +
				      ticks,
			      memory_order_relaxed);
}

#endif
