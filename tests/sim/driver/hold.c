/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/hold.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/sim/driver/sim.h"

enum {
	POLL_US = 100,
	HOLDS_MORE = 1024,
};

struct hold {
	struct hold_wait wait;
	uint64_t at_ns;
	uint64_t behind;
	uint64_t host_ns;
	uint64_t moved_ns;
	bool ended;
};

static struct hold *holds;
static uint64_t hold_count, hold_room;

static uint64_t value_at(const struct hold_wait *wait)
{
	return wait->size == sizeof(uint32_t)
		       ? __atomic_load_n((const uint32_t *)wait->address, __ATOMIC_ACQUIRE)
		       : __atomic_load_n((const uint64_t *)wait->address, __ATOMIC_ACQUIRE);
}

bool hold_satisfied(const struct hold_wait *wait)
{
	uint64_t now = value_at(wait);

	switch (wait->flags & 3) {
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == wait->value;
	case CU_STREAM_WAIT_VALUE_AND:
		return now & wait->value;
	case CU_STREAM_WAIT_VALUE_NOR:
		return wait->size == sizeof(uint32_t) ? (uint32_t) ~(now | wait->value)
						      : ~(now | wait->value);
	default: /* GEQ, and cyclic */
		return wait->size == sizeof(uint32_t)
			       ? (int32_t)((uint32_t)now - (uint32_t)wait->value) >= 0
			       : (int64_t)(now - wait->value) >= 0;
	}
}

uint64_t hold_begin(const struct hold_wait *wait, uint64_t at_ns, uint64_t behind)
{
	struct hold *more;

	if (hold_count == hold_room) {
		more = realloc(holds, (hold_room + HOLDS_MORE) * sizeof(*holds));
		if (!more)
			return 0;
		holds = more;
		hold_room += HOLDS_MORE;
	}
	holds[hold_count++] = (struct hold){.wait = *wait, .at_ns = at_ns, .behind = behind};
	return hold_count;
}

void hold_used(uint64_t number, uint64_t host_ns)
{
	if (number && !holds[number - 1].ended && holds[number - 1].host_ns < host_ns)
		holds[number - 1].host_ns = host_ns;
}

bool hold_ended(uint64_t number, uint64_t *moved_ns)
{
	struct hold *hold = number ? &holds[number - 1] : NULL;
	uint64_t moved = 0;

	*moved_ns = 0;
	if (!hold)
		return true;
	if (!hold->ended) {
		if (!hold_ended(hold->behind, &moved) || !hold_satisfied(&hold->wait))
			return false;
		hold->moved_ns = moved;
		if (hold->host_ns > hold->at_ns + moved)
			hold->moved_ns = hold->host_ns - hold->at_ns;
		hold->ended = true;
	}
	*moved_ns = hold->moved_ns;
	return true;
}

static void sleep_once(void *unused)
{
	(void)unused;
	usleep(POLL_US);
}

void hold_wait_for(uint64_t number)
{
	uint64_t moved;

	while (!hold_ended(number, &moved))
		sim_call_out(sleep_once, NULL);
}
