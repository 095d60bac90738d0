/* SPDX-License-Identifier: MIT */
#include "preload/recording/window_records.h"

/* Between flushes. Chosen. */
#define FLUSH_PERIOD_NS 25000000u
/*
 * The longest wait. CUPTI hands a buffer over once all that is recorded in it has finished, copies
 * launched after the window included, which may be when the buffer is full: of a graph of 1,000
 * nodes, 300 of them copies and memsets, some 100 ms later (H200). Chosen.
 */
#define MOST_NS		1000000000u
/* The same if nobody knows how many are to come, and after a window whose records did not. Chosen.
 */
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

	if (!arrived && now - closed < most) {
		/* The last launch's records may come much later. */
		arrived = launches > 0 && seen + 1 >= seen_before + launches;
		return false;
	}
	if (launches > 0)
		missed = !arrived;
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
