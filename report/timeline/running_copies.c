/* SPDX-License-Identifier: MIT */
#include "report/timeline/running_copies.h"

#include <errno.h>
#include <stdlib.h>

/* A copy that runs: they are a heap, the one that ends first on top. */
struct ending {
	uint64_t end, bytes;
};

/* The last of the heap takes the place of the one on top. */
static void drop_top(struct running_copies *running)
{
	struct ending *heap = running->endings, moved = heap[--running->count];
	size_t place = 0, child;

	while ((child = 2 * place + 1) < running->count) {
		if (child + 1 < running->count && heap[child + 1].end < heap[child].end)
			child++;
		if (moved.end <= heap[child].end)
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = moved;
}

bool running_copies_end(struct running_copies *running, uint64_t time, uint64_t *end)
{
	if (!running->count || running->endings[0].end > time)
		return false;
	*end = running->endings[0].end;
	running->bytes -= running->endings[0].bytes;
	drop_top(running);
	return true;
}

int running_copies_begin(struct running_copies *running, uint64_t end, uint64_t bytes)
{
	size_t place = running->count;
	struct ending *heap = running->endings;

	if (running->count == running->room) {
		running->room = running->room * 2 + 8;
		heap = realloc(heap, running->room * sizeof(*heap));
		if (!heap) {
			running->room = running->count;
			return -ENOMEM;
		}
		running->endings = heap;
	}
	for (; place && heap[(place - 1) / 2].end > end; place = (place - 1) / 2)
		heap[place] = heap[(place - 1) / 2];
	heap[place] = (struct ending){end, bytes};
	running->count++;
	running->bytes += bytes;
	return 0;
}

void running_copies_free(struct running_copies *running)
{
	free(running->endings);
	*running = (struct running_copies){.bytes = 0};
}
