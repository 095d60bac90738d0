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

struct calls *calls_new(uint32_t thread, uint32_t *room,
			void (*unmatched)(const struct expected *expected))
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (calls) {
		calls->thread = thread;
		calls->room = room;
		calls->unmatched = unmatched;
	}
	return calls;
}

static uint32_t size_of(const struct calls *calls)
{
	return calls->ring ? calls->mask + 1 : 0;
}

void calls_free(struct calls *calls)
{
	*calls->room -= size_of(calls);
	free(calls->ring);
	free(calls);
}

void calls_give_up_oldest(struct calls *calls)
{
	calls->unmatched(calls_at(calls, calls->tail++));
}

/* Whether a list may become twice as long. */
static bool may_grow(const struct calls *calls, uint32_t size)
{
	return size < SMALL_SIZE || (size < MOST_EXPECTED && *calls->room + size <= MOST_TOGETHER);
}

static bool make_room(struct calls *calls)
{
	uint32_t used = calls->head - calls->tail;
	uint32_t size = size_of(calls);
	struct expected *bigger;

	if (used < size)
		return true;
	if (may_grow(calls, size)) {
		uint32_t larger = size ? 2 * size : FIRST_SIZE;

		bigger = malloc(larger * sizeof(*bigger));
		for (uint32_t i = 0; bigger && i < used; i++)
			bigger[i] = *calls_at(calls, calls->tail + i);
		if (bigger) {
			free(calls->ring);
			calls->ring = bigger;
			calls->mask = larger - 1;
			calls->tail = 0;
			calls->head = used;
			*calls->room += larger - size;
			return true;
		}
	}
	if (used == 0)
		return false;
	calls_give_up_oldest(calls);
	return true;
}

void calls_add(struct calls *calls, const struct expected *expected)
{
	if (!make_room(calls)) {
		calls->unmatched(expected);
		return;
	}
	*calls_at(calls, calls->head) = *expected;
	calls_at(calls, calls->head++)->ambiguous = false;
}

static bool is_of_kind(const struct expected *expected, const struct wanted *wanted)
{
	if (wanted->key)
		return expected->key == wanted->key && expected->bytes == wanted->bytes;
	return wanted->kernel ? expected->kernel : expected->graph;
}

uint32_t calls_find(const struct calls *calls, const struct wanted *wanted)
{
	uint32_t index = calls->tail, end = calls->head;
	uint32_t most = wanted->key ? LOOK_AHEAD : 1;

	if (end - index > most)
		end = index + most;
	for (; index != end; index++) {
		const struct expected *expected = calls_at(calls, index);

		/* A call that had not begun when the record did, and so none behind it. */
		if (wanted->start_known && wanted->start + CLOCK_SLACK < expected->started)
			break;
		if (is_of_kind(expected, wanted))
			return index;
	}
	return calls->head;
}

void calls_take(struct calls *calls, uint32_t index, struct expected *found)
{
	while (calls->tail != index)
		calls_give_up_oldest(calls);
	*found = *calls_at(calls, calls->tail++);
}
