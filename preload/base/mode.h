/* SPDX-License-Identifier: MIT */
/*
 * How this run times its operations: decided once, when ktime starts and it is known whether CUPTI
 * works. Only mode_cupti changes later, if the program itself ends CUPTI.
 */
#ifndef KTIME_PRELOAD_BASE_MODE_H
#define KTIME_PRELOAD_BASE_MODE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/base/launch_section.h"

/* CUPTI's activity records time the operations; else events do. */
extern LAUNCH_STATE _Atomic bool mode_cupti;
/* Event pairs are recorded around calls: the only clock, or the check of the other. */
extern LAUNCH_STATE bool mode_events;
/* Launches without an event pair are only counted: events are the only clock, on one device. */
extern bool mode_counting;
/* CUPTI gives the API rows of the runtime's calls that are not wrapped, or of all driver calls. */
extern bool mode_runtime_records, mode_driver_records;

static inline bool mode_is_cupti(void)
{
	return atomic_load_explicit(&mode_cupti, memory_order_relaxed);
}

/* `runtime_records` and `driver_records`: the API records that CUPTI makes, if it is the clock. */
void mode_choose(bool cupti, bool runtime_records, bool driver_records, int devices);

/* The program ended CUPTI: events are the only clock from here on. Any thread. */
void mode_end_cupti(void);

/*
 * Reasons for which no call may be only counted, as each one needs a record: CUPTI or a trace wants
 * it, a stream captures, the window is closed, ktime does not run. At 0 the launch path asks no
 * further.
 */
extern LAUNCH_STATE _Atomic int count_only_blocks;
static inline void count_only_block(int by)
{
	atomic_fetch_add_explicit(&count_only_blocks, by, memory_order_relaxed);
}

#endif
