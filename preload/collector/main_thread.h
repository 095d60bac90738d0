/* SPDX-License-Identifier: MIT */
/*
 * A program whose main thread ends by pthread_exit lives on in its other threads. ktime's own must
 * not keep it alive, nor leave it without a thread that takes signals.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_MAIN_THREAD_H
#define KTIME_PRELOAD_COLLECTOR_MAIN_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* How many threads the process has; 0 if that cannot be had. Any thread. */
unsigned main_thread_count(void);
/* ktime's threads: those of CUPTI that came with it, and two of its own. Once, at the start. */
void main_thread_set_own(unsigned threads);

/*
 * Whether the main thread has ended and no thread but ktime's is left. Looks once a second, by
 * reading two files of /proc, some 20 us. Calls `ended` once the main thread has ended and others
 * go on. `now` is CLOCK_MONOTONIC's, ns. The collector alone.
 */
bool main_thread_was_last(uint64_t now, void (*ended)(void));

#endif
