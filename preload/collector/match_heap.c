/* SPDX-License-Identifier: MIT */
#include "preload/collector/match_heap.h"

#include <stdlib.h>

#include "report/session/grow.h"

bool match_heap_reserve(struct match_heap *heap, uint32_t count)
{
	uint32_t room = heap->room ? heap->room : 1;
	struct match_queue **queues;

	if (count <= heap->room)
		return true;
	while (room < count)
		room *= 2;
	queues = grow(heap->queues, heap->room ? (heap->room + 1) * sizeof(*queues) : 0,
		      (room + 1) * sizeof(*queues));
	if (!queues)
		return false;
	heap->queues = queues;
	heap->room = room;
	return true;
}

void match_heap_free(struct match_heap *heap)
{
	free(heap->queues);
	*heap = (struct match_heap){0};
}

static bool is_before(const struct match_queue *one, const struct match_queue *other)
{
	return match_queue_oldest(one)->started < match_queue_oldest(other)->started;
}

static void put(struct match_heap *heap, struct match_queue *queue, uint32_t place)
{
	heap->queues[place] = queue;
	queue->place = place;
}

/* Puts a queue where it belongs, from a place that is free on. */
static void settle(struct match_heap *heap, struct match_queue *queue, uint32_t place)
{
	uint32_t below;

	while (place > 1 && is_before(queue, heap->queues[place / 2])) {
		put(heap, heap->queues[place / 2], place);
		place /= 2;
	}
	while ((below = 2 * place) <= heap->count) {
		if (below < heap->count && is_before(heap->queues[below + 1], heap->queues[below]))
			below++;
		if (!is_before(heap->queues[below], queue))
			break;
		put(heap, heap->queues[below], place);
		place = below;
	}
	put(heap, queue, place);
}

void match_heap_remove(struct match_heap *heap, struct match_queue *queue)
{
	struct match_queue *last;
	uint32_t place = queue->place;

	if (!place)
		return;
	queue->place = 0;
	last = heap->queues[heap->count--];
	if (last != queue)
		settle(heap, last, place);
}

void match_heap_update(struct match_heap *heap, struct match_queue *queue)
{
	if (match_queue_empty(queue))
		match_heap_remove(heap, queue);
	else
		settle(heap, queue, queue->place ? queue->place : ++heap->count);
}
