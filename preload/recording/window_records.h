/* SPDX-License-Identifier: MIT */
/*
 * Waiting for a recording window's records: its launches may still be queued when it is closed. For
 * the collector thread only; times are of CLOCK_REALTIME, in nanoseconds.
 */
#ifndef KTIME_PRELOAD_RECORDING_WINDOW_RECORDS_H
#define KTIME_PRELOAD_RECORDING_WINDOW_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

/* A window opens; `seen`: launches_seen() by then. */
void window_records_begin(uint64_t seen);
/* A graph with kernels was launched in it, and no record of that can be missing. */
void window_records_expect(void);
/* The window was closed: its records are awaited from now on. */
void window_records_await(uint64_t now);
/* Whether records are awaited. */
bool window_records_awaited(void);
/* Whether they have come, or are given up; `seen`: launches_seen() now. The first time that they
 * are all there it is false: the last launch's other nodes may come a little later. */
bool window_records_have_come(uint64_t now, uint64_t seen);
/* Whether CUPTI should be flushed for them; if so, not again for a while. */
bool window_records_want_flush(uint64_t now);
/* Nothing is awaited any more. */
void window_records_end(void);

#endif
