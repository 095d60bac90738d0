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
	/* The runtime symbol, plus one, whose wrapper passed the present launch on; 0: none. */
	uint32_t passed_symbol;
	/* The pair that ended the last call, if the next may start from there. */
	struct event_pair *chain;
	CUstream last_stream;
	CUfunction last_function; /* NULL for what is not a kernel */
	struct operation *last_operation;
	uint32_t last_generation; /* of operations, when the two were brought together */
	/* Calls until ktime's own time is next read off the clock, and how often it was. */
	uint8_t own_left, own_taken;
	bool first_sight;  /* the present call brought what the thread had not seen */
	bool counted_call; /* the present runtime call's operation was only counted */
	struct pointer_map streams;
	struct span *deferred; /* written, to be published when its runtime call ends */
	int *error;	       /* its errno */
	uint64_t own_ticks;    /* of ktime inside the present runtime call */
	struct pointer_map graphs;
	struct lane *lanes, *last_lane;
	struct stream *default_streams; /* its own ones, a context each */
	uint32_t chain_left;		/* how often it may be used before the device is asked */
	bool chain_behind;		/* the device was, at the last look */
	uint64_t chain_ended;		/* ticks */

	/* Written by the launching thread, read by the collector. */
	_Atomic uint64_t in_call __attribute__((aligned(64))); /* ticks at entry; 0 outside */
	_Atomic uint64_t host_ticks;			       /* spent in ktime, as sampled */
	_Atomic bool ended;
	struct ring ring;

	/* Pages that no operation falls into are never touched. */
	_Atomic uint64_t operation_calls[COUNTED_OPERATIONS];
	struct span spans[RING_SPANS] __attribute__((aligned(64)));

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
/* The runtime symbol whose wrapper this thread is in, plus one; 0 outside of any. */
extern __thread uint32_t thread_runtime_call __attribute__((tls_model("initial-exec")));

/* Makes the calling thread known; NULL where memory is out. */
struct thread *thread_enter(void);
/* How many threads were made known, those that ended among them. */
uint32_t thread_count_entered(void);
/* All known threads, newest first. */
struct thread *thread_first(void);
/*
 * The collector alone: takes a thread that ended, and whose ring is empty, off the list and frees
 * it, after `last` has seen it. Its lanes stay: spans of its may still be under way.
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
static inline void thread_add_host_ticks(struct thread *thread, uint64_t ticks, uint32_t calls)
{
	uint64_t most = clock_some_ticks(thread->first_sight ? OWN_MOST_FIRST_US : OWN_MOST_US);

	thread->first_sight = false;
	ticks = (ticks < most ? ticks : most) * calls;
	atomic_store_explicit(&thread->host_ticks,
			      atomic_load_explicit(&thread->host_ticks, memory_order_relaxed) +
				      ticks,
			      memory_order_relaxed);
}

#endif
