/* SPDX-License-Identifier: MIT */
/* What ktime keeps for each thread that calls CUDA: its ring of call records and maps from handles,
 * so that the launch path shares no cache line with another thread. */
#ifndef KTIME_PRELOAD_LAUNCH_THREAD_H
#define KTIME_PRELOAD_LAUNCH_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/atomics.h"
#include "preload/base/clock.h"
#include "preload/base/pointer_map.h"
#include "preload/driver/entries.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "report/session/estimate.h"

/* A call record: what a wrapped call leaves for the collector, in its thread's ring. One thread
 * writes a ring and only the collector reads it, so neither ever waits. */

enum call_flags {
	CALL_FAILED = 1,	  /* the call returned an error: no operation */
	CALL_API_ONLY = 2,	  /* an API row only: no operation */
	CALL_CAPTURED = 4,	  /* recorded into a graph: no operation */
	CALL_HOST_INCLUDED = 8,	  /* its event pair includes host work */
	CALL_NO_ACTIVITY = 16,	  /* CUPTI makes no activity record of it: its operation is timed by
				     events only */
	CALL_FIRST = 32,	  /* the first call of its kernel: may load its module */
	CALL_OUTSIDE_WINDOW = 64, /* made while the profiling window is closed */
	CALL_STANDS_FOR_MORE =
		128, /* stands for RECORDED_CALLS calls, the others being count-only */
};

struct call_record {
	uint64_t started; /* ticks, right before the real call */
	struct stream *stream;
	struct operation *operation;
	struct event_pair *pair; /* NULL: not timed by events, for the reason in `untimed` */
	uint64_t bytes;
	uint32_t duration; /* ticks of the real call; at most UINT32_MAX; 0: not known */
	uint16_t api;	   /* its API row: see entries.h */
	uint8_t flags;	   /* enum call_flags */
	uint8_t untimed;   /* enum untimed_reason */
};
_Static_assert(sizeof(struct call_record) == 48, "a ring of them is 393,216 bytes");

/* Whether the call has put an operation into a stream. */
static inline bool call_is_operation(const struct call_record *record)
{
	return !(record->flags & (CALL_FAILED | CALL_API_ONLY | CALL_CAPTURED)) &&
	       record->operation && record->stream;
}

/* 8192 records hold 22 ms of the fastest launching (2.7 us a launch on an H200): four of the
 * collector's periods of 5 ms. */
#define RING_RECORDS 8192u

struct ring {
	/* Written by the launching thread. */
	_Atomic uint32_t head;
	uint32_t known_tail; /* the tail when the thread last read it */
	/* The RING_RECORDS slots, and the tail, which the collector writes, in another cache line.
	 * The pointers never change. */
	struct call_record *records;
	_Atomic uint32_t *tail;
};

/* The slot for the next record, or NULL if the ring is full. For the launching thread. */
static inline struct call_record *ring_slot(struct ring *ring)
{
	uint32_t head = load_relaxed(&ring->head);

	if (head - ring->known_tail == RING_RECORDS) {
		/* Acquire: the collector has read a slot before the thread overwrites it. */
		ring->known_tail = load_acquire(ring->tail);
		if (head - ring->known_tail == RING_RECORDS)
			return NULL;
	}
	return &ring->records[head % RING_RECORDS];
}

/*
 * Fetches a slot's cache lines for writing before the real call. The collector has read them, and a
 * store that waits for a line delays the stores after it, and so the driver's next locked
 * instruction. The compiler emits PREFETCHW only for processors that are known to have it; others
 * ignore it (AMD64 Architecture Programmer's Manual, volume 3).
 */
static inline void ring_prefetch(const struct call_record *slot)
{
	const char *first = (const char *)slot, *last = first + sizeof(*slot) - 1;

#if defined(__x86_64__)
	/* By address: a memory operand would tell the compiler that the pointer is not NULL. */
	__asm__ volatile("prefetchw (%0)\n\tprefetchw (%1)" : : "r"(first), "r"(last));
#else
	__builtin_prefetch(first, 1);
	__builtin_prefetch(last, 1);
#endif
}

/* Makes the record in the next slot visible to the collector. For the launching thread. */
static inline void ring_publish(struct ring *ring)
{
	uint32_t head = load_relaxed(&ring->head);

	/* Release: the record is complete before the collector can see it. */
	store_release(&ring->head, head + 1);
}

/* One in this many of the calls that could be count-only, on average, is recorded, for the host
 * times of the API rows. Chosen: 3 % of the calls. */
#define RECORDED_CALLS	32
/* The seed of the random numbers that choose these calls: the same in each thread and run, so that
 * a launch costs the same in each run. */
