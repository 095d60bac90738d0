/* SPDX-License-Identifier: MIT */
#include "preload/base/mode.h"

#include "preload/base/settings.h"

/* The first that the linker puts into its section: one cache line has room for all of it. */
_Atomic int count_only_blocks __attribute__((aligned(CACHE_LINE))) = 1; /* until ktime runs */
_Atomic bool mode_cupti, mode_begun;
uint64_t mode_cupti_since;
bool mode_events, mode_counting, mode_counting_outside, mode_runtime_records, mode_driver_records;

void mode_choose(bool cupti, bool deferred, bool runtime_records, bool driver_records)
{
	bool ever = cupti || deferred;

	atomic_store_explicit(&mode_cupti, cupti, memory_order_relaxed);
	mode_events = settings.timer != TIMER_CUPTI && settings.events != EVENTS_OFF;
	mode_counting = !ever && !settings_want_every_pair() && settings_want_every_device() &&
			!options_want_trace(&settings);
	mode_counting_outside = !cupti && settings_want_every_device();
	mode_runtime_records = ever && runtime_records;
	mode_driver_records = ever && driver_records;
}

void mode_begin_cupti(bool started)
{
	if (!started)
		mode_runtime_records = mode_driver_records = false;
	atomic_store_explicit(&mode_cupti, started, memory_order_relaxed);
}

void mode_end_cupti(void)
{
	atomic_store_explicit(&mode_cupti, false, memory_order_relaxed);
}
