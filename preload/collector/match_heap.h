/* SPDX-License-Identifier: MIT */
/* The queues of a stream that are not empty, as a binary heap: the one whose oldest call began
 * first is at its root. Used by match.c. For the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_MATCH_HEAP_H
#define KTIME_PRELOAD_COLLECTOR_MATCH_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/collector/match_queue.h"

/* The queue at a place has those at twice the place, and one more, below it. */
struct match_heap {
	struct match_queue **queues; /* from place 1 on */
	uint32_t count, room;
};

/* Makes room for `count` queues, so that match_heap_update() cannot fail. False if memory is out.
 */
bool match_heap_reserve(struct match_heap *heap, uint32_t count);
void match_heap_free(struct match_heap *heap);
/* Adds, moves or removes a queue whose calls have changed. */
void match_heap_update(struct match_heap *heap, struct match_queue *queue);
void match_heap_remove(struct match_heap *heap, struct match_queue *queue);

/* The root; NULL if all queues are empty. */
static inline struct match_queue *match_heap_first(const struct match_heap *heap)
{
	return heap->count ? heap->queues[1] : NULL;
}

#endif
