/* SPDX-License-Identifier: MIT */
/*
 * The pool of activity buffers, and reading them: cupti_drain() merges the records of all filled
 * ones by their start. CUPTI fills them on the program's threads and its own, the collector reads
 * them. A short lock guards the lists; nothing is called while it is held. Free
 * buffers are all zeros, so that CUPTI need not clear one within a launch.
 */
#ifndef KTIME_CUPTI_BUFFERS_H
#define KTIME_CUPTI_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "cupti/library.h"

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
 * the bytes of these records, which the caller must count, and clear if CUPTI is to fill the
 * buffer; else 0. If all are being
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

/* The pool's size in bytes: BUFFERS_TOGETHER, or less if RLIMIT_AS limits the address space. */
extern size_t buffers_together;
/* The pool's memory, of which only a part may be resident; NULL and 0 before buffers_create(). */
void buffers_range(const void **start, size_t *size);

/*
 * Reads filled buffers side by side, merged by the start of their records. Each thread may have
 * buffers of its own, and the collector needs the order to tell what ran at the same time or
 * before.
 */

/*
 * Calls `consume` for every record that has arrived and that ktime wants, in the order in which the
 * work began, as far as different threads' buffers allow; a buffer's records keep their order, and
 * so do those of a thread's buffers. Pointers in the record are valid during the call only.
 * `before` (may be NULL) is called before each buffer's first record, with `first` the first time;
 * all calls that the records of all these buffers belong to were made before its first call.
 * Returns the number of records. For the collector thread only.
 */
size_t cupti_drain(void (*before)(bool first),
		   void (*consume)(const struct activity *activity, void *argument),
		   void *argument);
/* Waits, for a bounded time, until the collector has begun and ended another cupti_drain(); `wake`
 * wakes it. Returns at once after merge_leave(). Any thread. */
void merge_wait(void (*wake)(void));
/* Waits, for a bounded time, for the cupti_drain() in progress, if there is one. */
void merge_wait_for_end(void (*wake)(void));
/* To be called by the collector when it will read no more and must not be waited for. */
void merge_leave(void);
/* Whether the names in records that are read from now on are still valid, as they are at first. Any
 * thread. */
void merge_trust_names(bool trusted);

/* For a forked child: forgets what the parent was reading. */
void merge_reset(void);

/*
 * Walking the records in a buffer. Their sizes depend on CUPTI's version, so only CUPTI knows them.
 */

/* A position in a buffer of records. */
struct walk {
	const struct cupti_functions *cupti;
	uint8_t *data;
	size_t valid;
	CUpti_Activity *record; /* the present record */
	CUpti_Activity *next;	/* the one after it; NULL if there is none */
	size_t size;		/* bytes of the present record */
};

static inline CUpti_Activity *walk_after(const struct walk *walk, CUpti_Activity *record)
{
	return walk->cupti->cuptiActivityGetNextRecord(walk->data, walk->valid, &record) ? NULL
											 : record;
}

/*
 * walk_first() starts before the first record; walk_step() goes to the next, and returns false past
 * the last. The present record may be moved or overwritten before the next step, which is looked up
 * already.
 */
static inline void walk_first(struct walk *walk, uint8_t *data, size_t valid)
{
	*walk = (struct walk){.cupti = library_functions(), .data = data, .valid = valid};
	walk->next = valid ? walk_after(walk, NULL) : NULL;
}

static inline bool walk_step(struct walk *walk)
{
	walk->record = walk->next;
	if (!walk->record)
		return false;
	walk->next = walk_after(walk, walk->record);
	walk->size = (walk->next ? (uint8_t *)walk->next : walk->data + walk->valid) -
		     (uint8_t *)walk->record;
	return true;
}

#endif
