/* SPDX-License-Identifier: MIT */
/*
 * The pool of activity buffers. CUPTI fills them on the program's threads and its own, the
 * collector reads them. A short lock guards the lists; nothing is called while it is held. Free
 * buffers are all zeros, so that CUPTI need not clear one within a launch.
 */
#ifndef KTIME_CUPTI_BUFFERS_H
#define KTIME_CUPTI_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of all buffers together: limits what is being filled and what waits to be read. */
#define BUFFERS_TOGETHER (48u << 20)

struct buffer {
	struct buffer *next;
	uint8_t *data;	 /* aligned to 8 or more */
	size_t size;	 /* bytes */
	size_t valid;	 /* bytes of records */
	uint64_t taken;	 /* in the order in which they were given out to be filled */
	uint64_t number; /* in the order of queueing */
	uint32_t thread; /* see buffer_thread in struct activity */
	bool beyond;	 /* outside the pool: freed on release */
};

/* Maps the pool's memory, once. 0 or -ENOMEM. */
int buffers_create(void);

/*
 * A buffer to fill: a free one, else the oldest filled one, whose records are lost. `lost` is then
 * the bytes of these records, which the caller must count and clear; else 0. If all are being
 * filled, a new buffer outside the pool if `beyond`, else NULL. Any thread.
 */
struct buffer *buffers_take(bool beyond, size_t *lost);
/* The buffer with this data, taken before; NULL for memory that is not ktime's. Any thread. */
struct buffer *buffers_find(const uint8_t *data);
/* Queues a filled buffer for the collector; returns how many bytes are queued in all. Any
 * thread. */
size_t buffers_queue(struct buffer *buffer, size_t valid);
/* How many bytes of records are queued. Any thread. */
size_t buffers_queued(void);
/* The number of the last buffer that was queued; 0 if the queue is empty. Any thread. */
uint64_t buffers_last(void);
/* Removes the oldest filled buffer from the queue if its number is at most `last`; else NULL. Any
 * thread. */
struct buffer *buffers_next(uint64_t last);
/* Fills a buffer with zeros. Any thread. */
void buffers_clear(struct buffer *buffer);
/* Clears a buffer and returns it to the pool. Any thread. */
void buffers_release(struct buffer *buffer);

/* For a forked child: frees all buffers, and the lock, whichever thread of the parent held it. */
void buffers_reset(void);

/* Its bytes; BUFFERS_TOGETHER, or less under RLIMIT_AS. */
size_t buffers_together(void);
/* The pool's memory; NULL and 0 before buffers_create(). */
void buffers_range(const void **start, size_t *size);

#endif
