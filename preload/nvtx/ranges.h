/* SPDX-License-Identifier: MIT */
/*
 * The times of NVTX ranges: which call was made in which range, and what the ranges of a session
 * hold. A push/pop range holds what its thread calls while it is open; a start/end range, which
 * belongs to no thread, what any thread calls. For the collector thread only.
 */
#ifndef KTIME_PRELOAD_NVTX_RANGES_H
#define KTIME_PRELOAD_NVTX_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/clock.h"
#include "preload/nvtx/place.h"
#include "report/session/session_nvtx.h"

/* To be called first. `counts`: whether what ends at a time (CLOCK_REALTIME, ns) is reported. */
void ranges_start(struct session *session, const struct clock_scale *scale,
		  bool (*counts)(uint64_t time));
/* Takes all changes that the threads have made. To be called after the threads' calls were seen and
 * before they are taken. */
void ranges_drain(void);
/* Frees what ended threads leave; `now`: CLOCK_MONOTONIC in nanoseconds. */
void ranges_reclaim(uint64_t now);

/* Whether only what is called in some ranges is reported. */
bool ranges_are_chosen(void);
/* Where a thread, by its kernel id, was at a time in ticks. */
struct range_place ranges_at(uint32_t thread, uint64_t ticks);
/* Where it was during a call that only CUPTI has recorded; times on CLOCK_REALTIME, ns. */
struct range_place ranges_of_record(uint32_t thread, uint64_t start, uint64_t end);
/* Adds a call of a row, with its time, to the ranges that it was made in. It stands for `weight`
 * calls. */
void ranges_add(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		double weight, enum clock_source clock);

/* Adds a call whose time nobody knows: it is taken to be as long as the row's others. */
void ranges_add_untimed(const struct range_place *place, const struct row *row);

/* To be called at the end of the run: ends the ranges that are open. */
void ranges_finish(void);

#endif
