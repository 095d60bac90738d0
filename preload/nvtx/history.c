/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/history.h"

#include <stdbool.h>
#include <stdlib.h>

#include "preload/nvtx/paths.h"

/*
 * CUPTI's records of calls come up to 200 ms after them (FLUSH_NS in drain.c). A thread that opens
 * or closes a range every 6 us makes as many changes until then; the memory is 512 KiB, and grows
 * to that only if needed. Chosen.
 */
#define MOST  32768u
/* Of threads that do one thing in a range and end, thousands are remembered. Chosen. */
#define FIRST 8u

struct past_change {
	uint64_t time;
	uint16_t now;
};

struct range_history {
	struct past_change *changes;
	uint32_t size; /* a power of two */
	uint32_t head, tail;
	bool dropped; /* changes have made room */
};

struct range_history *history_create(void)
{
	struct range_history *history = calloc(1, sizeof(*history));

	if (!history)
		return NULL;
	history->size = FIRST;
	history->changes = malloc(FIRST * sizeof(*history->changes));
	if (!history->changes) {
		free(history);
		return NULL;
	}
	return history;
}

void history_free(struct range_history *history)
{
	if (history)
		free(history->changes);
	free(history);
}

static struct past_change *at(const struct range_history *history, uint32_t index)
{
	return &history->changes[index & (history->size - 1)];
}

static bool grow(struct range_history *history)
{
	struct range_history larger = *history;

	larger.size *= 2;
	if (larger.size > MOST)
		return false;
	larger.changes = malloc(larger.size * sizeof(*larger.changes));
	if (!larger.changes)
		return false;
	for (uint32_t i = history->tail; i != history->head; i++)
		*at(&larger, i) = *at(history, i);
	free(history->changes);
	*history = larger;
	return true;
}

void history_add(struct range_history *history, uint64_t time, uint16_t now)
{
	if (history->head - history->tail == history->size && !grow(history)) {
		history->tail++;
		history->dropped = true;
	}
	*at(history, history->head++) = (struct past_change){.time = time, .now = now};
}

uint16_t history_at(const struct range_history *history, uint64_t time, uint16_t before)
{
	uint32_t low = 0, high = history->head - history->tail;

	/* The number of changes that are not later. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (at(history, history->tail + middle)->time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0)
		return at(history, history->tail + low - 1)->now;
	return history->dropped ? PATHS_UNKNOWN : before;
}
