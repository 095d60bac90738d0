/* SPDX-License-Identifier: MIT */
#include "preload/recording/window_records.h"

/* Between flushes. Chosen. */
#define FLUSH_PERIOD_NS 25000000u
/* The longest wait. With 100 ms two of five runs of queued graphs had too few windows (an interval
 * of 22 %, or none), with 300 ms and with a second none of eight (H200). A second is a long time
 * without windows if a record never comes. */
#define MOST_NS		300000000u
/* The same if no launch of a graph was counted in the window, and once after a window whose records
 * did not come. */
#define SHORT_NS	100000000u

static uint64_t closed, flushed, seen_before, launches;
static bool awaited, arrived, missed;

void window_records_begin(uint64_t seen)
{
	seen_before = seen;
	launches = 0;
}

void window_records_expect(void)
{
	launches++;
}

void window_records_await(uint64_t now)
{
	closed = now;
	awaited = true;
	arrived = false;
}

bool window_records_awaited(void)
{
	return awaited;
}

bool window_records_have_come(uint64_t now, uint64_t seen)
{
	uint64_t most = launches > 0 && !missed ? MOST_NS : SHORT_NS;
	/* The last launch's records may come much later. */
	bool all = launches > 0 && seen + 1 >= seen_before + launches;

	if (!arrived && now - closed < most) {
		arrived = all;
		return false;
	}
	if (launches > 0)
		missed = !missed && !arrived && !all;
	return true;
}

bool window_records_want_flush(uint64_t now)
{
	if (!awaited || now - closed < FLUSH_PERIOD_NS || now - flushed < FLUSH_PERIOD_NS)
		return false;
	flushed = now;
	return true;
}

void window_records_end(void)
{
	awaited = false;
}
