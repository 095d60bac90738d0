/* SPDX-License-Identifier: MIT */
/* The calls of one thread in a stream that wait for their records, in order; used by match.c. For
 * the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_MATCH_QUEUE_H
#define KTIME_PRELOAD_COLLECTOR_MATCH_QUEUE_H

#include <uthash.h>

#include "preload/collector/match.h"

/* Of all queues together. */
struct match_total {
	uint32_t calls; /* that wait */
	size_t slots;
};

struct match_queue {
	uint32_t thread;
	struct match_total *total;
	void (*unmatched)(struct in_flight *call);
	struct in_flight_ring ring;
	struct match_key {
		const struct match_stream *stream;
		uint64_t thread;
	} key;
	UT_hash_handle link;	     /* by key, of all streams */
	struct match_queue *sibling; /* that of another thread in the stream */
	uint32_t place;		     /* in the stream's heap; 0: the queue is empty */
	struct match_queue *next;    /* in a list that match.c makes */
};

/* What is known of a record: the call must fit it. */
struct record_key {
	uint64_t start; /* of the record, nanoseconds */
	bool start_known;
	uint64_t bytes;
	const struct operation *operation; /* NULL: any kernel or any graph */
	bool kernel;
};

/* NULL if memory is out. `unmatched` is called for every call that is given up. */
struct match_queue *match_queue_new(uint32_t thread, struct match_total *total,
				    void (*unmatched)(struct in_flight *call));
void match_queue_free(struct match_queue *queue);

static inline bool match_queue_empty(const struct match_queue *queue)
{
	return in_flight_ring_used(&queue->ring) == 0;
}

/* The queue must not be empty, here and in the next function. */
static inline struct in_flight *match_queue_oldest(const struct match_queue *queue)
{
	return in_flight_at(&queue->ring, queue->ring.tail);
}

/* Removes the oldest call as unmatched. */
void match_queue_give_up_oldest(struct match_queue *queue);
/* Adds a call; if there is no room, the oldest is given up. */
void match_queue_add(struct match_queue *queue, struct in_flight *call);
/* The index of the first call that fits, or ring.head. */
uint32_t match_queue_find(const struct match_queue *queue, const struct record_key *key);
/* Removes and returns a call. Those before it are given up: a thread's records come in order, so
 * theirs will not come. */
struct in_flight *match_queue_take(struct match_queue *queue, uint32_t index);

#endif