#define FIRST_TURN	521288629u

/* The value of in_progress during a count-only call: no struct call lies at that address. */
#define COUNT_ONLY_CALL 1u

/* Added to the number of an API row in last_row: the launch was outside the profiling window. */
#define COUNTED_OUTSIDE 0x4000
_Static_assert(API_COUNT <= COUNTED_OUTSIDE, "no row has it");

/* The operations that move or set a number of bytes, which their rows tell: copies and memsets. */
#define SIZED_OPERATIONS (OPERATION_MEMSET + 1)

/* Sizes of an operation's count-only calls in the profiling window. Written by the launching
 * thread, read by the collector. */
struct counted_sizes {
	_Atomic uint64_t calls[ESTIMATE_STRATA]; /* by class of sizes */
	_Atomic double squares;
	_Atomic uint64_t minimum, maximum; /* of a call; 0: none yet */
	_Atomic uint64_t bytes;		   /* written last: who sees it sees the others */
};

/* The values of a struct counted_sizes that the collector has already taken over. */
struct seen_sizes {
	uint64_t calls[ESTIMATE_STRATA], bytes;
	double squares;
};

/*
 * Members that a launch touches lie together (see launch_state.h); what a count-only launch needs
 * of them is in one cache line.
 */
struct thread {
	/* For the launching thread only; first what every launch needs. */
	/*
	 * Which wrapped call it is in: the low half of the address of its struct call, or
	 * COUNT_ONLY_CALL; 0: none. It says that for certain only when that call ends. A call that
	 * finds another one here may be made inside of it (by the program's malloc, a callback, a
	 * signal's handler), or the other one will never return (a longjmp) or later (a coroutine).
	 */
	uint32_t in_progress __attribute__((aligned(CACHE_LINE)));
	uint32_t random;
	uint16_t calls_to_count; /* calls that may be count-only until one is recorded */
	/* API row of the last launch, with COUNTED_OUTSIDE if it was outside the profiling window;
	 * API_NONE if it left a record. */
	uint16_t last_row;
	uint32_t last_counter;	    /* of the last count-only launch, in operation_calls */
	struct pointer_map kernels; /* its generation is that of the last_ members too */
	CUstream last_stream;
	CUfunction last_function; /* NULL if it was not a kernel */
	struct operation *last_operation;
	/* Calls until ktime's overhead is next measured, and how many of the thread's first calls
	 * it was measured in. */
	uint8_t overhead_left, overhead_taken;
	_Atomic bool took_cold_path; /* the present call did; read by the collector */
	struct pointer_map streams;
	int *error; /* the address of its errno */
	struct pointer_map graphs;
	struct event_pool *pools, *last_pool;
	uint32_t turn;		/* random: how many calls until one is recorded */
	uint32_t timed_symbols; /* a bit for each runtime function that was timed in the window */
	struct gate *gate;	/* NULL: its calls are not gated */
	/* The stream of its last recorded operation if that was gated, else NULL, and what
	 * calls_to_count was then, by its present count. */
	struct last_gated {
		const struct stream *stream;
		uint16_t calls_to_count;
	} last_gated;
	/* With several contexts: the kernels and graphs that had an event pair in a context, by a
	 * key made of the two handles. */
	struct pointer_map launched;
	struct stream *default_streams; /* its per-thread default streams, one for each context */

	/* Written by the launching thread, read by the collector. */
	_Atomic uint64_t in_call
		__attribute__((aligned(CACHE_LINE))); /* ticks at entry; 0 outside */
	_Atomic uint64_t host_ticks; /* spent in ktime, estimated from a sample of the calls */
	_Atomic bool ended;
	struct ring ring;

	/* For the collector; the launching thread reads the first one when its ring is full. Two
	 * lines, as processors fetch them in pairs. */
	_Atomic uint32_t ring_tail __attribute__((aligned(2 * CACHE_LINE)));
	/* Since the threads that launch were last counted (cost.c). */
	bool has_launched;
	uint32_t drain_end; /* the ring's head when the present drain began */
	uint32_t last_call; /* number of its latest call that the timeline has (timeline.h) */
	/* The heap of threads that have records, see drain.c. */
	uint64_t drain_started; /* when the call of its next record began */
	struct thread *drain_child, *drain_sibling;
	uint64_t host_ticks_seen;
	uint32_t kernel_id;  /* from gettid() */
	uint32_t pthread_id; /* the low half of pthread_self(), as in CUPTI's records */
	struct thread *next;

	/* Behind what all need, so that a thread that launches a few times and ends takes one page:
	 * where the collector gets too little time, thousands wait for it. */
	struct call_record records[RING_RECORDS] __attribute__((aligned(2 * CACHE_LINE)));

