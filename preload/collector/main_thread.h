/* SPDX-License-Identifier: MIT */
/*
 * Watches for the end of the main thread. If it ends with pthread_exit(), the process goes on until
 * its other threads end: ktime's threads must not keep it alive, nor leave it without a thread that
 * takes signals.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_MAIN_THREAD_H
#define KTIME_PRELOAD_COLLECTOR_MAIN_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* How many threads the process has; 0 if /proc cannot be read. Any thread. */
unsigned main_thread_count(void);
/* Sets how many threads are ktime's: those that CUPTI started, and ktime's two. To be called once,
 * at the start. */
void main_thread_set_own(unsigned threads);

/*
 * Whether the main thread has ended and only ktime's threads are left. Checks once a second, by
 * reading two files of /proc, which takes some 20 us. Calls `ended` once when the main thread has
 * ended and others go on. `now` is CLOCK_MONOTONIC in nanoseconds. For the collector thread only.
 */
bool main_thread_was_last(uint64_t now, void (*ended)(void));

#endif
