/* SPDX-License-Identifier: MIT */
/*
 * The calls of one thread in a stream that await their records, in their order: what match.c keeps
 * its streams in. The collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_MATCH_QUEUE_H
#define KTIME_PRELOAD_COLLECTOR_MATCH_QUEUE_H

#include "preload/collector/match.h"

struct match_queue {
	uint32_t thread;
	uint32_t *room; /* of all lists together, in calls */
	void (*unmatched)(struct in_flight *call);
	struct in_flight **ring;
	uint32_t mask, head, tail; /* the oldest is at tail */
	struct match_queue *next;  /* of the stream's other threads */
};

/* What a record is to be matched with. */
struct wanted {
	uint64_t start; /* of the record */
	bool start_known;
	uint64_t bytes;
	const struct operation *operation; /* NULL: the next call, a kernel's or else a graph's */
	bool kernel;
};

/* NULL where memory is out. `unmatched` is called for every call that is given up. */
struct match_queue *match_queue_new(uint32_t thread, uint32_t *room,
				    void (*unmatched)(struct in_flight *call));
void match_queue_free(struct match_queue *queue);

static inline bool match_queue_empty(const struct match_queue *queue)
{
	return queue->tail == queue->head;
}

static inline struct in_flight *match_queue_at(const struct match_queue *queue, uint32_t index)
{
	return queue->ring[index & queue->mask];
}

/* Not of an empty list, as the next. */
static inline struct in_flight *match_queue_oldest(const struct match_queue *queue)
{
	return match_queue_at(queue, queue->tail);
}

void match_queue_give_up_oldest(struct match_queue *queue);
/* Adds a call behind the others; the oldest is given up where there is no room. */
void match_queue_add(struct match_queue *queue, struct in_flight *call);
/* The index of the first call that fits, or head. */
uint32_t match_queue_find(const struct match_queue *queue, const struct wanted *wanted);
/* Takes a call off; those before it have no record, as a thread's records keep their order. */
struct in_flight *match_queue_take(struct match_queue *queue, uint32_t index);

#endif