	/*
	 * How often each operation was called count-only, in the second half outside of the
	 * profiling window, and the API row of those in the window plus 1. Written by the launching
	 * thread, read by the collector. Only pages of operations that are called are ever touched.
	 */
	_Atomic uint64_t operation_calls[2 * COUNTED_OPERATIONS];
	_Atomic uint16_t operation_rows[COUNTED_OPERATIONS];
	struct counted_sizes sizes[SIZED_OPERATIONS];
	/* Calls by API row that left no record, or one without the row. */
	_Atomic uint64_t api_calls[API_COUNT];

	/* For the collector. */
	uint64_t operation_calls_seen[2 * COUNTED_OPERATIONS] __attribute__((aligned(CACHE_LINE)));
	uint64_t api_calls_seen[API_COUNT];
	struct seen_sizes sizes_seen[SIZED_OPERATIONS];
};

_Static_assert(RUNTIME_COUNT <= 32, "timed_symbols has a bit for each");
_Static_assert(offsetof(struct thread, overhead_left) <= CACHE_LINE,
	       "what a count-only launch needs");

/* The calling thread; NULL until thread_enter(). Initial-exec, as the usual TLS access calls
 * __tls_get_addr(), which may allocate. */
extern __thread struct thread *thread_self __attribute__((tls_model("initial-exec")));

/* Adds the calling thread; NULL if memory is out. */
struct thread *thread_enter(void);
/* How many threads were added, including those that have ended. */
extern _Atomic uint32_t threads_entered;
/* All threads, newest first, linked by `next`. */
struct thread *thread_first(void);
/*
 * Removes and frees threads that have ended and whose rings are empty, each after calling `last`
 * for it. Their event pools stay, as their call records may still be in flight. For the collector
 * only.
 */
void thread_reap(void (*last)(struct thread *thread));

/* 32-bit Xorshift (Marsaglia 2003): no division and no state shared between threads. */
static inline uint32_t thread_next_random(uint32_t x)
{
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

static inline uint32_t thread_random(struct thread *thread)
{
	return thread->random = thread_next_random(thread->random);
}

/* Adds one to a counter that only the calling thread writes. */
static inline void thread_count(_Atomic uint64_t *count)
{
	/* With one writer a load and a store suffice, without the cost of a locked addition. */
	store_relaxed(count, load_relaxed(count) + 1);
}

/* Adds a call to an operation's sizes. For the calling thread. */
static inline void thread_count_bytes(struct counted_sizes *sizes, uint64_t bytes)
{
	uint64_t minimum = load_relaxed(&sizes->minimum);

	thread_count(&sizes->calls[estimate_size_class(bytes)]);
	store_relaxed(&sizes->squares,
		      load_relaxed(&sizes->squares) + (double)bytes * (double)bytes);
	/* It is never 0, and for a minimum of 0 the right side is the largest number. */
	if (bytes - 1 < minimum - 1)
		store_relaxed(&sizes->minimum, bytes);
	if (bytes > load_relaxed(&sizes->maximum))
		store_relaxed(&sizes->maximum, bytes);
	/* Release: as the struct says. */
	store_release(&sizes->bytes, load_relaxed(&sizes->bytes) + bytes);
}

/* How much a count has grown since the last call with the same `seen`. For the collector. */
static inline uint64_t thread_growth_of(const _Atomic uint64_t *count, uint64_t *seen)
{
	uint64_t now = load_relaxed(count), growth = now - *seen;

	*seen = now;
	return growth;
}

/*
 * The most that is counted as ktime's overhead of one call, in microseconds. Time beyond that is a
 * wait for room in the launch queue or for the driver's lock, for which the launch would have
 * waited without ktime too (H200, 16 threads: up to seconds at a thread's first launch, while the
 * threads together were no slower). A cold path may create 1024 event pairs at 1.6 us each.
 */
#define MOST_OVERHEAD_US      5
#define MOST_COLD_OVERHEAD_US 2000

/* Adds ktime's overhead of a call, in ticks, which stands for this many calls. For the calling
 * thread. */
static inline void thread_add_overhead(struct thread *thread, uint64_t ticks, uint32_t calls)
{
	uint64_t most = clock_some_ticks(
		load_relaxed(&thread->took_cold_path) ? MOST_COLD_OVERHEAD_US : MOST_OVERHEAD_US);

	store_relaxed(&thread->took_cold_path, false);
	ticks = (ticks < most ? ticks : most) * calls;
	store_relaxed(&thread->host_ticks, load_relaxed(&thread->host_ticks) + ticks);
}

#endif
