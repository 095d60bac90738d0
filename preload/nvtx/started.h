/* SPDX-License-Identifier: MIT */
/* The start/end ranges of the process, by the time that they were open. For the collector thread
 * only. */
#ifndef KTIME_PRELOAD_NVTX_STARTED_H
#define KTIME_PRELOAD_NVTX_STARTED_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nvtx/range_thread.h"

/* How many start/end ranges are told apart, by name: a bit for each. */
#define STARTED_PATHS 31u

/* A range begins, at a time in ticks; `place` is its own among those that are open. False if
 * there are too many paths. The same again has no effect. */
bool started_begin(struct range_owner owner, uint16_t path, uint16_t place, uint64_t begin);
/* The range that began at `begin` ends. Its path, or 0 if it is not open; `kernel_id` is of the
 * thread that began it. */
uint16_t started_end(uint16_t place, uint64_t begin, uint64_t end, uint32_t *kernel_id);
/* One that is open, with its place and begin, or 0 if none is. */
uint16_t started_open(uint16_t *place, uint64_t *begin);

/* The ranges that were open at a time, a bit for each path. */
uint32_t started_at(uint64_t time);
uint16_t started_path(unsigned bit);
/* Which thread began the first range of a path: the low half of its pthread_self(). */
uint32_t started_thread(uint16_t path);

#endif
