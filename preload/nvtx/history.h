/* SPDX-License-Identifier: MIT */
/* Which range was a thread's innermost one at a time: its newest changes, oldest first. For the
 * collector thread only. */
#ifndef KTIME_PRELOAD_NVTX_HISTORY_H
#define KTIME_PRELOAD_NVTX_HISTORY_H

#include <stdint.h>

struct range_history;

/* NULL if memory is out. */
struct range_history *history_create(void);
void history_free(struct range_history *history); /* NULL is allowed */
/* Adds a change, in ticks; `now` is the innermost range from then on. Old ones make room. */
void history_add(struct range_history *history, uint64_t time, uint16_t now);
/* The innermost range at a time; `before` if that is before the first change ever, PATHS_UNKNOWN if
 * it is before the oldest that is kept. */
uint16_t history_at(const struct range_history *history, uint64_t time, uint16_t before);

#endif
