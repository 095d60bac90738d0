/* SPDX-License-Identifier: MIT */
#include "preload/memory/held_changes.h"

#include "preload/base/clock.h"

/* One is filled while the other is read. */
static struct held_change changes[2][HELD_CHANGES_MOST];
static unsigned filling;
static size_t noted;
static uint64_t beyond;
static bool on;

void held_changes_want(bool wanted)
{
	on = wanted;
	noted = 0;
	beyond = 0;
}

bool held_changes_wanted(void)
{
	return on;
}

void held_changes_add(int device, uint64_t held)
{
	if (!on)
		return;
	if (noted == HELD_CHANGES_MOST)
		beyond++;
	else
		changes[filling][noted++] = (struct held_change){
			.ticks = clock_ticks(), .held = held, .device = (int32_t)device};
}

const struct held_change *held_changes_take(size_t *count, uint64_t *left_out)
{
	const struct held_change *taken = changes[filling];

	*count = noted;
	*left_out = beyond;
	filling = !filling;
	noted = 0;
	beyond = 0;
	return taken;
}
