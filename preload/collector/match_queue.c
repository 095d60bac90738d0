/* SPDX-License-Identifier: MIT */
#include "preload/collector/match_queue.h"

#include <stdlib.h>

/* How far before its call a record may start, in nanoseconds: CUPTI fits its clock to the host's.
 * Chosen. */
#define CLOCK_SLACK   100000u
/*
 * How many calls of a stream may wait: more than this means that records do not come at all. A
 * stream holds some thousand launches in flight (1021 on an H200), and their records come within
 * two flushes.
 */
#define MOST_EXPECTED 65536u
/* How many calls of all streams together may wait: 15 MB. Beyond that each queue is limited to
 * SMALL_SIZE. Chosen. */
#define MOST_TOGETHER 262144u
#define SMALL_SIZE    1024u
/* How many calls without records a record may pass over. Chosen. */
#define LOOK_AHEAD    64u

struct match_queue *match_queue_new(uint32_t thread, uint32_t *room,
				    void (*unmatched)(struct in_flight *call))
{
	struct match_queue *queue = calloc(1, sizeof(*queue));

	if (queue) {
		queue->thread = thread;
		queue->room = room;
		queue->unmatched = unmatched;
	}
	return queue;
}

void match_queue_free(struct match_queue *queue)
{
	*queue->room -= in_flight_ring_size(&queue->ring);
	free(queue->ring.slots);
	free(queue);
}

void match_queue_give_up_oldest(struct match_queue *queue)
{
	queue->unmatched(in_flight_at(&queue->ring, queue->ring.tail++));
}

/* Whether a queue of this size may be doubled. */
static bool may_grow(const struct match_queue *queue, uint32_t size)
{
	return size < SMALL_SIZE || (size < MOST_EXPECTED && *queue->room + size <= MOST_TOGETHER);
}

static bool make_room(struct match_queue *queue)
{
	uint32_t size = in_flight_ring_size(&queue->ring);

	if (in_flight_ring_used(&queue->ring) < size)
		return true;
	if (may_grow(queue, size) && in_flight_ring_grow(&queue->ring)) {
		*queue->room += in_flight_ring_size(&queue->ring) - size;
		return true;
	}
	if (size == 0)
		return false;
	match_queue_give_up_oldest(queue);
	return true;
}

void match_queue_add(struct match_queue *queue, struct in_flight *call)
{
	if (make_room(queue))
		in_flight_ring_add(&queue->ring, call);
	else
		queue->unmatched(call);
}

static bool is_of_kind(const struct in_flight *call, const struct record_key *key)
{
	if (key->operation)
		return call->operation == key->operation && call->bytes == key->bytes;
	return call->operation->kind == (key->kernel ? ROW_KERNEL : ROW_GRAPH);
}

uint32_t match_queue_find(const struct match_queue *queue, const struct record_key *key)
{
	uint32_t index = queue->ring.tail, end = queue->ring.head;
	uint32_t most = key->operation ? LOOK_AHEAD : 1;

	if (end - index > most)
		end = index + most;
	for (; index != end; index++) {
		const struct in_flight *call = in_flight_at(&queue->ring, index);

		/* This call, and so all later ones, began after the record's work. */
		if (key->start_known && key->start + CLOCK_SLACK < call->started)
			break;
		if (is_of_kind(call, key))
			return index;
	}
	return queue->ring.head;
}

struct in_flight *match_queue_take(struct match_queue *queue, uint32_t index)
{
	while (queue->ring.tail != index)
		match_queue_give_up_oldest(queue);
	return in_flight_at(&queue->ring, queue->ring.tail++);
}
