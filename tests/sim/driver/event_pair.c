/* SPDX-License-Identifier: MIT */
#include "tests/sim/driver/event_pair.h"

#include "tests/sim/driver/hold.h"
#include "tests/sim/driver/operation.h"

static bool after_event(const struct event_pair *pair)
{
	return pair->step == PAIR_BEGUN || pair->step == PAIR_ENDED;
}

/* A pair, or a wait in front of one, where the stream stands. */
static void begin(struct event_pair *pair, bool gated, uint64_t hold)
{
	pair->behind_gated = pair->step == PAIR_ENDED && pair->gated;
	pair->gated = gated;
	pair->hold = hold;
}

void event_pair_wait(struct event_pair *pair, uint64_t hold)
{
	begin(pair, true, hold);
	pair->step = PAIR_WAIT;
	pair->device_idle = false;
}

uint64_t event_pair_event(struct event_pair *pair)
{
	uint64_t later = after_event(pair) ? operation_event_ns() : 0;

	if (pair->step == PAIR_WORK) {
		pair->step = PAIR_ENDED;
		if (pair->queued && !(pair->hold && hold_waited_at(pair->hold)))
			later = sim_setting("SIM_QUEUED_NS", 0);
		return later;
	}
	if (pair->step != PAIR_WAIT)
		begin(pair, false, 0);
	pair->step = PAIR_BEGUN;
	return later;
}

uint64_t event_pair_work(struct event_pair *pair, bool kernel, bool busy)
{
	bool waits = pair->device_idle && after_event(pair);

	/* The event behind one pair may be the one before the next. */
	if (pair->step == PAIR_ENDED)
		begin(pair, false, 0);
	pair->queued = kernel && !pair->behind_gated && (pair->hold || busy);
	pair->step = after_event(pair) ? PAIR_WORK : PAIR_NONE;
	pair->device_idle = false;
	return waits ? sim_setting("SIM_STARVED_NS", 0) : 0;
}
