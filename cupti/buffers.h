/* SPDX-License-Identifier: MIT */
/*
 * The pool of activity buffers: CUPTI fills them on the program's threads and its own, the
 * collector reads them. One short lock guards two lists; no call is made while it is held.
 */
#ifndef KTIME_CUPTI_BUFFERS_H
#define KTIME_CUPTI_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * 1 MiB, some 5,000 kernel records, the least that CUPTI advises. With 128 KiB ResNet-50 at batch 1
 * took 4 % longer on an H200, though a loop of empty kernels does not tell the two apart. A flush
 * gives back a part-filled buffer only when every record in it is finished, so that beside one long
 * kernel as many short ones wait. CUPTI clears each buffer on a thread of the program's before it
 * is filled. Of the 16, enough for one in every context of a machine of 8 GPUs, only what is used
 * at once is ever touched.
 */
#define BUFFER_SIZE  (1024u * 1024)
#define BUFFER_COUNT 16u

struct buffer {
	struct buffer *next;
	uint8_t *data; /* BUFFER_SIZE bytes, aligned to 8 or more */
	size_t valid;  /* bytes of records */
	bool beyond;   /* not of the pool: freed when it is released */
};

/* Maps the pool; 0 or -ENOMEM. Later calls do nothing. */
int buffers_create(void);

/*
 * A buffer to fill: a free one, else the oldest filled one, whose records are lost: `lost` is then
 * how many bytes of them it holds, for the caller to count, else 0. Where all are being filled:
 * one beyond the pool, allocated, if `beyond` is set, else NULL. Any thread.
 */
struct buffer *buffers_take(bool beyond, size_t *lost);
/* The buffer that was taken to be filled and has this data; NULL for memory of others. Any thread.
 */
struct buffer *buffers_find(const uint8_t *data);
/* Queues a filled buffer for the collector; returns how many are queued. Any thread. */
unsigned buffers_queue(struct buffer *buffer, size_t valid);
/* The oldest filled buffer, or NULL. Any thread. */
struct buffer *buffers_next(void);
/* Gives a buffer back to the pool. Any thread. */
void buffers_release(struct buffer *buffer);

/* In a forked child: every buffer is free again, whoever held the lock in the parent. */
void buffers_reset(void);

/* The pool's memory; NULL and 0 before it is made. */
void buffers_range(const void **start, size_t *size);

#endif
