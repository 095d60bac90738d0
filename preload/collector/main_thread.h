/* SPDX-License-Identifier: MIT */
/*
 * Watches for the end of the main thread. If it ends with pthread_exit(), the process goes on until
 * its other threads end: ktime's threads must not keep it alive.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_MAIN_THREAD_H
#define KTIME_PRELOAD_COLLECTOR_MAIN_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/cupti.h"

/* Adds to the number of ktime's own threads, which are the collector and the reporter at first.
 * Before the collector begins. */
void main_thread_add_own(unsigned threads);
/*
 * Start CUPTI, as cupti_start(), and take the threads that it starts for ktime's. The first is for
 * the thread that starts ktime. The second is for the collector, while the program starts and ends
 * threads of its own: only those are ktime's that have the spare thread's name, as a thread has
 * that of the one that made it. Where there is none, as in a CUPTI that names its threads, all new
 * ones are: else the process of a main thread that has ended would never end.
 */
int main_thread_start_cupti(const struct cupti_settings *settings, char *reason, size_t size);
int main_thread_start_cupti_later(const struct cupti_settings *settings, char *reason, size_t size);

/*
 * Whether the main thread has ended and only ktime's threads are left. Once it has ended that is
 * checked once a second, by reading a file of /proc. `now` is CLOCK_MONOTONIC in nanoseconds. For
 * the collector thread only.
 */
bool main_thread_was_last(uint64_t now);

#endif
