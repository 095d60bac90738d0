/* SPDX-License-Identifier: MIT */
#include "preload/events/in_flight.h"

#include <stdlib.h>

static struct in_flight *spare; /* freed ones, for reuse */
static size_t made;

struct in_flight *in_flight_new(void)
{
	struct in_flight *operation = spare;

	if (operation)
		spare = operation->next;
	else if ((operation = malloc(sizeof(*operation))))
		made++;
	if (operation)
		*operation = (struct in_flight){0};
	return operation;
}

void in_flight_free(struct in_flight *operation)
{
	operation->next = spare;
	spare = operation;
}

size_t in_flight_memory(void)
{
	return made * sizeof(struct in_flight);
}

/* Chosen: 32 bytes. Of threads that launch once and end, thousands may wait for their records. */
#define FIRST_SLOTS 4u

bool in_flight_ring_grow(struct in_flight_ring *ring)
{
	uint32_t size = in_flight_ring_size(ring), used = in_flight_ring_used(ring);
	uint32_t larger = size ? 2 * size : FIRST_SLOTS;
	struct in_flight **slots = malloc(larger * sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = 0; i < used; i++)
		slots[i] = in_flight_at(ring, ring->tail + i);
	free(ring->slots);
	*ring = (struct in_flight_ring){.slots = slots, .mask = larger - 1, .head = used};
	return true;
}

void in_flight_follow(struct in_flight *operation)
{
	struct stream *stream = operation->stream;
	bool copies = operation->operation->overhead == OVERHEAD_COPY;

	operation->holds_more = stream->used && stream->copied != copies;
	stream->used = true;
	stream->copied = copies;
}
