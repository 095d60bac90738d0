/* SPDX-License-Identifier: MIT */
/*
 * A span: what a wrapper leaves behind for the collector, one per call, in its thread's own ring.
 * One thread writes a ring and the collector alone reads it, so neither ever waits.
 */
#ifndef KTIME_PRELOAD_LAUNCH_CALL_RECORD_H
#define KTIME_PRELOAD_LAUNCH_CALL_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/driver/entries.h"
#include "preload/driver/runtime.h"

struct stream;
struct operation;
struct event_pair;

/* What an API row is called: a driver entry by its own name, a driver entry that a cudart called
 * (by the runtime's name), or a runtime symbol that was wrapped. */
#define API_NONE		UINT16_MAX
#define API_DRIVER(entry)	(entry)
#define API_FROM_RUNTIME(entry) (ENTRY_COUNT + (entry))
#define API_RUNTIME(call)	(2 * ENTRY_COUNT + (call))
#define API_COUNT		API_RUNTIME(RUNTIME_COUNT)

enum span_flags {
	SPAN_FAILED = 1,	/* the call returned an error: no operation */
	SPAN_CALL_ONLY = 2,	/* a call of the API alone: no operation */
	SPAN_CAPTURED = 4,	/* recorded into a graph: no operation */
	SPAN_HOST_INCLUDED = 8, /* an event pair around it holds host work */
	SPAN_NO_RECORD = 16,	/* moves nothing: CUPTI makes no record of it */
	SPAN_FIRST = 32,	/* the first of its kernel: its module may be loaded within */
	SPAN_PAUSED = 64,	/* made while nothing is collected */
	SPAN_WATCHED = 128,	/* one of many that are only counted: its time is theirs */
};

struct span {
	uint64_t started; /* ticks, right before the real call */
	struct stream *stream;
	struct operation *operation;
	struct event_pair *pair; /* NULL: not timed by events, `untimed` says why */
	uint64_t bytes;
	uint32_t duration; /* ticks of the real call; saturates */
	uint16_t api;
	uint8_t flags;
	uint8_t untimed; /* enum untimed_reason */
};
_Static_assert(sizeof(struct span) == 48, "a span is 48 bytes");

/*
 * 8192 spans are 22 ms of the fastest launching (2.7 us a launch on an H200), four times the
 * collector's period.
 */
#define RING_SPANS 8192u

struct ring {
	/* Written by the launching thread. */
	_Atomic uint32_t head;
	uint32_t known_tail; /* the tail when it was last looked at */
	/* RING_SPANS of them, and what the collector writes, in a line of its own; never change. */
	struct span *spans;
	_Atomic uint32_t *tail;
};

/* The slot for the next span, or NULL where the ring is full. The launching thread. */
static inline struct span *ring_slot(struct ring *ring)
{
	uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);

	if (head - ring->known_tail == RING_SPANS) {
		/* Acquire: the collector has read what it gave back before we write over it. */
		ring->known_tail = atomic_load_explicit(ring->tail, memory_order_acquire);
		if (head - ring->known_tail == RING_SPANS)
			return NULL;
	}
	return &ring->spans[head % RING_SPANS];
}

/*
 * Asks for the lines of a slot that will be written, to have them alone: the collector has read
 * them, and a store that waits for one holds up those behind it, and with them the next locked
 * instruction, which is the driver's. Compilers take the instruction for x86 only where they are
 * told that the processor has it; one that has not takes it for none (AMD64 manual 3, PREFETCHW).
 */
static inline void span_prefetch(const struct span *span)
{
	const char *first = (const char *)span, *last = first + sizeof(*span) - 1;

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

	/* Release: the span is whole before the collector can see it. */
	atomic_store_explicit(&ring->head, head + 1, memory_order_release);
}

#endif
