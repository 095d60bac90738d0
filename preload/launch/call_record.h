/* SPDX-License-Identifier: MIT */
/*
 * A call record: what a wrapped call leaves behind for the collector, in its thread's own ring. One
 * thread writes a ring and the collector alone reads it, so neither ever waits.
 */
#ifndef KTIME_PRELOAD_LAUNCH_CALL_RECORD_H
#define KTIME_PRELOAD_LAUNCH_CALL_RECORD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/driver/api.h"

struct stream;
struct operation;
struct event_pair;

enum call_flags {
	CALL_FAILED = 1,	    /* the call returned an error: no operation */
	CALL_API_ONLY = 2,	    /* a row of the API, no operation */
	CALL_CAPTURED = 4,	    /* recorded into a graph: no operation */
	CALL_HOST_INCLUDED = 8,	    /* the event pair around it holds host work */
	CALL_NO_ACTIVITY = 16,	    /* CUPTI makes no activity record of it */
	CALL_FIRST = 32,	    /* the first of its kernel: its module may be loaded within */
	CALL_OUTSIDE_WINDOW = 64,   /* made while nothing is to be recorded */
	CALL_STANDS_FOR_MORE = 128, /* recorded in the place of calls that are only counted */
};

struct call_record {
	uint64_t started; /* ticks, right before the real call */
	struct stream *stream;
	struct operation *operation;
	struct event_pair *pair; /* NULL: not timed by events, `untimed` says why */
	uint64_t bytes;
	uint32_t duration; /* ticks of the real call; saturates */
	uint16_t api;	   /* number of its API row, or API_NONE */
	uint8_t flags;	   /* enum call_flags */
	uint8_t untimed;   /* enum untimed_reason */
};
_Static_assert(sizeof(struct call_record) == 48, "a ring of them is 393,216 bytes");

/*
 * 8192 records are 22 ms of the fastest launching (2.7 us a launch on an H200), four times the
 * collector's period.
 */
#define RING_RECORDS 8192u

struct ring {
	/* Written by the launching thread. */
	_Atomic uint32_t head;
	uint32_t known_tail; /* the tail when it was last read */
	/* RING_RECORDS of them, and the tail, which the collector writes, in a cache line of its
	 * own. Both pointers never change. */
	struct call_record *records;
	_Atomic uint32_t *tail;
};

/* The slot for the next record, or NULL if the ring is full. The launching thread. */
static inline struct call_record *ring_slot(struct ring *ring)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	if (head - ring->known_tail == RING_RECORDS) {
		/* Acquire: the collector has read what it gave back before we write over it. */
		ring->known_tail = atomic_load_explicit(ring->tail, memory_order_acquire);
		if (head - ring->known_tail == RING_RECORDS)
			return NULL;
	}
	return &ring->records[head % RING_RECORDS];
}

/*
 * Asks for exclusive ownership of a slot's cache lines before the real call: the collector has read
 * them, and a store that waits for a line holds up the stores behind it, and with them the next
 * locked instruction, which is the driver's. Compilers emit the instruction for x86 only where they
 * are told that the processor has it; a processor without it ignores it (AMD64 manual 3,
 * PREFETCHW).
 */
static inline void ring_prefetch(const struct call_record *slot)
{
	const char *first = (const char *)slot, *last = first + sizeof(*slot) - 1;

#if defined(__x86_64__)
	/* By address: a memory operand would tell the compiler that it is not NULL. */
	__asm__ volatile("prefetchw (%0)\n\tprefetchw (%1)" : : "r"(first), "r"(last));
#else
	__builtin_prefetch(first, 1);
	__builtin_prefetch(last, 1);
#endif
}

static inline void ring_publish(struct ring *ring)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	/* Release: the record is whole before the collector can see it. */
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

#endif
