/* SPDX-License-Identifier: MIT */
#include "preload/memory/held_changes.h"

#include "preload/base/clock.h"
#include "preload/memory/allocations.h"

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

static void append(struct session *session, const struct clock_scale *scale,
		   const struct held_change *change)
{
	const uint64_t time = clock_realtime_at(scale, change->ticks);

	session_trace(session, &(struct trace_record){.start = time,
						      .end = time,
						      .bytes = change->held,
						      .device = change->device,
						      .kind = TRACE_HELD});
}

/* What each device holds that anything was allocated on. For the allocations' lock. */
static size_t held_now(struct held_change now[SESSION_DEVICES])
{
	const uint64_t ticks = clock_ticks();
	size_t count = 0;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct memory_sum *sum = memory_sums_of(device, ALLOCATION_TOTAL);

		if (sum->allocations)
			now[count++] = (struct held_change){
				.ticks = ticks, .held = sum->held, .device = device};
	}
	return count;
}

void held_trace_update(struct session *session, const struct clock_scale *scale, bool wanted)
{
	static uint64_t version, emptied;
	struct held_change now[SESSION_DEVICES];
	const struct held_change *changes;
	const uint64_t times = session_trace_emptied(session);
	/* What said it before may be gone. */
	bool all = wanted && times != emptied;
	size_t count, devices;
	uint64_t left_out;

	if (wanted == held_changes_wanted() && !all &&
	    (!wanted || version == allocations_version()))
		return;
	allocations_lock();
	version = allocations_version();
	all |= wanted && !held_changes_wanted();
	if (wanted != held_changes_wanted())
		held_changes_want(wanted);
	changes = held_changes_take(&count, &left_out);
	devices = held_now(now);
	allocations_unlock();
	for (size_t i = 0; i < count; i++)
		append(session, scale, &changes[i]);
	for (size_t i = 0; i < devices && (all || left_out); i++)
		append(session, scale, &now[i]);
	session_count(session, COUNTER_trace_lost, left_out);
	emptied = times;
}
