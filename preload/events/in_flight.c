/* SPDX-License-Identifier: MIT */
#include "preload/events/in_flight.h"

#include <stdlib.h>

#include "report/session/session.h"

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

/* A call takes the host 3 to 10 us, and the device serves it in the next few. Chosen. */
#define SLOT_NS	 8000u
/* 0.13 s: pairs are read every 5 ms, unless more are queued than the device gets done. Chosen. */
#define SLOTS	 16384u
/* Calls that are only counted are taken to be everywhere if they are this close. Chosen: half of
 * the pairs of 10 us would have one beside them. */
#define EVERY_NS 50000u
/* More than one stream had calls. */
#define SEVERAL	 UINT32_MAX

/* A slot of time: its number, as the array is used again and again, and whose calls were in it. */
struct slot {
	uint32_t number, stream;
};

/* Which streams had calls of late, by device. For the collector. */
static struct {
	bool known;
	uint32_t first; /* the stream of the first call */
	struct slot *slots;
} devices[SESSION_DEVICES];

static void mark(struct slot *slots, uint64_t time, uint32_t stream)
{
	uint32_t number = (uint32_t)(time / SLOT_NS);
	struct slot *slot = &slots[number % SLOTS];

	if (slot->number != number)
		*slot = (struct slot){.number = number, .stream = stream};
	else if (slot->stream != stream)
		slot->stream = SEVERAL;
}

/* NULL as long as one stream is all that the device has. */
static struct slot *slots_of(const struct stream *stream)
{
	unsigned device = (unsigned)stream->context->device;

	if (device >= SESSION_DEVICES)
		return NULL;
	if (!devices[device].known) {
		devices[device].known = true;
		devices[device].first = stream->id;
	}
	if (!devices[device].slots && devices[device].first != stream->id)
		devices[device].slots = calloc(SLOTS, sizeof(struct slot));
	return devices[device].slots;
}

void other_streams_call(struct stream *stream, uint64_t started, unsigned stands_for)
{
	struct slot *slots = slots_of(stream);
	uint64_t from = started;

	if (stands_for > 1) {
		/* Also false if that one began later: the difference is huge then. */
		if (from - stream->counted <= (uint64_t)stands_for * EVERY_NS)
			from = stream->counted;
		stream->counted = started;
	}
	for (; slots && from < started; from += SLOT_NS)
		mark(slots, from, stream->id);
	if (slots)
		mark(slots, started, stream->id);
}

bool other_streams_beside(const struct in_flight *operation)
{
	const struct slot *slots = slots_of(operation->stream);
	uint64_t first = operation->started / SLOT_NS;
	uint64_t last = (operation->ended + operation->by_events) / SLOT_NS;

	for (uint64_t i = first; slots && i <= last && i - first < SLOTS; i++) {
		const struct slot *slot = &slots[i % SLOTS];

		if (slot->number == (uint32_t)i && slot->stream != operation->stream->id)
			return true;
	}
	return false;
}
