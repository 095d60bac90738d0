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
/*
 * How many calls of all streams together may wait: 40 MB with their slots. Beyond that each queue
 * is limited to SMALL_SIZE, which is fewer than a buffer of CUPTI's has records. So what counts is
 * the calls that wait now, not the slots of queues that were long once: with sixteen threads the
 * first ones may launch tens of thousands of times before the others begin. Chosen.
 */
#define MOST_TOGETHER 262144u
#define SMALL_SIZE    1024u
/* How many calls without records a record may pass over. Chosen. */
#define LOOK_AHEAD    64u

struct match_queue *match_queue_new(uint32_t thread, struct match_total *total,
				    void (*unmatched)(struct in_flight *call))
{
	struct match_queue *queue = calloc(1, sizeof(*queue));

	if (queue) {
		queue->thread = thread;
		queue->total = total;
		queue->unmatched = unmatched;
	}
	return queue;
}

static void free_slots(struct match_queue *queue)
{
	queue->total->slots -= in_flight_ring_size(&queue->ring);
	free(queue->ring.slots);
	queue->ring = (struct in_flight_ring){0};
}

void match_queue_free(struct match_queue *queue)
{
	queue->total->calls -= in_flight_ring_used(&queue->ring);
	free_slots(queue);
	free(queue);
}

static struct in_flight *take_oldest(struct match_queue *queue)
{
	struct in_flight *call = in_flight_at(&queue->ring, queue->ring.tail++);

	queue->total->calls--;
	if (match_queue_empty(queue) && in_flight_ring_size(&queue->ring) > SMALL_SIZE)
		free_slots(queue);
	return call;
}

void match_queue_give_up_oldest(struct match_queue *queue)
{
	queue->unmatched(take_oldest(queue));
}

/* Whether no more calls may wait than the queue has. */
static bool is_full(const struct match_queue *queue)
{
	uint32_t used = in_flight_ring_used(&queue->ring);

	return used >= MOST_EXPECTED ||
	       (used >= SMALL_SIZE && queue->total->calls >= MOST_TOGETHER);
}

static bool make_room(struct match_queue *queue)
{
	uint32_t size = in_flight_ring_size(&queue->ring);

	if (is_full(queue))
		match_queue_give_up_oldest(queue);
	if (in_flight_ring_used(&queue->ring) < size)
		return true;
	if (in_flight_ring_grow(&queue->ring)) {
		queue->total->slots += in_flight_ring_size(&queue->ring) - size;
		return true;
	}
	if (size == 0)
		return false;
	match_queue_give_up_oldest(queue);
	return true;
}

void match_queue_add(struct match_queue *queue, struct in_flight *call)
{
	if (!make_room(queue)) {
		queue->unmatched(call);
		return;
	}
	in_flight_ring_add(&queue->ring, call);
	queue->total->calls++;
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
	return take_oldest(queue);
}
