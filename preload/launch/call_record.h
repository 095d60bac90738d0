/* SPDX-License-Identifier: MIT */
/* A call record: what a wrapped call leaves for the collector, in its thread's ring. One thread
 * writes a ring and only the collector reads it, so neither ever waits. */
#ifndef KTIME_PRELOAD_LAUNCH_CALL_RECORD_H
#define KTIME_PRELOAD_LAUNCH_CALL_RECORD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/driver/entries.h"

struct stream;
struct operation;
struct event_pair;

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
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	if (head - ring->known_tail == RING_RECORDS) {
		/* Acquire: the collector has read a slot before the thread overwrites it. */
		ring->known_tail = atomic_load_explicit(ring->tail, memory_order_acquire);
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
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	/* Release: the record is complete before the collector can see it. */
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

#endif
