/* SPDX-License-Identifier: MIT */
#include "preload/base/clock.h"

/* How far apart, in microseconds, the two clocks may be read, and how often that is tried. Reading
 * takes 50 ns; a thread that loses the processor in between comes back after milliseconds. Chosen.
 */
#define APART_US 2u
#define TRIES	 8u

struct reading {
	uint64_t ticks, nanoseconds;
};

/* Both clocks at one moment: of some tries the one in which they were read closest together. */
static struct reading read_both(clockid_t clock)
{
	struct reading best = {0};
	uint64_t closest = UINT64_MAX;

	for (unsigned i = 0; i < TRIES && closest > clock_some_ticks(APART_US); i++) {
		uint64_t before = clock_ticks();
		uint64_t nanoseconds = clock_ns(clock);
		uint64_t apart = clock_ticks() - before;

		if (apart < closest) {
			closest = apart;
			best = (struct reading){before + apart / 2, nanoseconds};
		}
	}
	return best;
}

void clock_scale_start(struct clock_scale *scale)
{
	struct reading start = read_both(CLOCK_MONOTONIC), realtime;

	scale->monotonic = start.nanoseconds;
	scale->ticks = start.ticks;
	/* Reading both clocks takes some 50 ns, so 50 us give a first length within 0.1 %. */
	while (clock_ns(CLOCK_MONOTONIC) - scale->monotonic < 50000)
		;
	clock_scale_update(scale);
	realtime = read_both(CLOCK_REALTIME);
	scale->realtime =
		realtime.nanoseconds - clock_ticks_to_ns(scale, realtime.ticks - scale->ticks);
}

void clock_scale_update(struct clock_scale *scale)
{
	struct reading now = read_both(CLOCK_MONOTONIC);

	if (now.ticks > scale->ticks)
		scale->ns_per_tick = (double)(now.nanoseconds - scale->monotonic) /
				     (double)(now.ticks - scale->ticks);
}

uint64_t clock_realtime_offset(void)
{
	uint64_t closest = UINT64_MAX, offset = 0;

	for (unsigned i = 0; i < TRIES && closest > APART_US * 1000; i++) {
		uint64_t before = clock_ns(CLOCK_MONOTONIC);
		uint64_t realtime = clock_ns(CLOCK_REALTIME);
		uint64_t apart = clock_ns(CLOCK_MONOTONIC) - before;

		if (apart < closest) {
			closest = apart;
			offset = realtime - (before + apart / 2);
		}
	}
	return offset;
}
