/* SPDX-License-Identifier: MIT */
#include "preload/base/clock.h"

void clock_scale_start(struct clock_scale *scale)
{
	scale->monotonic = clock_ns(CLOCK_MONOTONIC);
	scale->ticks = clock_ticks();
	scale->realtime = clock_ns(CLOCK_REALTIME);
	/* Reading both clocks takes some 50 ns, so 50 us give a first length within 0.1 %. */
	while (clock_ns(CLOCK_MONOTONIC) - scale->monotonic < 50000)
		;
	clock_scale_update(scale);
}

void clock_scale_update(struct clock_scale *scale)
{
	uint64_t elapsed = clock_ns(CLOCK_MONOTONIC) - scale->monotonic;
	uint64_t ticks = clock_ticks() - scale->ticks;

	if (ticks > 0)
		scale->ns_per_tick = (double)elapsed / (double)ticks;
}
