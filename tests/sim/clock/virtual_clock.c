/* SPDX-License-Identifier: MIT */
#include "tests/sim/clock/virtual_clock.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

uint64_t clock_ticks(void)
{
	static uint64_t (*_Atomic clock)(void); /* whichever thread finds it first */
	uint64_t (*found)(void) = clock;
	void *driver;

	if (!found) {
		driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
		*(void **)&found = driver ? dlsym(driver, "sim_clock_ns") : NULL;
		clock = found;
	}
	return found ? found() : 0;
}

/* A tick is a nanosecond, and the two clocks are one. */
void clock_scale_start(struct clock_scale *scale)
{
	*scale = (struct clock_scale){.monotonic = clock_ns(CLOCK_MONOTONIC), .ns_per_tick = 1};
}

void clock_scale_update(struct clock_scale *scale)
{
	(void)scale;
}

/* The simulated clock is nobody's wall clock. */
uint64_t clock_realtime_offset(void)
{
	return 0;
}

/* In place of cupti_clock_is_realtime(): its real time is not the simulated one. */
bool __wrap_cupti_clock_is_realtime(void);
bool __wrap_cupti_clock_is_realtime(void)
{
	return true;
}
