/* SPDX-License-Identifier: MIT */
/*
 * The calls of one thread in a stream that await their records, in their order: what match.c keeps
 * its streams in. The collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_MATCH_QUEUE_H
#define KTIME_PRELOAD_COLLECTOR_MATCH_QUEUE_H

#include "preload/collector/match.h"

struct calls {
	uint32_t thread;
	uint32_t *room; /* of all lists together, in calls */
	void (*unmatched)(const struct expected *expected);
	struct expected *ring;
	uint32_t mask, head, tail; /* the oldest is at tail */
	struct calls *next;	   /* of the stream's other threads */
};

/* What a record is to be matched with. */
struct wanted {
	uint64_t start; /* of the record */
	bool start_known;
	uint64_t bytes;
	const void *key; /* NULL: the next call whichever, a kernel's or else a graph's */
	bool kernel;
};

/* NULL where memory is out. `unmatched` is called for every call that is given up. */
struct calls *calls_new(uint32_t thread, uint32_t *room,
			void (*unmatched)(const struct expected *expected));
void calls_free(struct calls *calls);

static inline bool calls_empty(const struct calls *calls)
{
	return calls->tail == calls->head;
}

static inline struct expected *calls_at(const struct calls *calls, uint32_t index)
{
	return &calls->ring[index & calls->mask];
}

/* Not of an empty list, as the next. */
static inline struct expected *calls_oldest(const struct calls *calls)
{
	return calls_at(calls, calls->tail);
}

void calls_give_up_oldest(struct calls *calls);
/* Adds a call behind the others; the oldest is given up where there is no room. */
void calls_add(struct calls *calls, const struct expected *expected);
/* The index of the first call that fits, or head. */
uint32_t calls_find(const struct calls *calls, const struct wanted *wanted);
/* Takes a call off; those before it have no record, as a thread's records keep their order. */
void calls_take(struct calls *calls, uint32_t index, struct expected *found);

#endif
