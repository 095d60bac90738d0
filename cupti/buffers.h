/* SPDX-License-Identifier: MIT */
/*
 * The pool of activity buffers: CUPTI fills them on the program's threads and its own, the
 * collector reads them. One short lock guards two lists; no call is made while it is held. A free
 * buffer is all zeros, so that nobody has to clear it within a launch.
 */
#ifndef KTIME_CUPTI_BUFFERS_H
#define KTIME_CUPTI_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of all buffers of the pool, which bound what is being filled and what waits to be read. */
#define BUFFERS_TOGETHER (48u << 20)

struct buffer {
	struct buffer *next;
	uint8_t *data;	 /* aligned to 8 or more */
	size_t size;	 /* bytes */
	size_t valid;	 /* bytes of records */
	uint64_t number; /* in the order of queueing */
	uint32_t thread; /* whose calls its records are of, as gettid() says; 0: all threads' */
	bool beyond;	 /* not of the pool: freed when it is released */
};

/* Maps the pool; 0 or -ENOMEM. Later calls do nothing. */
int buffers_create(void);

/*
 * A buffer to fill: a free one, else the oldest filled one, whose records are lost: `lost` is then
 * how many bytes of them it holds, for the caller to count and to clear, else 0. Where all are
 * being filled: one beyond the pool, allocated, if `beyond` is set, else NULL. Any thread.
 */
struct buffer *buffers_take(bool beyond, size_t *lost);
/* The buffer that was taken to be filled and has this data; NULL for memory of others. Any thread.
 */
struct buffer *buffers_find(const uint8_t *data);
/* Queues a filled buffer for the collector; returns how many bytes are queued. Any thread. */
size_t buffers_queue(struct buffer *buffer, size_t valid);
/* The number of the buffer that was queued last; 0 where none is queued. Any thread. */
uint64_t buffers_last(void);
/* The oldest filled buffer, if its number is not above `last`; else NULL. Any thread. */
struct buffer *buffers_next(uint64_t last);
/* Makes a buffer that was taken all zeros again. Any thread. */
void buffers_clear(struct buffer *buffer);
/* Clears a buffer and gives it back to the pool. Any thread. */
void buffers_release(struct buffer *buffer);

/* In a forked child: every buffer is free again, whoever held the lock in the parent. */
void buffers_reset(void);

/* The pool's memory; NULL and 0 before it is made. */
void buffers_range(const void **start, size_t *size);

#endif
