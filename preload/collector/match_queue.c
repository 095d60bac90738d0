/* SPDX-License-Identifier: MIT */
#include "preload/collector/match_queue.h"

#include <stdlib.h>

/* How far a record's start may lie before its call's: two clocks, fitted to each other. */
#define CLOCK_SLACK   100000u
/*
 * A stream holds some thousand launches in flight, and their records come within two flushes; more
 * than this means that the records do not come at all.
 */
#define MOST_EXPECTED 65536u
/* And all streams together, 15 MB; beyond that each has a small list, and no more. */
#define MOST_TOGETHER 262144u
#define FIRST_SIZE    32u
#define SMALL_SIZE    1024u
/* How many calls a record may pass over: those that left no record. */
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

static uint32_t size_of(const struct match_queue *queue)
{
	return queue->ring ? queue->mask + 1 : 0;
}

void match_queue_free(struct match_queue *queue)
{
	*queue->room -= size_of(queue);
	free(queue->ring);
	free(queue);
}

void match_queue_give_up_oldest(struct match_queue *queue)
{
	queue->unmatched(match_queue_at(queue, queue->tail++));
}

/* Whether a list may become twice as long. */
static bool may_grow(const struct match_queue *queue, uint32_t size)
{
	return size < SMALL_SIZE || (size < MOST_EXPECTED && *queue->room + size <= MOST_TOGETHER);
}

static bool make_room(struct match_queue *queue)
{
	uint32_t used = queue->head - queue->tail;
	uint32_t size = size_of(queue);
	struct in_flight **bigger;

	if (used < size)
		return true;
	if (may_grow(queue, size)) {
		uint32_t larger = size ? 2 * size : FIRST_SIZE;

		bigger = malloc(larger * sizeof(*bigger));
		for (uint32_t i = 0; bigger && i < used; i++)
			bigger[i] = match_queue_at(queue, queue->tail + i);
		if (bigger) {
			free(queue->ring);
			queue->ring = bigger;
			queue->mask = larger - 1;
			queue->tail = 0;
			queue->head = used;
			*queue->room += larger - size;
			return true;
		}
	}
	if (used == 0)
		return false;
	match_queue_give_up_oldest(queue);
	return true;
}

void match_queue_add(struct match_queue *queue, struct in_flight *call)
{
	if (make_room(queue))
		queue->ring[queue->head++ & queue->mask] = call;
	else
		queue->unmatched(call);
}

static bool is_of_kind(const struct in_flight *call, const struct wanted *wanted)
{
	if (wanted->operation)
		return call->operation == wanted->operation && call->bytes == wanted->bytes;
	return call->operation->kind == (wanted->kernel ? ROW_KERNEL : ROW_GRAPH);
}

uint32_t match_queue_find(const struct match_queue *queue, const struct wanted *wanted)
{
	uint32_t index = queue->tail, end = queue->head;
	uint32_t most = wanted->operation ? LOOK_AHEAD : 1;

	if (end - index > most)
		end = index + most;
	for (; index != end; index++) {
		const struct in_flight *call = match_queue_at(queue, index);

		/* A call that had not begun when the record did, and so none behind it. */
		if (wanted->start_known && wanted->start + CLOCK_SLACK < call->started)
			break;
		if (is_of_kind(call, wanted))
			return index;
	}
	return queue->head;
}

struct in_flight *match_queue_take(struct match_queue *queue, uint32_t index)
{
	while (queue->tail != index)
		match_queue_give_up_oldest(queue);
	return match_queue_at(queue, queue->tail++);
}
